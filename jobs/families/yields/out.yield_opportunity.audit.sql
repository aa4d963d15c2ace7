-- Opportunities whose risk or APY is unreliable, as a share of all opportunities.
-- verdict: warn
with doubt as (
  select
    count(*) as opportunities,
    count(*) filter (where "riskScore" is null) as unscored,
    count(*) filter (where "netApy" is null) as unpaid,
    count(*) filter (where contains(flags, 'stale')) as stale,
    count(*) filter (where contains(flags, 'apy_implausible')) as implausible
  from out.yield_opportunity
)
select concat(cast(unscored as varchar), ' of ', cast(opportunities as varchar), ' opportunities have no risk score') as reason,
  cast(unscored as double) / opportunities as weight
from doubt where unscored > 0
union all
select concat(cast(unpaid as varchar), ' of ', cast(opportunities as varchar), ' opportunities have no APY') as reason,
  cast(unpaid as double) / opportunities as weight
from doubt where unpaid > 0
union all
select concat(cast(stale as varchar), ' of ', cast(opportunities as varchar), ' opportunities were not observed lately') as reason,
  cast(stale as double) / opportunities as weight
from doubt where stale > 0
union all
select concat(cast(implausible as varchar), ' of ', cast(opportunities as varchar), ' opportunities have an APY that is not plausible') as reason,
  cast(implausible as double) / opportunities as weight
from doubt where implausible > 0
order by reason
