-- Figures of base protocols that no source reports, and base protocols without a record.
-- verdict: warn
with record as (
  select
    b.name,
    count(*) over () as records,
    w.name is null as is_missing,
    concat(
      case when w.total_restaked_native is null then ', total_restaked_native' else '' end,
      case when w.total_restaked_usd is null then ', total_restaked_usd' else '' end,
      case when w.total_staked_native is null then ', total_staked_native' else '' end,
      case when w.total_staked_usd is null then ', total_staked_usd' else '' end,
      case when w.strategy_count is null then ', strategy_count' else '' end,
      case when w.deployed_pods is null then ', deployed_pods' else '' end
    ) as gaps
  from policy.base_restaking b
  left join out.base_restaking_week w on w.name = b.name
)
select
  case
    when is_missing then concat(name, ': no day of the last seven is known')
    else concat(name, ': not known on ', cast(count(*) as varchar), ' days: ', substr(gaps, 3))
  end as reason,
  case
    when is_missing then 1e0
    -- Six figures; each gap has one comma.
    else cast((length(gaps) - length(replace(gaps, ',', ''))) * count(*) as double) / 6
  end / records as weight
from record
where gaps <> ''
group by name, records, is_missing, gaps
order by reason
