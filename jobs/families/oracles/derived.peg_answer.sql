-- One answer of a feed that is a source of a pegged asset or of its reference (known_at is its observed_at), or the last answer of
-- such a feed before one day, carried into it (known_at is the start of the day). Kept apart, so that answers of all other feeds change no
-- table about pegs. An invalid answer (but for a round that was never answered) ends what the feed said before: it has no price.
-- kind: window   grain: chain, feed_address, known_at, is_carried, round_id   time: known_at   order: known_at, chain, feed_address, is_carried, round_id
with feed as (
  select distinct chain, feed_address from derived.peg_source
)
select
  r.chain, r.feed_address, r.observed_at as known_at, false as is_carried, r.observed_at, r.round_id, r.answer, r.decimals,
  r.is_valid, r.block_number, r.tx_hash, r.log_index
from derived.feed_answer r
join feed f on f.chain = r.chain and f.feed_address = r.feed_address
where coalesce(r.invalid_reason, '') <> 'no_answer' and r.observed_at >= @start and r.observed_at < @end
union all
select
  s.chain, s.feed_address, s.day + 86400 as known_at, true as is_carried, s.last_at, s.last_round_id, s.last_answer, s.last_decimals,
  coalesce(s.invalid_reason, 'no_answer') = 'no_answer' as is_valid,
  cast(null as bigint), cast(null as varchar), cast(null as bigint)
from derived.feed_state s
join feed f on f.chain = s.chain and f.feed_address = s.feed_address
where s.day >= @start - 86400 and s.day < @end - 86400 and s.last_at is not null
