-- One component of one protocol on one UTC day: its score or gap, its weight, the hash of its input figures, and the day of the oldest of
-- them, which is null if all figures are of the day itself or hold until the source reports otherwise.
-- kind: window   grain: protocol, component, day   time: day   order: day, protocol, component
with dated as (
  select 'liquidity' as component, protocol, day, score, gap, reason, inputs, oldest_day
  from derived.overall_liquidity where day >= @start and day < @end
  union all
  select 'security' as component, protocol, day, score, gap, reason, inputs, cast(null as bigint) as oldest_day
  from derived.overall_security where day >= @start and day < @end
  union all
  select 'decentralization' as component, protocol, day, score, gap, reason, inputs, oldest_day
  from derived.overall_decentralization where day >= @start and day < @end
  union all
  select 'tokenomics' as component, protocol, day, score, gap, reason, inputs, oldest_day
  from derived.overall_tokenomics where day >= @start and day < @end
  union all
  select 'development' as component, protocol, day, score, gap, reason, inputs, cast(null as bigint) as oldest_day
  from derived.overall_development where day >= @start and day < @end
  union all
  select 'social' as component, protocol, day, score, gap, reason, inputs, cast(null as bigint) as oldest_day
  from derived.overall_social where day >= @start and day < @end
)
select
  t.component, t.protocol, t.day, t.score, t.gap, t.reason, c.weight_bps, t.inputs,
  lower(to_hex(sha256(to_utf8(t.inputs)))) as input_hash,
  case when t.score is not null then t.oldest_day end as oldest_day
from dated t
join policy.overall_component c on c.component = t.component
