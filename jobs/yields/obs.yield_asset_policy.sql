-- What backs one asset, where the policy speaks for it.
-- kind: view   grain: symbol
select symbol, asset_class from landing.yield_asset_policy
