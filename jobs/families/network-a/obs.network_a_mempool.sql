-- Transactions in a node's mempool at one instant.
-- kind: append   grain: network, observed_at   time: observed_at   order: network, observed_at
select network, observed_at, observed_at - observed_at % 86400 as day, pending, queued, source_id, fetched_at
from landing.network_a_mempool
