-- One assumption as it is now: its last observation that is not too old, and whether it is broken, since when.
-- kind: full   grain: chain, assumption_id
with seen as (
  select
    o.*, row_number() over (partition by o.chain, o.assumption_id order by o.observed_at desc) as recency
  from derived.assumption_observation o
  cross join policy.oracle_paths p
  where o.observed_at <= @now and o.observed_at > @now - p.price_max_age_s
),
step as (
  select
    chain, assumption_id, is_active, since_at,
    row_number() over (partition by chain, assumption_id order by observed_at desc, is_observation desc) as recency
  from derived.assumption_step
  where day = @now - @now % 86400 and observed_at <= @now
),
tested as (
  select
    chain, assumption_id, array_join(array_agg(case when feed_chain = chain then feed_address else concat(feed_chain, ':', feed_address) end order by feed_chain, feed_address), ',') as tested_by
  from derived.assumption_test
  group by chain, assumption_id
)
select
  b.chain, b.assumption_id, b.kind, b.left_symbol, b.right_symbol, b.contract, b.statement, b.enter_bps, t.tested_by, s.assumed, s.observed, s.gap_bps,
  s.observed_at, s.sources, s.source_feeds, s.source_values, coalesce(s.is_disputed, false) as is_disputed, coalesce(s.is_single_source, false) as is_single_source,
  case when s.observed_at is not null or p.is_active then coalesce(p.is_active, false) end as is_broken,
  case when p.is_active then p.since_at end as since_at
from derived.assumption_band b
left join tested t on t.chain = b.chain and t.assumption_id = b.assumption_id
left join seen s on s.chain = b.chain and s.assumption_id = b.assumption_id and s.recency = 1
left join step p on p.chain = b.chain and p.assumption_id = b.assumption_id and p.recency = 1
