-- One pair whose price tells the market's volatility.
-- kind: view   grain: pair
select pair from landing.regime_pair_policy
