-- A participation rate needs a reported electorate that is not smaller than the number of voters.
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
  -- One of the eighteen figures of a record.
  round(1e0 / 18, 4) as weight
from derived.governance_record
where day = @now - @now % 86400 and participation_rate is null
