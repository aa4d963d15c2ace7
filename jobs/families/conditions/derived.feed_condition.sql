-- A feed that is stale now. Its event is the one that reported the current grade, about the first of the markets that the feed backs; a
-- feed that backs no market has an event only if the policy reports such feeds.
-- kind: full   grain: chain, feed_address
with last_status as (
  select
    chain, feed_address, assessed_at, grade, staleness_status, threshold_at,
    row_number() over (partition by chain, feed_address order by assessed_at desc) as recency
  from derived.feed_status
  where day = @now - @now % 86400 and assessed_at <= @now
),
standing as (
  select chain, feed_address, grade, threshold_at from last_status where recency = 1 and staleness_status = 'stale'
),
graded as (
  select s.chain, s.feed_address, s.grade, s.threshold_at, max(f.assessed_at) as graded_at
  from standing s
  left join derived.feed_status f
    on f.chain = s.chain and f.feed_address = s.feed_address and f.grade = s.grade and f.is_change and f.assessed_at > s.threshold_at
  group by s.chain, s.feed_address, s.grade, s.threshold_at
),
backing as (
  select chain, feed_address, min(market_id) as market_id, count(distinct market_id) as markets
  from derived.market_oracle
  where valid_from <= @now and valid_to > @now
  group by chain, feed_address
)
select
  g.chain, g.feed_address, g.grade, g.threshold_at, f.provider, f.pair, f.base, f.quote, f.heartbeat_s, p.grace_s, p.stale_high_s,
  p.stale_critical_s, b.market_id, coalesce(b.markets, 0) as markets,
  case
    when g.graded_at is not null and (b.market_id is not null or p.is_untracked_reported) then concat(
      g.chain, '|', g.feed_address, '|', g.grade, '|', cast(g.graded_at as varchar),
      case when b.market_id is null then '' else concat('|', b.market_id) end
    )
  end as event_key
from graded g
cross join policy.oracle p
join derived.feed f on f.chain = g.chain and f.feed_address = g.feed_address
left join backing b on b.chain = g.chain and b.feed_address = g.feed_address
