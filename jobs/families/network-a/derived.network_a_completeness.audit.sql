-- Complete days of the week on which blocks or transactions are missing.
-- verdict: warn   reaches: out.network_a_transaction_statistic, out.network_a_network_statistic
with edge as (
  select
    *,
    substr(cast(cast(from_unixtime(first_at) as timestamp(0)) as varchar), 12, 8) as first_time,
    substr(cast(cast(from_unixtime(last_at) as timestamp(0)) as varchar), 12, 8) as last_time
  from derived.network_a_completeness
  where is_partial and not is_running
)
select
  concat(
    network, ' ', substr(cast(cast(from_unixtime(day) as timestamp(0)) as varchar), 1, 10), ' is partial (', cast(blocks as varchar), ' blocks landed)',
    case
      when not starts_late then ''
      when unseen_before > 0 then concat(', about ', cast(unseen_before as varchar), ' blocks are missing before ', first_time)
      else concat(', nothing shows that no block is missing before ', first_time)
    end,
    case
      when not ends_early then ''
      when unseen_after > 0 then concat(', about ', cast(unseen_after as varchar), ' blocks are missing after ', last_time)
      else concat(', nothing shows that no block is missing after ', last_time)
    end,
    case when missing_blocks > 0 then concat(', ', cast(missing_blocks as varchar), ' blocks are missing in between') else '' end,
    case when missing_transactions > 0 then concat(', ', cast(missing_transactions as varchar), ' transactions are missing') else '' end
  ) as reason,
  round(least(missing_s / 86400, 1e0), 4) as weight
from edge
order by network, day
