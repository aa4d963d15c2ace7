-- The service's own limits of staleness, one row: grace, from which age stale is high and critical, and whether feeds that back no
-- tracked market are reported too.
-- kind: view   grain: grace_s
select * from landing.oracle_policy
