-- The bounds of the answers of one feed over one period: valid_from is included, valid_to is not. What the registry states counts; where it
-- states nothing, the last bounds that were read from the contract do, however long ago. A feed without a row has unknown bounds.
-- kind: full   grain: chain, feed_address, valid_from
with change as (
  select chain, feed_address, valid_from as changed_at from derived.feed_version
  union
  select chain, feed_address, observed_at from obs.feed_bounds where observed_at < @end
),
period as (
  select
    chain, feed_address, changed_at as valid_from,
    lead(changed_at, 1, 253402300799) over (partition by chain, feed_address order by changed_at) as valid_to
  from change
),
was_read as (
  select
    p.chain, p.feed_address, p.valid_from, max(b.observed_at) as read_at, max_by(b.min_answer, b.observed_at) as min_answer,
    max_by(b.max_answer, b.observed_at) as max_answer
  from period p
  join obs.feed_bounds b on b.chain = p.chain and b.feed_address = p.feed_address and b.observed_at <= p.valid_from
  group by p.chain, p.feed_address, p.valid_from
)
select
  p.chain, p.feed_address, p.valid_from, p.valid_to,
  case when v.min_answer is null and v.max_answer is null then r.min_answer else v.min_answer end as min_answer,
  case when v.min_answer is null and v.max_answer is null then r.max_answer else v.max_answer end as max_answer,
  case when v.min_answer is null and v.max_answer is null then r.read_at end as read_at
from period p
left join derived.feed_version v
  on v.chain = p.chain and v.feed_address = p.feed_address and v.valid_from <= p.valid_from and v.valid_to > p.valid_from
left join was_read r on r.chain = p.chain and r.feed_address = p.feed_address and r.valid_from = p.valid_from
where v.min_answer is not null or v.max_answer is not null or r.read_at is not null
