-- One feed of one provider, listed under its pair (decision 10). Several feeds may share a pair.
-- kind: full   grain: chain, feed_address
select
  f.provider, f.pair, f.base, f.quote, f.chain, f.feed_address, f.category, f.heartbeat_s, f.deviation_bps, f.decimals,
  f.market_hours,
  replace(cast(cast(from_unixtime(c.last_update_at) as timestamp(0)) as varchar), ' ', 'T') || 'Z' as last_update_at,
  c.verdict as status
from derived.feed f
join derived.feed_coverage c on c.chain = f.chain and c.scope_id = f.feed_address
