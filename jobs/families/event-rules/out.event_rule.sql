-- One published rule of an event type.
-- kind: full   grain: type, place
select type, place, role, name, value, unit, policy_version from policy.event_rule
