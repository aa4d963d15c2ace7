-- One transfer over a bridge.
-- kind: append   grain: bridge, transfer_id   time: sent_at   order: sent_at, bridge, transfer_id
select bridge, transfer_id, sent_at, sent_at - sent_at % 86400 as day, amount_usd
from landing.bridge_transfer
