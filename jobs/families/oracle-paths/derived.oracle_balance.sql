-- What is left over of the legs of one reading once equal symbols are cancelled, and what is missing to the pair that the market needs:
-- its collateral in terms of its loan, or a pooled asset in USD. Base legs multiply from/to, quote legs divide; legs below adapters and
-- standby legs do not count. A power other than 1 is written as often as it counts.
-- kind: window   grain: chain, market_id, oracle_address, observed_at   time: observed_at   by_hour: observed_at   order: day, chain, market_id, observed_at
with reading as (
  select
    p.chain, p.market_id, p.oracle_address, p.observed_at, p.day,
    coalesce(a.same_as, upper(coalesce(m.collateral_symbol, m.loan_symbol))) as base_symbol,
    case when m.chain is null then null when m.collateral_symbol is null then 'USD' else coalesce(b.same_as, upper(m.loan_symbol)) end as quote_symbol
  from obs.oracle_price p
  left join derived.lending_market m
    on m.chain = p.chain and m.market_id = p.market_id and m.valid_from <= p.observed_at and m.valid_to > p.observed_at
  left join policy.oracle_identity a on a.symbol = upper(coalesce(m.collateral_symbol, m.loan_symbol))
  left join policy.oracle_identity b on b.symbol = upper(m.loan_symbol)
  where p.leg_count is not null and p.observed_at >= @start and p.observed_at < @end
),
factor as (
  select
    chain, market_id, oracle_address, observed_at, from_unit as symbol, case when side = 'base' then 1 else -1 end as power, 0 as wanted
  from derived.oracle_path_leg
  where parent_index is null and not is_standby and observed_at >= @start and observed_at < @end
  union all
  select chain, market_id, oracle_address, observed_at, to_unit, case when side = 'base' then -1 else 1 end, 0
  from derived.oracle_path_leg
  where parent_index is null and not is_standby and observed_at >= @start and observed_at < @end
  union all
  select chain, market_id, oracle_address, observed_at, base_symbol, 0, 1 from reading
  union all
  select chain, market_id, oracle_address, observed_at, quote_symbol, 0, -1 from reading
),
net as (
  select
    chain, market_id, oracle_address, observed_at, symbol, cast(sum(power) as bigint) as power, cast(sum(wanted) - sum(power) as bigint) as missing
  from factor
  where symbol is not null
  group by chain, market_id, oracle_address, observed_at, symbol
),
part as (
  select
    chain, market_id, oracle_address, observed_at,
    max(abs(power)) as largest_power,
    count(*) filter (where power > 0) as parts_above,
    count(*) filter (where power < 0) as parts_below,
    count(*) filter (where missing <> 0) as parts_missing,
    array_join(array_agg(symbol order by symbol) filter (where power > 0), '·') as above,
    array_join(array_agg(symbol order by symbol) filter (where power < 0), '·') as below,
    array_join(array_agg(symbol order by symbol) filter (where missing > 0), '·') as missing_above,
    array_join(array_agg(symbol order by symbol) filter (where missing < 0), '·') as missing_below
  from net
  group by chain, market_id, oracle_address, observed_at
)
select
  r.chain, r.market_id, r.oracle_address, r.observed_at, r.day, r.base_symbol, r.quote_symbol,
  case when p.parts_above = 1 and p.largest_power = 1 then p.above end as left_symbol,
  case when p.parts_below = 1 and p.largest_power = 1 then p.below end as right_symbol,
  coalesce(p.largest_power, 0) = 0 as is_empty,
  coalesce(p.parts_missing, 0) = 0 as is_balanced,
  case when p.largest_power > 0 then concat(coalesce(p.above, '1'), '/', coalesce(p.below, '1')) else '1' end as left_over,
  case when p.parts_missing > 0 then concat(coalesce(p.missing_above, '1'), '/', coalesce(p.missing_below, '1')) end as missing
from reading r
left join part p
  on p.chain = r.chain and p.market_id = r.market_id and p.oracle_address = r.oracle_address and p.observed_at = r.observed_at
