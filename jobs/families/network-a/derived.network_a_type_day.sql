-- The transactions of one type (EIP-2718) on one UTC day, each a contract creation, a contract call or a transfer to an externally owned
-- account. A transaction is a call if it has call data, or used more gas than the 21,000 of a plain transfer.
-- kind: window   grain: network, day, tx_type   time: day   order: day, network, tx_type
with sorted as (
  select
    network, day, tx_type, is_creation,
    not is_creation and (has_input or coalesce(gas_used, 0) > 21000) as is_contract_call
  from obs.network_a_transaction
  where observed_at >= @start and observed_at < @end
)
select
  network, day, tx_type,
  count(*) as transactions,
  cast(count(*) filter (where is_creation) as bigint) as creations,
  cast(count(*) filter (where not is_creation and not is_contract_call) as bigint) as transfers,
  cast(count(*) filter (where is_contract_call) as bigint) as contract_calls
from sorted
group by network, day, tx_type
union all
select network, day, tx_type, transactions, creations, transfers, contract_calls
from derived.network_a_summary_day
where day >= @start and day < @end
