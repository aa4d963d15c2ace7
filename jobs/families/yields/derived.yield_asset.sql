-- The backing of one symbol over one period: valid_from is included, valid_to is not. If several coins share a symbol, the weakest in the
-- same listing counts, and none if any of them is unknown. The policy's classification takes precedence over every registry and always
-- applies.
-- kind: full   grain: symbol, valid_from
with spelled as (
  select
    upper(symbol) as symbol, observed_at,
    coalesce(is_yield_bearing, false) as is_yield_bearing,
    case when is_yield_bearing then 'yield_bearing' else replace(trim(mechanism), '-', '_') end as asset_class
  from obs.yield_coin
  where observed_at < @end
),
reported as (
  select c.symbol, c.observed_at, c.is_yield_bearing, s.score
  from spelled c
  left join policy.yield_class s on s.asset_class = c.asset_class
  where c.symbol not in (select symbol from policy.yield_asset)
),
listed as (
  select
    symbol, observed_at,
    case when count(score) = count(*) then min(score) end as score,
    max(case when is_yield_bearing then 1 else 0 end) = 1 as is_yield_bearing,
    coalesce(max(score) > min(score), false) as is_ambiguous
  from reported
  group by symbol, observed_at
)
select
  symbol, score, is_yield_bearing, is_ambiguous, observed_at as valid_from,
  lead(observed_at, 1, 253402300799) over (partition by symbol order by observed_at) as valid_to
from listed
union all
select
  p.symbol, s.score, p.asset_class = 'yield_bearing' as is_yield_bearing, false as is_ambiguous,
  0 as valid_from, 253402300799 as valid_to
from policy.yield_asset p
left join policy.yield_class s on s.asset_class = p.asset_class
