-- Figures of the week that no source reports, and protocols without any reported figure.
-- verdict: warn
with cell as (
  select
    f.figure,
    case f.figure
      when 'total_restaked_native' then r.total_restaked_native is null
      when 'total_restaked_usd' then r.total_restaked_usd is null
      when 'registered_node_operators' then r.registered_node_operators is null
      when 'staker_rewards' then r.staker_rewards is null
      when 'protocol_fees' then r.protocol_fees is null
      else r.node_operator_fees is null
    end as is_gap
  from out.restaking_week r
  cross join unnest(array[
    'total_restaked_native', 'total_restaked_usd', 'registered_node_operators', 'staker_rewards', 'protocol_fees',
    'node_operator_fees'
  ]) as f(figure)
),
unknown as (
  select figure, count(*) filter (where is_gap) as gaps, count(*) as records
  from cell
  group by figure
),
seen as (
  select distinct name
  from obs.restaking_state
  where observed_at >= coalesce((select max(day) from out.restaking_week) - 518400, @now - @now % 86400 - 604800)
    and observed_at <= @now
),
counted as (
  select s.name, count(*) over () as protocols, r.name is null as is_silent
  from seen s
  left join (select distinct name from out.restaking_week) r on r.name = s.name
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
