-- One market that has a band of utilisation of its own.
-- kind: view   grain: chain, market_id
select * from landing.lending_market_policy
