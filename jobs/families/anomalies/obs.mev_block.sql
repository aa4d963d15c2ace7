-- Value extracted in one block.
-- kind: append   grain: chain, block_number   time: observed_at   order: day, chain, observed_at, block_number
select
  chain, block_number, observed_at, observed_at - observed_at % 86400 as day, extracted_usd, source_id, fetched_at
from landing.mev_block
