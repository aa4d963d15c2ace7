-- One sandwich of the last seven days. is_large is null without a price.
-- kind: full   grain: chain, block_number, pool_id, front_index
select
  s.chain, s.block_number, s.pool_id, s.front_index, s.observed_at, s.protocol, s.sender, s.same_by, s.front_tx, s.back_tx,
  split(s.front_txs, ',') as front_txs, split(s.back_txs, ',') as back_txs, split(s.victim_txs, ',') as victim_txs, s.token, round(s.extracted, 6) as extracted, s.covered_share, s.extracted_usd, s.priced_by,
  s.extracted_usd >= p.sandwich_large_usd as is_large,
  case when s.extracted_usd is null then 'no_price' end as gap
from derived.mev_sandwich s
cross join policy.mev p
where s.day >= @now - @now % 86400 - 518400 and s.observed_at <= @now
