-- One observation that set off an alarm of a market, with the market's protocol as known at the time and the doubts, separated by commas:
-- the market is in no registry; no feed is known behind it; one of its feeds was stale at that second, or could not be judged; the state
-- contradicts itself.
-- kind: window   grain: chain, market_id, measure, observed_at   time: observed_at   order: day, chain, market_id, measure, observed_at
with step as (
  select chain, market_id, measure, observed_at, day
  from derived.market_step
  where edge = 'start' and is_observation and observed_at >= @start and observed_at < @end
),
standing as (
  select
    s.chain, s.market_id, s.measure, s.observed_at, o.feed_address,
    coalesce(max_by(f.staleness_status, f.assessed_at), 'unknown') as staleness_status
  from step s
  join derived.market_oracle o
    on o.chain = s.chain and o.market_id = s.market_id and o.valid_from <= s.observed_at and o.valid_to > s.observed_at
  left join derived.feed_status f
    on f.chain = o.chain and f.feed_address = o.feed_address and f.day = s.day and f.assessed_at <= s.observed_at
  group by s.chain, s.market_id, s.measure, s.observed_at, o.feed_address
),
backing as (
  select
    chain, market_id, measure, observed_at, count(*) filter (where staleness_status = 'stale') as stale_feeds,
    count(*) filter (where staleness_status not in ('fresh', 'stale')) as unverifiable_feeds
  from standing
  group by chain, market_id, measure, observed_at
)
select
  s.chain, s.market_id, s.measure, s.observed_at, s.day, m.protocol,
  substr(concat(
    case when m.chain is null then ',market_unregistered' else '' end,
    case when b.stale_feeds > 0 then ',oracle_stale' else '' end,
    case when b.chain is null then ',oracle_unknown' else '' end,
    case when b.unverifiable_feeds > 0 then ',oracle_unverifiable' else '' end,
    case when o.is_contradictory then ',state_contradictory' else '' end
  ), 2) as doubts
from step s
left join obs.market_state o on o.chain = s.chain and o.market_id = s.market_id and o.observed_at = s.observed_at
left join backing b
  on b.chain = s.chain and b.market_id = s.market_id and b.measure = s.measure and b.observed_at = s.observed_at
left join derived.lending_market m
  on m.chain = s.chain and m.market_id = s.market_id and m.valid_from <= s.observed_at and m.valid_to > s.observed_at
