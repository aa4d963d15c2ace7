-- The electorate of one protocol since one instant: how many may vote, and how many tokens exist.
-- kind: append   grain: protocol, observed_at   time: observed_at   order: observed_at, protocol
select protocol, observed_at, possible_voters, supply_e18, source_id, fetched_at
from landing.governance_electorate
