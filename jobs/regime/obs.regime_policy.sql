-- How often and how surely a regime must be seen, and how long readings stand, one row.
-- kind: view   grain: confirm_evaluations
select * from landing.regime_policy
