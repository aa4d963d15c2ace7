-- Every constant of the yield formulas: one row.
-- kind: view   grain: min_categories
select * from landing.yield_policy
