-- One sandwich of the last seven days.
-- kind: full   grain: chain, block_number, pool_id, front_index
select
  chain, block_number, pool_id, front_index, observed_at, protocol, sender, same_by, front_tx, back_tx,
  split(victim_txs, ',') as victim_txs, token, extracted_usd,
  case when extracted_usd is null then 'no_price' end as gap
from derived.mev_sandwich
where day >= @now - @now % 86400 - 518400 and observed_at <= @now
