-- An instant at which a feed is judged although it has gone back: its last valid answer has a lower id than an earlier one of its phase
-- (round_went_back), by the same rule as in derived.feed_coverage.
-- kind: window   grain: chain, feed_address, doubted_at   time: doubted_at   order: doubted_at, chain, feed_address
with instant as (
  select chain, feed_address, assessed_at as doubted_at from derived.feed_silence where assessed_at >= @start and assessed_at < @end
  union
  select chain, feed_address, observed_at as doubted_at from derived.feed_invalid where observed_at >= @start and observed_at < @end
  union
  select chain, feed_address, changed_at as doubted_at
  from derived.feed_fingerprint
  where is_reportable and changed_at >= @start and changed_at < @end
),
asked as (
  select i.chain, i.feed_address, i.doubted_at, i.doubted_at - i.doubted_at % 86400 as day
  from instant i
  join derived.feed_version v
    on v.chain = i.chain and v.feed_address = i.feed_address and v.valid_from <= i.doubted_at and v.valid_to > i.doubted_at
  where v.reports_rounds
),
said as (
  select
    a.chain, a.feed_address, a.doubted_at, a.day, max(lpad(r.round_id, 38, '0')) as highest_id,
    -- The last answer by time, then by id.
    substr(max(lpad(cast(r.observed_at as varchar), 12, '0') || lpad(r.round_id, 38, '0')), 13) as last_id
  from asked a
  left join derived.feed_answer r
    on r.chain = a.chain and r.feed_address = a.feed_address and r.day = a.day and r.observed_at <= a.doubted_at and r.is_valid
    and r.observed_at >= @start and r.observed_at < @end
  group by a.chain, a.feed_address, a.doubted_at, a.day
),
known as (
  select
    s.chain, s.feed_address, s.doubted_at,
    coalesce(s.last_id, lpad(f.last_round_id, 38, '0')) as last_id,
    nullif(greatest(coalesce(s.highest_id, ''), coalesce(f.highest_round_id, '')), '') as highest_id
  from said s
  left join derived.feed_state f on f.chain = s.chain and f.feed_address = s.feed_address and f.day = s.day - 86400
)
select chain, feed_address, doubted_at, 'round_went_back' as doubts
from known
-- Ids of one phase of a proxy are closer than 2^63 to each other.
where last_id < highest_id
  and cast(highest_id as decimal(38, 0)) - cast(last_id as decimal(38, 0)) < cast(9223372036854775807 as decimal(38, 0))
