-- One pegged asset with its bands, confirmation and recovery rules. An empty id or chain stands for any.
-- kind: view   grain: symbol, quote, asset_id, chain
select * from landing.peg_asset_policy
