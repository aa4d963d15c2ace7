-- The electorate of one protocol from one instant on: the number of eligible voters, and the supply of tokens.
-- kind: append   grain: protocol, observed_at   time: observed_at   order: observed_at, protocol
select protocol, observed_at, possible_voters, supply_e18, source_id, fetched_at
from landing.governance_electorate
