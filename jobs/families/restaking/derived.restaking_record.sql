-- One protocol on one UTC day, with money in cents and native units in millionths, and whether any figure of a protocol's record or of a
-- base protocol's record is known. Native units that no source reports are derived from the USD figure and the price at its observation;
-- without a price they stay unknown.
-- kind: window   grain: name, day   time: day   order: day, name
select
  d.name, d.day, d.observed_at,
  coalesce(
    d.total_restaked_native, d.total_restaked_usd, cast(d.registered_node_operators as double), d.staker_rewards, d.protocol_fees,
    d.node_operator_fees
  ) is not null as is_protocol,
  coalesce(
    d.total_restaked_native, d.total_restaked_usd, d.total_staked_native, d.total_staked_usd, cast(d.strategy_count as double),
    cast(d.deployed_pods as double)
  ) is not null as is_base,
  round(coalesce(d.total_restaked_native, d.total_restaked_usd / r.price_usd), 6) as total_restaked_native,
  round(d.total_restaked_usd, 2) as total_restaked_usd,
  d.registered_node_operators, d.staker_rewards, d.protocol_fees, d.node_operator_fees,
  round(coalesce(d.total_staked_native, d.total_staked_usd / s.price_usd), 6) as total_staked_native,
  round(d.total_staked_usd, 2) as total_staked_usd,
  d.strategy_count, d.deployed_pods
from derived.restaking_day d
left join derived.restaking_price r on r.name = d.name and r.observed_at = d.restaked_usd_at and r.day = d.day
left join derived.restaking_price s on s.name = d.name and s.observed_at = d.staked_usd_at and s.day = d.day
where d.day >= @start and d.day < @end
