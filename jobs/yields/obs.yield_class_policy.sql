-- How safe one class of assets counts, 0 to 100.
-- kind: view   grain: asset_class
select asset_class, score from landing.yield_class_policy
