-- Decentralization of one protocol on one UTC day (decision 2): 1 - normalized HHI of voting power, and of operators as last observed
-- within operator_s. An unknown part is omitted; without both parts the day is a gap. oldest_day: the day on which the operators were
-- observed; voting power has no such day, because days without votes are normal.
-- kind: window   grain: protocol, day   time: day   order: day, protocol
with spell as (
  select
    protocol, day as first_day, operators, hhi,
    lead(day, 1, @end - 1 - (@end - 1) % 86400 + 86400) over (partition by protocol order by day) as until_day
  from derived.overall_operator_set
  -- The policy does not allow a set of operators to apply for longer than 90 days.
  where day >= @start - 7776000 and day < @end and hhi is not null
),
measured as (
  select
    d.protocol, d.day, d.governance_id,
    case when d.day <= g.heard_day + q.silence_s then g.autocracy end as voting_hhi,
    s.operators, s.hhi as operator_hhi, s.first_day as oldest_day
  from derived.overall_protocol_day d
  cross join policy.overall p
  cross join policy.governance q
  left join derived.governance_day g
    on g.protocol = d.governance_id and g.day = d.day and g.day >= @start and g.day < @end
  left join spell s
    on s.protocol = d.protocol and s.first_day <= d.day and s.until_day > d.day and s.first_day > d.day - p.operator_s
  where d.day >= @start and d.day < @end
),
judged as (
  select
    protocol, day, voting_hhi, operators, operator_hhi, oldest_day,
    case
      when voting_hhi is not null or operator_hhi is not null then null
      when governance_id is null then 'not_mapped'
      else 'no_data'
    end as gap
  from measured
)
select
  j.protocol, j.day,
  case
    when j.gap is null then round(
      (
        p.voting_weight * coalesce(1 - j.voting_hhi, 0e0) + p.operators_weight * coalesce(1 - j.operator_hhi, 0e0)
      ) / (
        case when j.voting_hhi is null then 0e0 else p.voting_weight end
        + case when j.operator_hhi is null then 0e0 else p.operators_weight end
      ),
      6
    )
  end as score,
  j.gap,
  case j.gap
    when 'not_mapped' then 'the registry names no governance for it, and no operators are known'
    when 'no_data' then 'neither the spread of voting power nor the operators are known'
  end as reason,
  case
    when j.gap is null then concat(
      case
        when j.operator_hhi is not null then concat(
          'operator_hhi=', cast(exact_decimal(j.operator_hhi, 38, 6) as varchar), ';operators=', cast(j.operators as varchar)
        )
        else ''
      end,
      case when j.operator_hhi is not null and j.voting_hhi is not null then ';' else '' end,
      case when j.voting_hhi is not null then concat('voting_hhi=', cast(exact_decimal(j.voting_hhi, 38, 6) as varchar)) else '' end
    )
  end as inputs,
  j.oldest_day
from judged j
cross join policy.overall p
