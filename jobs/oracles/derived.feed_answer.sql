-- One answer of one feed, with the reason why it is invalid: never answered (no_answer), not above 0 (not_positive), computed in an
-- earlier round (answered_earlier), or at a bound of what the feed can give (at_bound). For a feed that reports no rounds by design only the
-- answer counts. Bounds are compared exactly up to 38 digits.
-- kind: view   grain: chain, feed_address, round_id
with limited as (
  select chain, feed_address, valid_from, valid_to, min_answer, max_answer, reports_rounds
  from derived.feed_version
  where min_answer is not null or max_answer is not null or not reports_rounds
),
judged as (
  select
    r.*,
    case
      when coalesce(v.reports_rounds, true) and r.updated_at = 0 then 'no_answer'
      when r.price <= 0 then 'not_positive'
      when not coalesce(v.reports_rounds, true) then null
      when length(r.answered_in_round) < length(r.round_id)
        or (length(r.answered_in_round) = length(r.round_id) and r.answered_in_round < r.round_id) then 'answered_earlier'
      when length(r.answer) <= 38 and length(v.min_answer) <= 38 and cast(r.answer as decimal(38, 0)) <= cast(v.min_answer as decimal(38, 0))
        then 'at_bound'
      when length(r.answer) <= 38 and length(v.max_answer) <= 38 and cast(r.answer as decimal(38, 0)) >= cast(v.max_answer as decimal(38, 0))
        then 'at_bound'
      when (length(r.answer) > 38 or length(v.min_answer) > 38) and cast(r.answer as double) <= cast(v.min_answer as double) then 'at_bound'
      when (length(r.answer) > 38 or length(v.max_answer) > 38) and cast(r.answer as double) >= cast(v.max_answer as double) then 'at_bound'
    end as invalid_reason
  from obs.feed_round r
  left join limited v
    on v.chain = r.chain and v.feed_address = r.feed_address and v.valid_from <= r.observed_at and v.valid_to > r.observed_at
)
select
  chain, feed_address, round_id, answer, decimals, price, observed_at, day, updated_at, invalid_reason is null as is_valid, invalid_reason,
  block_number, tx_hash, log_index, source_id, fetched_at
from judged
