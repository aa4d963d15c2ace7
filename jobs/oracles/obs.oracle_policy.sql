-- The service's own limits of staleness, one row: grace, and from which age stale is high and critical.
-- kind: view   grain: grace_s
select * from landing.oracle_policy
