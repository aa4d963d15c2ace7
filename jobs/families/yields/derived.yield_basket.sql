-- The asset safety of opportunities at one instant of observation: the weakest asset decides, and the result is unknown while any asset
-- is unknown. A two-sided peg is meaningless for a coin that accrues yield and trades above it by design.
-- kind: window   grain: assets, observed_at   time: observed_at   order: observed_at, assets
with step as (
  select
    s.symbol, s.since_at, s.is_depegged, p.is_downside_only, s.observed_at,
    lead(s.observed_at, 1, 253402300799) over (
      partition by s.chain, s.symbol, s.quote, s.asset_id order by s.observed_at, s.place
    ) as until_at
  from derived.peg_step s
  join derived.peg_asset p on p.chain = s.chain and p.symbol = s.symbol and p.quote = s.quote and p.asset_id = s.asset_id
  where s.observed_at >= @start and s.observed_at < @end
),
depeg as (
  select symbol, is_downside_only, since_at, min(observed_at) as from_at, max(until_at) as until_at
  from step
  where is_depegged
  group by symbol, is_downside_only, since_at
),
basket as (
  select distinct assets, observed_at
  from obs.yield_pool
  where observed_at >= @start and observed_at < @end
),
rated as (
  select
    b.assets, b.observed_at, t.symbol, a.score,
    coalesce(a.is_yield_bearing, false) as is_yield_bearing,
    coalesce(a.is_ambiguous, false) as is_ambiguous,
    coalesce(d.symbol is not null and (d.is_downside_only or not coalesce(a.is_yield_bearing, false)), false) as is_depegged
  from basket b
  cross join unnest(split(b.assets, ',')) as t(symbol)
  left join derived.yield_asset a
    on a.symbol = t.symbol and a.valid_from <= b.observed_at and a.valid_to > b.observed_at
  left join depeg d
    on d.symbol = t.symbol and d.from_at <= b.observed_at and d.until_at > b.observed_at
)
select
  r.assets, r.observed_at,
  case
    when count(r.score) = count(*)
      then min(case when r.is_depegged and r.score > p.depegged_score then p.depegged_score else r.score end)
  end as score,
  min(case when r.score is null then r.symbol end) as unknown_symbol,
  max(case when r.is_depegged then 1 else 0 end) = 1 as is_depegged,
  max(case when r.is_yield_bearing then 1 else 0 end) = 1 as is_yield_bearing,
  max(case when r.is_ambiguous then 1 else 0 end) = 1 as is_ambiguous
from rated r
cross join policy.yields p
group by r.assets, r.observed_at
