-- Every day of the week that is over is whole.
-- verdict: warn
select
  concat(
    network, ' ', substr(cast(cast(from_unixtime(day) as timestamp(0)) as varchar), 1, 10), ' is partial:',
    case when starts_late then ' its first blocks are not there;' else '' end,
    case when ends_early then ' its last blocks are not there;' else '' end,
    case when missing_blocks > 0 then concat(' ', cast(missing_blocks as varchar), ' blocks between are missing;') else '' end,
    case when missing_transactions > 0 then concat(' ', cast(missing_transactions as varchar), ' transactions are missing;') else '' end
  ) as reason,
  round(least(missing_s / 604800, 1e0), 4) as weight
from derived.network_a_completeness
where is_partial and not is_running
