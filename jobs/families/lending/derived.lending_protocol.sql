-- One protocol as its registry currently describes it.
-- kind: full   grain: protocol
select protocol, name, category, observed_at
from (
  select *, row_number() over (partition by protocol order by observed_at desc) as place
  from obs.lending_protocol
  where observed_at <= @now
) ranked
where place = 1
