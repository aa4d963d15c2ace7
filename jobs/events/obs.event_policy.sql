-- One value of the policy that decides about an event type.
-- kind: view   grain: type, place
select type, place, role, name, value, unit, policy_version from landing.event_policy
