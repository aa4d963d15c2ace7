-- One large transfer into, out of or within a protocol.
-- kind: append   grain: chain, tx_hash, log_index   time: observed_at   order: day, entity, observed_at, tx_hash, log_index
select
  chain, tx_hash, log_index, entity, wallet_id, observed_at, observed_at - observed_at % 86400 as day, amount_usd,
  source_id, fetched_at
from landing.whale_transfer
