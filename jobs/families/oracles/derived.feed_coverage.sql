-- The coverage of one feed now: every feed of the registry, and every feed that appears only in rounds. The freshness of a feed is
-- unverifiable while its market is closed and, unless it is known to be stale, while its live source is overdue or has read past a gap
-- after the feed's last update, or while its last round is invalid. verdict_reason says why a feed is not fresh; the doubt round_went_back
-- that the last answer has a lower id than an earlier one of its phase. rounds_gap: why no round of the feed is known, if its rounds were
-- refused or not delivered.
-- kind: full   grain: chain, scope, scope_id
with history as (
  select
    chain, feed_address, rows_present, first_at, last_at, invalid_reason, invalid_since_at, last_round_id, highest_round_id
  from derived.feed_state
  where day = @now - @now % 86400
),
standing as (
  select chain, feed_address, max_by(staleness_status, assessed_at) as staleness_status
  from derived.feed_status
  where day = @now - @now % 86400 and assessed_at <= @now
  group by chain, feed_address
),
open_market as (
  select market_hours
  from derived.market_opening
  where opened_at <= @now and closes_at > @now
),
undelivered as (
  select subject, max(reason) as reason
  from policy.delivery_gap
  where table_name = 'feed_round'
    and reason <> 'no_source'
  group by subject
),
feed as (
  select
    coalesce(f.chain, h.chain) as chain,
    coalesce(f.feed_address, h.feed_address) as feed_address,
    f.pair, f.category, f.heartbeat_s,
    f.chain is not null as has_metadata,
    coalesce(h.rows_present, 0) as rows_present,
    h.first_at, h.last_at, h.invalid_reason, h.invalid_since_at,
    coalesce(f.reports_rounds, true) as reports_rounds,
    -- Ids of one phase of a proxy are closer than 2^63 to each other. Only ids that have gone back are read as numbers, which is slow.
    case
      when coalesce(f.reports_rounds, true) and lpad(h.last_round_id, 38, '0') < h.highest_round_id
        then cast(h.highest_round_id as decimal(38, 0)) - cast(h.last_round_id as decimal(38, 0)) < cast(9223372036854775807 as decimal(38, 0))
      else false
    end
      as has_gone_back,
    f.market_hours in (select market_hours from open_market) as is_market_open,
    f.is_market_modelled,
    case when h.chain is null then coalesce(o.reason, (select reason from undelivered where subject is null)) end as rounds_gap
  from derived.feed f
  full outer join history h on h.chain = f.chain and h.feed_address = f.feed_address
  left join undelivered o on o.subject = concat(f.chain, '|', f.feed_address)
),
reading as (
  select
    r.chain, r.feed_address,
    max(r.overdue_at) < @now
      or h.last_at >= min(r.read_from_at)
      and coalesce(max(case when h.last_at between r.read_from_at and r.read_through_at then r.read_through_at end), h.last_at)
        < max(r.read_through_at) as is_unread
  from derived.feed_span r
  join history h on h.chain = r.chain and h.feed_address = r.feed_address
  group by r.chain, r.feed_address, h.last_at
),
judged as (
  select
    e.*,
    case
      when not e.has_metadata then 'unknown'
      when e.heartbeat_s is null or not e.is_market_modelled then 'unverifiable'
      when e.rows_present = 0 then 'unknown'
      when e.invalid_reason is not null and coalesce(s.staleness_status, 'unknown') <> 'stale' then 'unverifiable'
      when not e.is_market_open then 'unverifiable'
      when coalesce(u.is_unread, false) and coalesce(s.staleness_status, 'unknown') <> 'stale' then 'unverifiable'
      else coalesce(s.staleness_status, 'unknown')
    end as verdict,
    case
      when not e.has_metadata then 'not_registered'
      when e.rounds_gap is not null then e.rounds_gap
      when e.invalid_reason is not null then e.invalid_reason
      when not e.reports_rounds then 'no_rounds'
      when e.heartbeat_s is null then 'no_heartbeat'
      when not e.is_market_modelled then 'hours_unknown'
      when e.rows_present = 0 then 'never_answered'
      when not e.is_market_open then 'market_closed'
      when coalesce(s.staleness_status, 'unknown') = 'stale' then 'no_update'
      when coalesce(u.is_unread, false) then 'not_read'
      when s.staleness_status = 'fresh' then null
      else 'not_judged'
    end as verdict_reason
  from feed e
  left join standing s on s.chain = e.chain and s.feed_address = e.feed_address
  left join reading u on u.chain = e.chain and u.feed_address = e.feed_address
)
select
  chain,
  'oracle_feed' as scope,
  feed_address as scope_id,
  coalesce(pair, feed_address) as label,
  has_metadata and category <> 'unclassified' as classified,
  has_metadata, heartbeat_s, rows_present, first_at, last_at as last_update_at, verdict, verdict_reason, invalid_reason,
  invalid_since_at, rounds_gap, case when has_gone_back then 'round_went_back' else '' end as doubts,
  not has_metadata as is_missing_metadata,
  has_metadata and rows_present = 0 as is_missing_history,
  verdict = 'stale' as is_stale,
  verdict = 'unverifiable' as is_unverifiable
from judged
