-- Incidents that another source lists and the security registry lacks, as a share of the incidents that the source lists.
-- verdict: warn   reaches: out.overall_score
with judged as (
  select
    source, count(*) as listed,
    count(*) filter (where known = 0) as unknown,
    min(
      case
        when known = 0 then concat(protocol, ' on ', substr(cast(cast(from_unixtime(observed_at) as timestamp(0)) as varchar), 1, 10))
      end
    ) as example
  from derived.incident_check
  group by source
)
select
  concat(
    source, ' lists ', cast(unknown as varchar), ' incidents that the security registry does not have, such as ', example,
    ': review the registry'
  ) as reason,
  cast(unknown as double) / listed as weight
from judged
where unknown > 0
order by reason
