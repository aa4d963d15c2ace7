-- Impossible scores: a component or record outside 0 to 1, with neither or both of score and gap, or without exactly six components.
select protocol, day, component as problem
from derived.overall_component
where day >= @start and day < @end
  and (score < 0 or score > 1 or is_nan(score) or (score is null) = (gap is null) or (score is null) <> (inputs is null))
union all
select protocol, day, 'record' as problem
from derived.overall_day
where day >= @start and day < @end and (score < 0 or score > 1 or (score is null) = (gap is null))
union all
select protocol, day, 'not six components' as problem
from derived.overall_component
where day >= @start and day < @end
group by protocol, day
having count(*) <> 6
