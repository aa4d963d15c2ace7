-- One served layer-2 network with its registry facts; null where the registry has none.
-- kind: view   grain: network
select
  n.network,
  max(case when f.fact = 'validation_mechanism' then f.text_value end) as validation_mechanism,
  max(case when f.fact = 'soft_finality' then f.number_value end) as soft_finality,
  max(case when f.fact = 'hard_finality' then f.number_value end) as hard_finality,
  max(case when f.fact = 'settlement_layer_finality' then f.number_value end) as settlement_layer_finality,
  max(case when f.fact = 'tx_per_sec_capacity' then f.number_value end) as tx_per_sec_capacity,
  max(case when f.fact = 'withdrawal_time_sec' then f.number_value end) as withdrawal_time_sec
from policy.layer2_network n
left join policy.layer2_fact f on f.network = n.network
group by n.network
