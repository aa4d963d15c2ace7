-- Security of one protocol on one UTC day (decision 2) from the registry as known then: age, audits, incidents (which fade), and open flags
-- for risky parameters. Without a deployment date or a recent review the day is a gap: a missing review does not mean a clean record.
-- kind: window   grain: protocol, day   time: day   order: day, protocol
with known as (
  select
    protocol, fact, title, day as first_day, happened_at, ended_at, severity,
    row_number() over (partition by protocol, fact, title, day order by observed_at desc) as place
  from obs.overall_security
  where observed_at < @end
),
valid as (
  select
    protocol, fact, title, first_day, happened_at, ended_at, severity,
    lead(first_day, 1, @end - 1 - (@end - 1) % 86400 + 86400) over (partition by protocol, fact, title order by first_day) as until_day
  from known
  where place = 1
),
standing as (
  select
    d.protocol, d.day, v.fact, v.happened_at,
    (d.day - (v.happened_at - v.happened_at % 86400)) / 86400 as age_days,
    n.penalty
  from derived.overall_protocol_day d
  join valid v
    on v.protocol = d.protocol and v.first_day <= d.day and v.until_day > d.day
    and v.happened_at < d.day + 86400 and (v.ended_at is null or v.ended_at >= d.day + 86400)
  left join policy.overall_penalty n on n.fact = v.fact and n.severity = v.severity
  where d.day >= @start and d.day < @end
),
counted as (
  select
    s.protocol, s.day,
    cast(max(case when s.fact = 'deployment' then s.age_days end) as bigint) as age_days,
    count(*) filter (where s.fact = 'audit' and s.happened_at >= s.day + 86400 - p.audit_s) as audits,
    count(*) filter (where s.fact = 'incident') as incidents,
    count(*) filter (where s.fact = 'parameter_flag') as flags,
    count(*) filter (where s.fact = 'review' and s.happened_at >= s.day + 86400 - p.review_s) as reviews,
    coalesce(sum(
      case
        when s.fact = 'incident'
          then exact_decimal(s.penalty * power(2e0, -cast(s.age_days as double) / p.incident_half_life_days), 38, 12)
      end
    ), 0) as incident_penalty,
    coalesce(sum(case when s.fact = 'parameter_flag' then exact_decimal(s.penalty, 38, 12) end), 0) as flag_penalty
  from standing s
  cross join policy.overall p
  group by s.protocol, s.day
),
judged as (
  select
    d.protocol, d.day, c.age_days, c.audits, c.incidents, c.flags, c.incident_penalty, c.flag_penalty,
    case
      when c.protocol is null then 'no_data'
      when c.age_days is null then 'not_deployed'
      when c.reviews = 0 then 'not_reviewed'
    end as gap
  from derived.overall_protocol_day d
  left join counted c on c.protocol = d.protocol and c.day = d.day
  where d.day >= @start and d.day < @end
)
select
  j.protocol, j.day,
  case
    when j.gap is null then round(
      (
        p.age_weight * least(cast(j.age_days as double) / p.full_age_days, 1e0)
        + p.audits_weight * least(cast(j.audits as double) / p.full_audits, 1e0)
        + p.incidents_weight * greatest(1 - exact_double(j.incident_penalty), 0e0)
        + p.flags_weight * greatest(1 - exact_double(j.flag_penalty), 0e0)
      ) / (p.age_weight + p.audits_weight + p.incidents_weight + p.flags_weight),
      6
    )
  end as score,
  j.gap,
  case j.gap
    when 'no_data' then 'the security registry does not have it'
    when 'not_deployed' then 'the security registry has no date of deployment'
    when 'not_reviewed'
      then concat('its security registry has not been reviewed for ', cast(cast(p.review_s / 86400 as bigint) as varchar), ' days')
  end as reason,
  case
    when j.gap is null then concat(
      'age_days=', cast(j.age_days as varchar),
      ';audits=', cast(j.audits as varchar),
      ';flag_penalty=', cast(cast(j.flag_penalty as decimal(38, 6)) as varchar),
      ';flags=', cast(j.flags as varchar),
      ';incident_penalty=', cast(cast(j.incident_penalty as decimal(38, 6)) as varchar),
      ';incidents=', cast(j.incidents as varchar)
    )
  end as inputs
from judged j
cross join policy.overall p
