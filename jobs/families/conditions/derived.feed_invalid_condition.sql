-- A feed whose last round is invalid now. Its event is the one about the first of these rounds and the first of the markets that the feed
-- backs; a feed that backs no market has an event only if the policy reports such feeds.
-- kind: full   grain: chain, feed_address
with backing as (
  select chain, feed_address, min(market_id) as market_id
  from derived.market_oracle
  where valid_from <= @now and valid_to > @now
  group by chain, feed_address
)
select
  s.chain, s.feed_address, s.invalid_reason, s.invalid_since_at, f.pair, f.base, f.quote, b.market_id,
  case
    when b.market_id is not null or p.is_untracked_reported
      then concat(s.chain, '|', s.feed_address, '|', s.invalid_round_id, case when b.market_id is null then '' else concat('|', b.market_id) end)
  end as event_key
from derived.feed_state s
cross join policy.oracle p
join derived.feed f on f.chain = s.chain and f.feed_address = s.feed_address
left join backing b on b.chain = s.chain and b.feed_address = s.feed_address
where s.day = @now - @now % 86400 and s.invalid_reason is not null
