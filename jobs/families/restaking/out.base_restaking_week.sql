-- One base protocol on one of the last seven UTC days (4.15, decision 57).
-- kind: full   grain: name, day
with listed as (
  select w.*, max(w.day) over (partition by w.name) as newest_day
  from derived.restaking_record w
  join policy.base_restaking b on b.name = w.name
  where w.is_base and w.day >= @now - @now % 86400 - 604800 and w.day <= @now
)
select
  name, day, total_restaked_native, total_restaked_usd, total_staked_native, total_staked_usd, strategy_count, deployed_pods,
  observed_at as timestamp
from listed
where day > newest_day - 604800
