-- The transactions of one type in one interval of a day, from a summary, amounts in wei.
-- kind: append   grain: network, observed_at, tx_type   time: observed_at   order: day, network, observed_at, tx_type
select
  network, observed_at, observed_at - observed_at % 86400 as day, tx_type,
  transactions, creations, contract_calls, transfers,
  cast(fee_cap_min * 1e9 as decimal(38, 0)) as fee_cap_min_wei, cast(fee_cap_max * 1e9 as decimal(38, 0)) as fee_cap_max_wei,
  cast(fee_cap_total * 1e9 as decimal(38, 0)) as fee_cap_total_wei,
  cast(tip_cap_min * 1e9 as decimal(38, 0)) as tip_cap_min_wei, cast(tip_cap_max * 1e9 as decimal(38, 0)) as tip_cap_max_wei,
  cast(tip_cap_total * 1e9 as decimal(38, 0)) as tip_cap_total_wei,
  cast(price_min * 1e9 as decimal(38, 0)) as price_min_wei, cast(price_max * 1e9 as decimal(38, 0)) as price_max_wei,
  cast(price_total * 1e9 as decimal(38, 0)) as price_total_wei,
  cast(fee_min * 1e18 as decimal(38, 0)) as fee_min_wei, cast(fee_max * 1e18 as decimal(38, 0)) as fee_max_wei,
  cast(fee_total * 1e18 as decimal(38, 0)) as fee_total_wei,
  cast(saved_min * 1e18 as decimal(38, 0)) as saved_min_wei, cast(saved_max * 1e18 as decimal(38, 0)) as saved_max_wei,
  cast(saved_total * 1e18 as decimal(38, 0)) as saved_total_wei,
  source_id, fetched_at
from landing.network_a_transaction_summary
