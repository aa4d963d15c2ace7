-- Development of one protocol on one UTC day: the development score (decision 5) that the registry names for it.
-- kind: window   grain: protocol, day   time: day   order: day, protocol
select
  d.protocol, d.day,
  round(s.score, 6) as score,
  case when d.development_path is null then 'not_mapped' when s.score is null then 'no_data' end as gap,
  case
    when d.development_path is null then 'the registry names no development score for it'
    when s.score is null then concat('no development score of ', d.development_path)
  end as reason,
  case
    when s.score is not null
      then concat('path=', d.development_path, ';score=', cast(exact_decimal(s.score, 38, 6) as varchar))
  end as inputs
from derived.overall_protocol_day d
left join derived.development_score s
  on s.kind = 'protocol' and s.path = d.development_path and s.day = d.day and s.day >= @start and s.day < @end
where d.day >= @start and d.day < @end
