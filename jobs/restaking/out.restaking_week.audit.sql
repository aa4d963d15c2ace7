-- Figures of protocols that no source tells, and protocols of which no source tells any.
-- verdict: warn
with unknown as (
  select 'total_restaked_native' as figure, count_if(total_restaked_native is null) as gaps, count(*) as records
  from out.restaking_week
  union all
  select 'total_restaked_usd' as figure, count_if(total_restaked_usd is null) as gaps, count(*) as records
  from out.restaking_week
  union all
  select 'registered_node_operators' as figure, count_if(registered_node_operators is null) as gaps, count(*) as records
  from out.restaking_week
  union all
  select 'staker_rewards' as figure, count_if(staker_rewards is null) as gaps, count(*) as records
  from out.restaking_week
  union all
  select 'protocol_fees' as figure, count_if(protocol_fees is null) as gaps, count(*) as records
  from out.restaking_week
  union all
  select 'node_operator_fees' as figure, count_if(node_operator_fees is null) as gaps, count(*) as records
  from out.restaking_week
),
seen as (
  select distinct name
  from obs.restaking_state
  where observed_at >= @now - @now % 86400 - 518400 and observed_at <= @now
),
counted as (
  select s.name, count(*) over () as protocols, w.name is null as is_silent
  from seen s
  left join (select distinct name from out.restaking_week) w on w.name = s.name
)
select
  concat(figure, ': not known in ', cast(gaps as varchar), ' of ', cast(records as varchar), ' records') as reason,
  cast(gaps as double) / records / 6 as weight
from unknown
where gaps > 0
union all
select concat(name, ': no figure is known') as reason, 1e0 / protocols as weight
from counted
where is_silent
order by reason
