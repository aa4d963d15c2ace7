-- A risk-factor score of a yield opportunity that dropped past a threshold since the previous snapshot or the last close of an earlier
-- day, at the observation that showed it. Doubts: the day before has no close (close_missing), the observation is marked as an outlier
-- (outlier), or too little was known for a risk score (score_unknown).
-- kind: event   grain: event_key
with breach as (
  select * from derived.yield_breach where breached_at >= @start and breached_at < @end
),
closed as (
  select opportunity_id, day from derived.yield_day where day >= @start - 172800 and day < @end
),
seen as (
  select s.opportunity_id, s.observed_at, s.risk_score is null as is_unscored, coalesce(o.is_outlier, false) as is_outlier
  from derived.yield_state s
  join obs.yield_pool o on o.opportunity_id = s.opportunity_id and o.observed_at = s.observed_at
  where s.observed_at >= @start and s.observed_at < @end and o.observed_at >= @start and o.observed_at < @end
)
select
  concat(b.opportunity_id, '|', b.category, '|', b.severity, '|', cast(b.day as varchar)) as event_key,
  b.breached_at as event_at,
  b.severity,
  'fresh' as freshness_status,
  b.chain,
  b.venue as protocol,
  concat('risk:', b.opportunity_id, ':', b.category) as subject_id,
  array_join(
    array_remove(
      array[
        case when c.day is null then 'close_missing' else '' end,
        case when s.is_outlier then 'outlier' else '' end,
        case when s.is_unscored then 'score_unknown' else '' end
      ],
      ''
    ),
    ','
  ) as doubts,
  b.opportunity_id as data_opportunity_id,
  b.category as data_category,
  b.old_score as data_old_score,
  b.new_score as data_new_score,
  b.delta as data_delta,
  b.threshold as data_threshold,
  b.chain as data_chain,
  b.venue as data_protocol,
  replace(cast(cast(from_unixtime(b.breached_at) as timestamp(0)) as varchar), ' ', 'T') || 'Z' as data_detected_at
from breach b
left join closed c on c.opportunity_id = b.opportunity_id and c.day = b.day - 86400
left join seen s on s.opportunity_id = b.opportunity_id and s.observed_at = b.breached_at
