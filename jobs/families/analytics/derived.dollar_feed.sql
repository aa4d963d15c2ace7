-- One period in which one feed is a source of an asset's price in US dollars: it is in the registry as <SYMBOL>-USD, has answered, is
-- not being deprecated, and has a weight (the weights of the pegs). lasts_s is how long an answer counts: one heartbeat plus the grace
-- period.
-- kind: full   grain: chain, feed_address, speaks_from
select
  v.chain, v.feed_address, upper(v.base) as symbol,
  coalesce(s.source_kind, v.source_kind) as source_kind,
  exact_decimal(coalesce(s.weight, w.weight), 18, 6) as weight,
  coalesce(v.heartbeat_s, a.default_heartbeat_s) + o.grace_s as lasts_s,
  greatest(v.valid_from, f.first_at) as speaks_from,
  v.valid_to as speaks_to
from derived.feed_version v
join derived.feed_first f on f.chain = v.chain and f.feed_address = v.feed_address
cross join policy.oracle o
cross join policy.analytics a
left join policy.peg_source s on s.chain = v.chain and s.feed_address = v.feed_address
join policy.peg_weight w on w.source_kind = coalesce(s.source_kind, v.source_kind)
where f.first_at < v.valid_to
  and upper(v.quote) = 'USD' and v.base is not null
  and not v.is_deprecating and coalesce(s.weight, w.weight) > 0
