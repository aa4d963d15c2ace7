-- One grade reached by an anomaly, at the measure that reached it, or by the fall of a redemption rate (its baseline is the rate before,
-- its score the multiple of the fall that is reported). Extraction has its own event type. The storm guard counts by kind of
-- anomaly and entity, because every anomaly is a separate subject. Doubts: the value fell to 0, which may just as well be a fault of the
-- source (value_zero); the reading it is compared with is older than the policy allows (reading_old); the feed of the redemption rate had
-- gone back (round_went_back, derived.reference_doubt).
-- kind: event   grain: event_key
with anomaly as (
  select
    *,
    split_part(entity, '|', 1) as chain_part,
    split_part(entity, '|', 2) as protocol_part,
    split_part(entity, '|', 3) as last_part,
    concat(
      anomaly_type, ':', replace(entity, '|', ':'), ':', cast(period_at as varchar),
      case when item = '' then '' else concat(':', item) end
    ) as anomaly_id,
    replace(substr(cast(cast(from_unixtime(observed_at) as timestamp) as varchar), 1, 19), ' ', 'T') as observed_text
  from derived.anomaly
  where metric <> 'mev' and observed_at >= @start and observed_at < @end
),
-- A figure is compared with a reading of the day before, so no relevant reading is older than two days.
reading as (
  select 'tvl' as metric, entity, observed_at, observed_at + 1 as known_from
  from obs.tvl_reading where observed_at >= @start - 172800 and observed_at < @end
  union all
  select 'flow' as metric, entity, observed_at, observed_at as known_from
  from obs.tvl_reading where observed_at >= @start - 172800 and observed_at < @end
  union all
  select 'concentration' as metric, entity, observed_at, observed_at + 1 as known_from
  from obs.holder_concentration where observed_at >= @start - 172800 and observed_at < @end
),
dated as (
  select a.metric, a.entity, a.observed_at, a.observed_at - max(r.observed_at) as reading_age_s
  from (select distinct metric, entity, observed_at from anomaly) a
  join reading r on r.metric = a.metric and r.entity = a.entity and r.known_from <= a.observed_at
  group by a.metric, a.entity, a.observed_at
),
rate_fall as (
  select
    f.*,
    concat('redemption_rate_drop:', f.chain, ':', asset_name, ':', f.feed_address, ':', cast(observed_at as varchar)) as anomaly_id,
    replace(substr(cast(cast(from_unixtime(observed_at) as timestamp) as varchar), 1, 19), ' ', 'T') as observed_text,
    coalesce(b.doubts, '') as doubts
  from derived.reference_fall f
  left join derived.reference_doubt b
    on b.chain = f.chain and b.feed_address = f.feed_address and b.doubted_at = f.observed_at
  where observed_at >= @start and observed_at < @end
)
select
  concat(anomaly_id, '|', grade) as event_key,
  a.observed_at as event_at,
  grade as severity,
  case when d.reading_age_s > p.reading_max_age_s then 'stale' else 'fresh' end as freshness_status,
  nullif(chain_part, '') as chain,
  nullif(protocol_part, '') as protocol,
  concat('anomaly:', anomaly_id) as subject_id,
  concat(anomaly_type, '|', a.entity) as guard_subject,
  array_join(
    array_remove(
      array[
        case when d.reading_age_s > p.reading_max_age_s then 'reading_old' else '' end,
        case when a.metric = 'tvl' and metric_value = 0 then 'value_zero' else '' end
      ],
      ''
    ),
    ','
  ) as doubts,
  anomaly_id as data_anomaly_id,
  anomaly_type as data_anomaly_type,
  grade as data_severity,
  case when a.metric <> 'concentration' then nullif(last_part, '') end as data_pool_id,
  nullif(chain_part, '') as data_chain,
  nullif(protocol_part, '') as data_protocol,
  wallet_id as data_wallet_id,
  case when a.metric = 'concentration' then nullif(last_part, '') end as data_entity_id,
  case anomaly_type
    when 'tvl_drop' then 'Value locked fell far against the day before'
    when 'tvl_spike' then 'Value locked rose far against the day before'
    when 'flow' then 'The net flow of the day is large for the value locked the day before'
    when 'concentration' then 'The largest holders gained share, more than they usually do in a day'
    else 'A transfer is larger than the largest of a usual day'
  end as data_description,
  score as data_score,
  metric_value as data_metric_value,
  baseline_value as data_baseline_value,
  deviation_pct as data_deviation_pct,
  concat(observed_text, 'Z') as data_detected_at
from anomaly a
cross join policy.anomaly p
left join dated d on d.metric = a.metric and d.entity = a.entity and d.observed_at = a.observed_at
union all
select
  concat(anomaly_id, '|', round_id, '|', grade),
  observed_at,
  grade,
  'fresh',
  chain,
  cast(null as varchar),
  concat('anomaly:', anomaly_id),
  concat('redemption_rate_drop|', chain, '|', asset_name, '|', feed_address),
  doubts,
  anomaly_id,
  'redemption_rate_drop',
  grade,
  cast(null as varchar),
  chain,
  cast(null as varchar),
  cast(null as varchar),
  asset_name,
  concat('The redemption rate ', reference_pair, ' that ', asset_name, ' is measured against fell'),
  round(fall_bps / reference_fall_bps, 4),
  rate,
  rate_before,
  round(-fall_bps / 100, 4),
  concat(observed_text, 'Z')
from rate_fall
