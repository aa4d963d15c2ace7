-- One token that our own feeds price, with the pair of the price and the decimals of its amounts.
-- kind: view   grain: chain, token
select chain, token, pair, decimals from landing.mev_token_policy
