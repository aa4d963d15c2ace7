-- The transactions of one type (EIP-2718) on one UTC day, each either a contract creation, a call of a contract or a transfer to an account
-- of a person. Whether code ran shows in call data, or in more gas than the 21,000 of a bare transfer.
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
  cast(count_if(is_creation) as bigint) as creations,
  cast(count_if(not is_creation and not is_contract_call) as bigint) as transfers,
  cast(count_if(is_contract_call) as bigint) as contract_calls
from sorted
group by network, day, tx_type
union all
select network, day, tx_type, transactions, creations, transfers, contract_calls
from derived.network_a_summary_day
where day >= @start and day < @end
