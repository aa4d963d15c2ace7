-- What one signal weighs, and from which values on it votes for which regime.
-- kind: view   grain: signal
select * from landing.regime_rule_policy
