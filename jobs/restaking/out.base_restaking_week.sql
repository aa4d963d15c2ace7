-- One base protocol on one of the last seven days (4.15).
-- kind: full   grain: name, day
select
  w.name, w.day, w.total_restaked_native, w.total_restaked_usd, w.total_staked_native, w.total_staked_usd,
  w.strategy_count, w.deployed_pods, w.observed_at as timestamp
from derived.restaking_record w
join obs.base_restaking_policy b on b.name = w.name
where w.is_base and w.day >= @now - @now % 86400 - 518400 and w.day <= @now
