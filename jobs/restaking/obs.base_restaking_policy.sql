-- One base protocol, on which others build.
-- kind: view   grain: name
select name from landing.base_restaking_policy
