-- The settings that shape governance figures, one row, in seconds.
-- kind: view   grain: participation_s
select participation_s, silence_s from landing.governance_policy
