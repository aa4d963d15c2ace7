-- Protocols without a participation rate, which needs a reported electorate at least as large as the number of voters.
-- verdict: warn
select
  concat(
    protocol, ': ',
    case
      when coalesce(possible_voters, 0) = 0 then 'no source reports how many may vote'
      else concat(
        cast(recent_voters as varchar), ' voted in ', cast(participation_days as varchar), ' days, and ',
        cast(possible_voters as varchar), ' are reported to be able to'
      )
    end,
    ', participation_rate is missing'
  ) as reason,
  -- A record has eighteen figures, and this is one of them.
  round(1e0 / 18, 4) as weight
from derived.governance_record
where day = @now - @now % 86400 and participation_rate is null
