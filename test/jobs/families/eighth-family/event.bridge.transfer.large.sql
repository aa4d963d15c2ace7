-- A transfer that is worth as much as the policy calls large.
-- kind: event   grain: event_key
select
  concat(t.bridge, '|', t.transfer_id) as event_key,
  t.sent_at as event_at,
  'warn' as severity,
  'fresh' as freshness_status,
  concat('bridge:', t.bridge) as subject_id,
  t.bridge as data_bridge,
  t.amount_usd as data_amount_usd,
  p.large_usd as data_threshold_usd
from obs.bridge_transfer t
cross join policy.bridges p
where t.amount_usd >= p.large_usd and t.sent_at >= @start and t.sent_at < @end
