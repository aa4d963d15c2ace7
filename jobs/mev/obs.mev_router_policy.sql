-- One contract that is open to all.
-- kind: view   grain: contract
select contract from landing.mev_router_policy
