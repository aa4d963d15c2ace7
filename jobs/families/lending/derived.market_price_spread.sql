-- The distance between the last price of one feed behind a market and that of another source of its pair on the chain now: another feed
-- of the market, or any live feed of the same category (a market price is not a redemption rate) that is no pool. A source is live until its heartbeat (a day if unknown) and the grace period after its
-- last answer, and not while its last round is invalid. Two prices that are each within their feed's deviation of the true one differ by
-- no more than both deviations together: that is the limit, or the policy's where one is unknown (limit_basis).
-- kind: full   grain: chain, market_id, feed_address, other_address
with priced as (
  select
    f.chain, f.pair, f.category, f.feed_address, s.last_price,
    case when f.deviation_bps >= 0.01 then f.deviation_bps end as deviation_bps,
    f.source_kind <> 'pool' and not f.is_deprecating and s.invalid_reason is null
      and s.last_at + coalesce(f.heartbeat_s, 86400) + o.grace_s >= @now as is_live
  from derived.feed f
  join derived.feed_state s on s.chain = f.chain and s.feed_address = f.feed_address and s.day = @now - @now % 86400
  cross join policy.oracle o
  where s.last_price > 0
),
backing as (
  select chain, market_id, feed_address from derived.market_oracle where valid_from <= @now and valid_to > @now
),
compared as (
  select
    b.chain, b.market_id, f.pair, f.feed_address, o.feed_address as other_address,
    -- Rounded, so that in doubles a distance of exactly the limit does not exceed it.
    round((greatest(f.last_price, o.last_price) / least(f.last_price, o.last_price) - 1) * 10000, 6) as spread_bps,
    f.deviation_bps + o.deviation_bps + p.oracle_spread_margin_bps as own_limit_bps,
    p.oracle_spread_bps
  from backing b
  join priced f on f.chain = b.chain and f.feed_address = b.feed_address
  join priced o on o.chain = f.chain and o.pair = f.pair and o.feed_address <> f.feed_address
  left join backing t on t.chain = b.chain and t.market_id = b.market_id and t.feed_address = o.feed_address
  cross join policy.lending p
  where (o.is_live and o.category = f.category) or t.feed_address is not null
)
select
  chain, market_id, feed_address, other_address, pair, spread_bps, coalesce(own_limit_bps, oracle_spread_bps) as limit_bps,
  case when own_limit_bps is null then 'policy' else 'deviations' end as limit_basis,
  spread_bps > coalesce(own_limit_bps, oracle_spread_bps) as is_disputed
from compared
