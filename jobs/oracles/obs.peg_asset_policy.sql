-- One pegged asset with its bands, confirmation and recovery rules.
-- kind: view   grain: symbol, quote
select * from landing.peg_asset_policy
