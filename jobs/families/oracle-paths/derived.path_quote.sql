-- One valid answer of a source (known_at is when it was given), or the last one before a day, carried into it. Only of feeds that test an
-- assumption, that a path reads, or that convert between units; holds_to: the second at which it is too old. A price of 0 says that an
-- invalid answer has ended what the feed said before.
-- kind: window   grain: chain, feed_address, known_at, is_carried   time: known_at   order: known_at, chain, feed_address, is_carried
with symbol as (
  select symbol from policy.oracle_unit
  union
  select right_symbol from derived.assumption_test
),
wanted as (
  select feed_chain as chain, feed_address from derived.assumption_test
  union
  select chain, contract from derived.path_assumption where kind in ('feed', 'bound')
  union
  select f.chain, f.feed_address
  from derived.feed f
  left join policy.oracle_identity i on i.symbol = f.base
  join symbol s on s.symbol = coalesce(i.same_as, f.base)
  where f.quote = 'USD' and not f.is_deprecating and strpos(f.category, 'rate') = 0 and strpos(f.category, 'reserve') = 0
),
answer as (
  select
    r.chain, r.feed_address, r.observed_at as known_at, false as is_carried, r.observed_at, case when r.is_valid then r.price else 0e0 end as price,
    row_number() over (partition by r.chain, r.feed_address, r.observed_at order by length(r.round_id) desc, r.round_id desc) as from_last
  from derived.feed_answer r
  join wanted w on w.chain = r.chain and w.feed_address = r.feed_address
  where r.observed_at >= @start and r.observed_at < @end and coalesce(r.invalid_reason, '') <> 'no_answer'
  union all
  select
    s.chain, s.feed_address, s.day + 86400, true, s.last_at,
    case when coalesce(s.invalid_reason, 'no_answer') = 'no_answer' then s.last_price else 0e0 end, 1
  from derived.feed_state s
  join wanted w on w.chain = s.chain and w.feed_address = s.feed_address
  where s.day >= @start - 86400 and s.day < @end - 86400 and s.last_at is not null
)
select
  a.chain, a.feed_address, a.known_at, a.is_carried, a.observed_at as answered_at, a.price, coalesce(i.same_as, f.base) as base,
  coalesce(q.same_as, f.quote) as quote, f.source_kind, f.deviation_bps,
  a.observed_at + coalesce(f.heartbeat_s, p.default_heartbeat_s) + o.grace_s as holds_to
from answer a
join derived.feed f on f.chain = a.chain and f.feed_address = a.feed_address
cross join policy.oracle_paths p
cross join policy.oracle o
left join policy.oracle_identity i on i.symbol = f.base
left join policy.oracle_identity q on q.symbol = f.quote
where a.from_last = 1
