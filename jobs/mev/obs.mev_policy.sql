-- From which extraction on a sandwich is large, one row.
-- kind: view   grain: sandwich_large_usd
select sandwich_large_usd from landing.mev_policy
