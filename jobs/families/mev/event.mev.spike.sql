-- An hour with more extraction than usual, at the block that exceeded the limit: once per hour, whatever grade it reaches later. Doubt: a
-- block of the hour so far, or the whole previous hour, is missing (blocks_missing), so this hour, and perhaps the hours that it is
-- compared with, are only partly known.
-- kind: event   grain: event_key
with spike as (
  select
    *,
    split_part(entity, '|', 1) as chain,
    concat('mev_spike:', split_part(entity, '|', 1), ':', cast(period_at as varchar)) as anomaly_id,
    replace(substr(cast(cast(from_unixtime(observed_at) as timestamp) as varchar), 1, 19), ' ', 'T') as observed_text
  from derived.anomaly
  where metric = 'mev' and is_first and observed_at >= @start and observed_at < @end
),
block as (
  select chain, block_number, observed_at from obs.mev_block where observed_at >= @start - 7200 and observed_at < @end
),
covered as (
  select
    s.anomaly_id,
    max(b.block_number) - max(case when b.observed_at < s.period_at then b.block_number end) as blocks,
    count(*) filter (where b.observed_at >= s.period_at) as blocks_seen
  from spike s
  join block b on b.chain = s.chain and b.observed_at >= s.period_at - 3600 and b.observed_at <= s.observed_at
  group by s.anomaly_id
)
select
  s.anomaly_id as event_key,
  observed_at as event_at,
  'high' as severity,
  'fresh' as freshness_status,
  chain,
  cast(null as varchar) as protocol,
  concat('anomaly:', s.anomaly_id) as subject_id,
  concat('mev_spike|', entity) as guard_subject,
  case when coalesce(c.blocks > c.blocks_seen, true) then 'blocks_missing' end as doubts,
  s.anomaly_id as data_anomaly_id,
  'mev_spike' as data_anomaly_type,
  'high' as data_severity,
  cast(null as varchar) as data_pool_id,
  chain as data_chain,
  cast(null as varchar) as data_protocol,
  cast(null as varchar) as data_wallet_id,
  cast(null as varchar) as data_entity_id,
  'More was extracted from users in this hour than in a usual one' as data_description,
  score as data_score,
  metric_value as data_metric_value,
  baseline_value as data_baseline_value,
  deviation_pct as data_deviation_pct,
  concat(observed_text, 'Z') as data_detected_at
from spike s
left join covered c on c.anomaly_id = s.anomaly_id
