-- What one incident or open flag of a severity takes away.
-- kind: view   grain: fact, severity
select fact, severity, penalty from landing.overall_penalty_policy
