-- The service's own limits of liquidity, of the age of a state, and of finality where a chain has none of its own: one row.
-- kind: view   grain: spike_at
select * from landing.lending_policy
