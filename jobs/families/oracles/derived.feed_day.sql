-- One feed on one UTC day with valid rounds. A gap, a move and a return count on the day they end, so the first round of a day is compared
-- with the last one before it. Sums use decimals, so that they do not depend on the order of addition; prices are first divided by the
-- day's highest, so that small ones keep their digits. heartbeat_breaches is null if the heartbeat is unknown or the market has opening
-- hours.
-- kind: window   grain: chain, feed_address, day   time: day   order: day, chain, feed_address
with answer as (
  select chain, feed_address, observed_at, round_id, price
  from derived.feed_answer
  where is_valid and observed_at >= @start and observed_at < @end
  union all
  select chain, feed_address, last_at, last_round_id, last_price
  from derived.feed_state
  where day = @start - 86400 and last_at is not null
),
paired as (
  select
    chain, feed_address, observed_at, observed_at - observed_at % 86400 as day, price,
    row_number() over in_order as place,
    lag(observed_at) over in_order as previous_at,
    lag(price) over in_order as previous_price
  from answer
  window in_order as (partition by chain, feed_address order by observed_at, length(round_id), round_id)
),
moved as (
  select
    p.chain, p.feed_address, p.day, p.place, p.observed_at, p.price,
    max(p.price) over (partition by p.chain, p.feed_address, p.day) as price_max,
    p.observed_at - p.previous_at as gap_s,
    -- Rounded, so that a move of exactly the deviation reaches it in doubles too.
    round(abs(p.price / p.previous_price - 1) * 10000, 6) as move_bps,
    ln(p.price / p.previous_price) as log_return,
    case when v.market_hours = 'crypto' then v.heartbeat_s + o.grace_s end as longest_gap_s,
    case when v.deviation_bps >= 0.01 then v.deviation_bps end as deviation_bps
  from paired p
  cross join policy.oracle o
  left join derived.feed_version v
    on v.chain = p.chain and v.feed_address = p.feed_address
    and v.valid_from <= p.observed_at and v.valid_to > p.observed_at
  where p.observed_at >= @start
),
summed as (
  select
    chain, feed_address, day,
    count(*) as updates,
    min(observed_at) as first_at,
    max(observed_at) as last_at,
    count(gap_s) as gaps,
    cast(sum(gap_s) as bigint) as gap_sum_s,
    max(gap_s) as max_gap_s,
    max_by(observed_at, gap_s * 1000000 + least(place, 999999)) as max_gap_ends_at,
    case when count(longest_gap_s) > 0 then cast(count(*) filter (where gap_s > longest_gap_s) as bigint) end as heartbeat_breaches,
    case when count(deviation_bps) > 0 then cast(count(*) filter (where move_bps >= deviation_bps) as bigint) end as deviation_triggers,
    min(price) as price_min,
    max(price) as price_max,
    max(price) * exact_double(sum(exact_decimal(price / price_max, 38, 18))) / count(*) as price_avg,
    max_by(price, place) as price_last,
    max(move_bps) as max_deviation_bps,
    count(log_return) as returns,
    exact_double(sum(exact_decimal(log_return, 38, 18))) as return_sum,
    exact_double(sum(exact_decimal(log_return * log_return, 38, 18))) as return_square_sum
  from moved
  group by chain, feed_address, day
)
select
  chain, feed_address, day, updates, first_at, last_at, gaps, gap_sum_s, max_gap_s, max_gap_ends_at, heartbeat_breaches, deviation_triggers,
  price_min, price_max, price_avg, price_last, max_deviation_bps,
  case
    when returns > 1
      then sqrt(greatest(return_square_sum - return_sum * return_sum / returns, 0e0) / (returns - 1))
  end as volatility
from summed
