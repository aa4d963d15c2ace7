-- One feed now: its registry entry, the bounds of its answers (null if unknown), and its last valid answer. Its rounds are null instead of 0
-- if none of them was delivered, or all were refused.
-- kind: full   grain: chain, feed_address
select
  c.chain, c.scope_id as feed_address, f.provider, f.pair, f.base, f.quote, f.category, f.heartbeat_s, f.deviation_bps, f.decimals,
  f.market_hours, f.risk_level, c.verdict as status, c.verdict_reason as status_reason,
  case when c.doubts = '' then array[] else split(c.doubts, ',') end as doubts,
  s.last_price as price,
  replace(cast(cast(from_unixtime(c.last_update_at) as timestamp(0)) as varchar), ' ', 'T') || 'Z' as last_update_at,
  case when c.rounds_gap is null then coalesce(s.rows_present, 0) end as rounds,
  case when c.rounds_gap is null then coalesce(s.invalid_rounds, 0) end as invalid_rounds,
  cast(b.min_answer as double) / power(10, f.decimals) as min_price, cast(b.max_answer as double) / power(10, f.decimals) as max_price,
  replace(cast(cast(from_unixtime(b.read_at) as timestamp(0)) as varchar), ' ', 'T') || 'Z' as bounds_since
from derived.feed_coverage c
left join derived.feed f on f.chain = c.chain and f.feed_address = c.scope_id
left join derived.feed_state s on s.chain = c.chain and s.feed_address = c.scope_id and s.day = @now - @now % 86400
left join derived.feed_bounds b on b.chain = c.chain and b.feed_address = c.scope_id and b.valid_from <= @now and b.valid_to > @now
