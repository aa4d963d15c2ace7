-- The state that the detectors of one pegged asset resume from: the state after its last observation, how far its recovery is, and the
-- feeds that price it or its reference, each with its last answer.
-- kind: full   grain: chain, asset_name, quote
with step as (
  select
    *, row_number() over (partition by chain, symbol, quote, asset_id order by observed_at desc, place desc) as recency
  from derived.peg_step
  where day = @now - @now % 86400 and observed_at <= @now
),
recovery as (
  select
    *, row_number() over (partition by chain, symbol, quote, asset_id order by observed_at desc, place desc) as recency
  from derived.peg_recovery
  where day = @now - @now % 86400 and observed_at <= @now
),
source as (
  select chain, symbol, quote, asset_id, feed_address, min(pool_address) as pool_address
  from derived.peg_source
  where speaks_from <= @now and speaks_to > @now
  group by chain, symbol, quote, asset_id, feed_address
),
pooled as (
  select r.chain, r.pool, r.symbol, max_by(r.units, r.observed_at) as units
  from derived.pool_reserve r
  cross join policy.pools p
  where r.observed_at <= @now and r.observed_at > @now - p.state_max_age_s
  group by r.chain, r.pool, r.symbol
),
listed as (
  select
    p.chain, p.symbol, p.quote, p.asset_id,
    array_agg(
      cast(
        row(
          v.feed_address, v.provider, v.base, v.quote, nullif(v.asset_id, ''), v.source_kind,
          case when v.source_kind = 'pool' then d.units end, v.heartbeat_s, v.deviation_bps, v.market_hours, s.first_at, s.last_at, s.last_round_id, s.last_answer, s.last_decimals, s.last_price, c.verdict
        )
        as row(
          feed_address varchar, provider varchar, base varchar, quote varchar, asset_id varchar, source_kind varchar,
          pool_units double, heartbeat_s bigint, deviation_bps double, market_hours varchar, first_at bigint, last_at bigint, round_id varchar, answer varchar, decimals bigint,
          price double, status varchar
        )
      )
      order by v.feed_address
    ) as feeds
  from source p
  join derived.feed_version v
    on v.chain = p.chain and v.feed_address = p.feed_address and v.valid_from <= @now and v.valid_to > @now
  join derived.feed_state s on s.chain = p.chain and s.feed_address = p.feed_address
  left join pooled d
    on d.chain = p.chain and d.pool = p.pool_address and d.symbol = case when v.base = p.quote then v.quote else v.base end
  join derived.feed_coverage c on c.chain = p.chain and c.scope_id = p.feed_address
  where s.day = @now - @now % 86400 and s.last_at is not null
  group by p.chain, p.symbol, p.quote, p.asset_id
)
select
  concat('peg:', s.chain, ':', a.asset_name) as subject_id, s.chain, a.asset_name, s.symbol, s.quote, nullif(s.asset_id, '') as asset_id,
  s.observed_at, s.zone, s.run_length, s.run_started_at, s.worst_zone, s.worst_run_length, s.worst_run_started_at, s.level,
  s.is_depegged, s.is_doubted, s.is_open, s.since_at, s.sources,
  split(s.live_set, ',') as live_feeds, s.covers_to, r.ended_at, r.is_in_stay, r.stay_started_at, r.recovered_at, l.feeds
from step s
join derived.peg_asset a
  on a.chain = s.chain and a.symbol = s.symbol and a.quote = s.quote and a.asset_id = s.asset_id
join listed l
  on l.chain = s.chain and l.symbol = s.symbol and l.quote = s.quote and l.asset_id = s.asset_id
left join recovery r
  on r.chain = s.chain and r.symbol = s.symbol and r.quote = s.quote and r.asset_id = s.asset_id and r.recency = 1
where s.recency = 1
