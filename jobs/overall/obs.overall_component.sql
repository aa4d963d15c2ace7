-- One of the six components: its place in lists, its weight in basis points of 1, and its formula in words.
-- kind: view   grain: component
select component, place, weight_bps, formula from landing.overall_component_policy
