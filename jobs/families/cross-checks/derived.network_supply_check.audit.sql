-- Networks for which another source reports a different supply, as a share of the networks compared.
-- verdict: warn   reaches: out.network_a_network_statistic
with judged as (
  select
    source, count(*) as compared,
    count(*) filter (where is_apart) as apart,
    array_join(array_agg(case when is_apart then subject end order by subject), ', ') as subjects
  from derived.network_supply_check
  group by source
)
select
  concat(source, ' disagrees about the supply of ', cast(apart as varchar), ' of ', cast(compared as varchar), ' networks: ', subjects) as reason,
  cast(apart as double) / compared as weight
from judged
where apart > 0
order by reason
