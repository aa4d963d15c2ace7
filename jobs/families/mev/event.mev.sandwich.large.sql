-- A sandwich that extracted at least what the policy calls large. A sandwich without a price is no event; the dataset lists it.
-- Doubts: the extraction depends on a single price (price_one_sided), or is not large by the second known price (price_disputed); more was
-- sold than was bought in the block (legs_unequal).
-- kind: event   grain: event_key
select
  concat(s.chain, '|', cast(s.block_number as varchar), '|', s.pool_id, '|', s.front_tx, '|', s.back_tx, '|', cast(s.front_index as varchar))
    as event_key,
  s.observed_at as event_at,
  'high' as severity,
  'fresh' as freshness_status,
  s.chain,
  s.protocol,
  concat('pool:', s.chain, ':', s.pool_id) as subject_id,
  nullif(
    substr(concat(
      case when s.covered_share < 1 - p.leg_tolerance then ',legs_unequal' else '' end,
      case
        when s.other_extracted_usd is null then ',price_one_sided'
        when s.other_extracted_usd < p.sandwich_large_usd then ',price_disputed'
        else ''
      end
    ), 2), ''
  ) as doubts,
  s.chain as data_chain,
  s.pool_id as data_pool_id,
  s.block_number as data_block_number,
  s.sender as data_sandwicher,
  s.front_tx as data_front_run_tx,
  split(s.victim_txs, ',') as data_victim_txs,
  s.back_tx as data_back_run_tx,
  s.extracted_usd as data_extracted_usd,
  p.sandwich_large_usd as data_threshold_usd
from derived.mev_sandwich s
cross join policy.mev p
where s.extracted_usd >= p.sandwich_large_usd and s.observed_at >= @start and s.observed_at < @end
