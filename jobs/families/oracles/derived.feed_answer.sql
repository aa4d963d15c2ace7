-- One answer of one feed, with the reason why it is invalid: never answered (no_answer), not above 0 (not_positive), computed in an
-- earlier round (answered_earlier), or at a bound of what the feed can give (at_bound). For a feed that reports no rounds by design only the
-- answer counts. Bounds are compared exactly up to 38 digits.
-- kind: view   grain: chain, feed_address, round_id
with roundless as (
  select chain, feed_address, valid_from, valid_to
  from derived.feed_version
  where not reports_rounds
),
judged as (
  select
    r.*,
    case
      when v.chain is null and r.updated_at = 0 then 'no_answer'
      when r.price <= 0 then 'not_positive'
      when v.chain is not null then null
      when length(r.answered_in_round) < length(r.round_id)
        or (length(r.answered_in_round) = length(r.round_id) and r.answered_in_round < r.round_id) then 'answered_earlier'
      when length(r.answer) <= 38 and length(b.min_answer) <= 38 and cast(r.answer as decimal(38, 0)) <= cast(b.min_answer as decimal(38, 0))
        then 'at_bound'
      when length(r.answer) <= 38 and length(b.max_answer) <= 38 and cast(r.answer as decimal(38, 0)) >= cast(b.max_answer as decimal(38, 0))
        then 'at_bound'
      when (length(r.answer) > 38 or length(b.min_answer) > 38) and cast(r.answer as double) <= cast(b.min_answer as double) then 'at_bound'
      when (length(r.answer) > 38 or length(b.max_answer) > 38) and cast(r.answer as double) >= cast(b.max_answer as double) then 'at_bound'
    end as invalid_reason
  from obs.feed_round r
  left join roundless v
    on v.chain = r.chain and v.feed_address = r.feed_address and v.valid_from <= r.observed_at and v.valid_to > r.observed_at
  left join derived.feed_bounds b
    on b.chain = r.chain and b.feed_address = r.feed_address and b.valid_from <= r.observed_at and b.valid_to > r.observed_at
)
select
  chain, feed_address, round_id, answer, decimals, price, observed_at, day, updated_at, invalid_reason is null as is_valid, invalid_reason,
  block_number, tx_hash, log_index, source_id, fetched_at
from judged
