-- The constants that shape overall scores, one row.
-- kind: view   grain: policy_version
select
  depth_floor_usd, depth_full_usd, optimal_utilization, depth_weight, utilization_weight, full_age_days, full_audits,
  incident_half_life_days, age_weight, audits_weight, incidents_weight, flags_weight, voting_weight, operators_weight, holders_weight,
  emissions_weight, damping_messages, carry_s, audit_s, review_s, operator_s, token_s, min_components, min_weight_bps, formula,
  methodology_version, policy_version
from landing.overall_policy
