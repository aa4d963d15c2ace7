-- One chain and how many seconds after its block a log is final.
-- kind: view   grain: chain
select * from landing.chain_finality
