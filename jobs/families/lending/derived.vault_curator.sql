-- One curator as its registry currently describes it.
-- kind: full   grain: curator
select curator, name, is_verified, addresses
from (
  select *, row_number() over (partition by curator order by observed_at desc) as place
  from obs.vault_curator
  where observed_at <= @now
) ranked
where place = 1
