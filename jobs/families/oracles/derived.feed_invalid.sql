-- One invalid round of one feed. is_repeat: the round before it was at a bound too, so nothing new is known.
-- kind: window   grain: chain, feed_address, round_id   time: observed_at   order: observed_at, chain, feed_address, round_id
with faulty as (
  select distinct chain, feed_address
  from derived.feed_answer
  where not is_valid and observed_at >= @start and observed_at < @end
),
ordered as (
  select
    r.chain, r.feed_address, r.observed_at, r.round_id, r.invalid_reason, r.is_valid, s.invalid_reason as carried_reason,
    row_number() over in_order as place,
    lag(r.invalid_reason) over in_order as previous_reason
  from derived.feed_answer r
  join faulty f on f.chain = r.chain and f.feed_address = r.feed_address
  left join derived.feed_state s on s.chain = r.chain and s.feed_address = r.feed_address and s.day = @start - 86400
  where r.observed_at >= @start and r.observed_at < @end
  window in_order as (partition by r.chain, r.feed_address order by r.observed_at, length(r.round_id), r.round_id)
)
select
  chain, feed_address, observed_at, round_id, invalid_reason,
  invalid_reason = 'at_bound' and coalesce(case when place = 1 then carried_reason else previous_reason end, '') = 'at_bound' as is_repeat
from ordered
where not is_valid
