-- One stablecoin whose deviation is a signal.
-- kind: view   grain: symbol
select symbol from landing.regime_stablecoin_policy
