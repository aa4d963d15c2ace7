-- An observation or a recovery of a pegged asset while a source of its price or of its reference has gone back: the last valid answer of that
-- feed has a lower id than an earlier one of its phase (round_went_back), by the same rule as in derived.feed_coverage.
-- kind: window   grain: chain, symbol, quote, asset_id, doubted_at   time: doubted_at   order: doubted_at, chain, symbol, quote, asset_id
with peg as (
  select distinct chain, symbol, quote, asset_id, observed_at from derived.peg_source_price where observed_at >= @start and observed_at < @end
  union
  select chain, symbol, quote, asset_id, recovered_at as observed_at
  from derived.peg_recovery
  where is_recovery and recovered_at >= @start and recovered_at < @end
),
source as (
  select p.chain, p.symbol, p.quote, p.asset_id, s.feed_address, p.observed_at as doubted_at
  from peg p
  join derived.peg_source s
    on s.chain = p.chain and s.symbol = p.symbol and s.quote = p.quote and s.asset_id = p.asset_id
    and s.speaks_from <= p.observed_at and s.speaks_to > p.observed_at
),
instant as (
  select distinct chain, feed_address, doubted_at from source
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
),
gone_back as (
  select chain, feed_address, doubted_at
  from known
  -- Ids of one phase of a proxy are closer than 2^63 to each other.
  where last_id < highest_id
    and cast(highest_id as decimal(38, 0)) - cast(last_id as decimal(38, 0)) < cast(9223372036854775807 as decimal(38, 0))
)
select distinct s.chain, s.symbol, s.quote, s.asset_id, s.doubted_at, 'round_went_back' as doubts
from source s
join gone_back b on b.chain = s.chain and b.feed_address = s.feed_address and b.doubted_at = s.doubted_at
