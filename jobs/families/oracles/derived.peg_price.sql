-- The price of a pegged asset, or of its reference, at one observation: the weighted median of its live sources, or the mean of the two
-- middle prices if the weights on both sides are equal (rounded half up at 18 decimals). Sources without weight are not counted. A pool
-- is never the only reference: without an oracle or a venue, there is a price only from two pools or more (is_pools_only). The answer of a
-- source without weight makes no observation.
-- covers_to is the last second at which one of the sources is live without another answer; spread_bps is the distance from the lowest to
-- the highest price, relative to the centre.
-- kind: window   grain: chain, symbol, quote, asset_id, observed_at, place, role   time: observed_at   order: day, chain, symbol, observed_at, place, role
with summed as (
  select
    *,
    2 * sum(weight) over (
      partition by chain, symbol, quote, asset_id, observed_at, place, role order by price_e18, weight, feed_address
      rows between unbounded preceding and current row
    ) as twice_up_to,
    sum(weight) over (partition by chain, symbol, quote, asset_id, observed_at, place, role) as total
  from derived.peg_live
  where weight > 0 and observed_at >= @start and observed_at < @end
),
marked as (
  select
    *,
    min(case when twice_up_to >= total then price_e18 end) over at_once as lower_e18,
    min(case when twice_up_to > total then price_e18 end) over at_once as upper_e18
  from summed
  window at_once as (partition by chain, symbol, quote, asset_id, observed_at, place, role)
),
middle as (
  select
    chain, symbol, quote, asset_id, observed_at, place, day, role,
    cast(
      (cast(min(lower_e18) as decimal(31, 0)) + cast(min(upper_e18) as decimal(31, 0))) * cast(0.5 as decimal(2, 1)) as decimal(38, 0)
    ) as price_e18,
    min(case when price_e18 = lower_e18 and lower_e18 = upper_e18 then price_text end) as middle_text,
    count(*) as sources,
    min(price_e18) as lowest_e18,
    max(price_e18) as highest_e18,
    max(heartbeat_s) as heartbeat_s,
    case when count(deviation_bps) = count(*) then min(deviation_bps) end as deviation_bps,
    max(covers_to) as covers_to,
    max(answered_at) as answered_at,
    max(case when source_kind <> 'pool' then 1 else 0 end) = 0 as is_pools_only
  from marked
  group by chain, symbol, quote, asset_id, observed_at, place, day, role
  having (role <> 'price' or max(case when is_own then 1 else 0 end) = 1)
    and (max(case when source_kind <> 'pool' then 1 else 0 end) = 1 or count(distinct pool_address) > 1)
),
written as (
  select *, lpad(cast(price_e18 as varchar), cast(greatest(length(cast(price_e18 as varchar)), 19) as integer), '0') as digits
  from middle
)
select
  chain, symbol, quote, asset_id, observed_at, place, day, role, price_e18,
  coalesce(
    middle_text,
    regexp_replace(
      concat(substr(digits, 1, cast(length(digits) - 18 as integer)), '.', substr(digits, cast(length(digits) - 17 as integer))),
      '\.?0+$', ''
    )
  ) as price_text,
  sources, is_pools_only, answered_at, heartbeat_s, deviation_bps, covers_to,
  case
    when price_e18 > 0
      then round((exact_double(highest_e18) - exact_double(lowest_e18)) / exact_double(price_e18) * 10000, 4)
  end as spread_bps
from written
