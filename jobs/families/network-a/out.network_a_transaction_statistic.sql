-- The blocks and transactions of a network on one of the last seven UTC days (2.6, decision 57). Prices and caps are in gwei, gas in units
-- of gas, fees and burning in native units (decision 7); unknown values are null.
-- kind: full   grain: network, day
with newest as (
  select network, max(day) as newest_day
  from (
    select network, day from derived.network_a_block_day
    union all
    select network, day from obs.network_a_daily
  ) known
  where day >= @now - @now % 86400 - 604800 and day <= @now
  group by network
),
listed as (
  select b.*, n.newest_day
  from derived.network_a_block_day b
  join newest n on n.network = b.network
  where b.day >= @now - @now % 86400 - 604800 and b.day <= @now
),
type_list as (
  select
    network, day,
    array_agg(
      cast(
        row(tx_type, transactions, creations, transfers, contract_calls)
        as row(
          tx_type bigint, tx_type_freq bigint, num_contract_creation bigint, num_eoa_interaction bigint, num_sc_interaction bigint
        )
      )
      order by tx_type
    ) as tx_type_stats
  from derived.network_a_type_day
  where day >= @now - @now % 86400 - 604800 and day <= @now
  group by network, day
)
select
  b.network, b.day,
  concat(
    substr(cast(cast(from_unixtime(b.day) as timestamp(0)) as varchar), 9, 2), '-',
    substr(cast(cast(from_unixtime(b.day) as timestamp(0)) as varchar), 6, 2), '-',
    substr(cast(cast(from_unixtime(b.day) as timestamp(0)) as varchar), 1, 4)
  ) as timestamp,
  b.blocks as daily_num_blocks_created,
  round(b.block_time_s, 6) as average_block_creation_time,
  b.transactions as daily_new_tx,
  b.deployed_total as daily_new_contract,
  b.last_block as latest_block_processed,
  max(b.last_block) over (partition by b.network) as latest_block,
  coalesce(l.tx_type_stats, array[]) as tx_type_stats,
  cast(
    row(
      cast(cast(b.base_fee_min_wei as varchar) || 'e-9' as double),
      cast(cast(b.base_fee_max_wei as varchar) || 'e-9' as double),
      cast(cast(b.base_fee_total_wei as varchar) || 'e-9' as double) / nullif(b.base_fee_count, 0),
      cast(cast(b.base_fee_total_wei as varchar) || 'e-9' as double)
    ) as row(min_value double, max_value double, avg_value double, total_value double)
  ) as base_fee,
  cast(
    row(
      cast(b.gas_used_min as double),
      cast(b.gas_used_max as double),
      cast(b.gas_used_total as double) / nullif(b.gas_used_count, 0),
      cast(b.gas_used_total as double)
    ) as row(min_value double, max_value double, avg_value double, total_value double)
  ) as gas_usage,
  cast(
    row(
      cast(b.gas_not_used_min as double),
      cast(b.gas_not_used_max as double),
      cast(b.gas_not_used_total as double) / nullif(b.gas_not_used_count, 0),
      cast(b.gas_not_used_total as double)
    ) as row(min_value double, max_value double, avg_value double, total_value double)
  ) as gas_not_usage,
  cast(
    row(
      cast(b.gas_limit_min as double),
      cast(b.gas_limit_max as double),
      cast(b.gas_limit_total as double) / nullif(b.gas_limit_count, 0),
      cast(b.gas_limit_total as double)
    ) as row(min_value double, max_value double, avg_value double, total_value double)
  ) as gas_limit,
  cast(
    row(
      cast(cast(b.burnt_min_wei as varchar) || 'e-18' as double),
      cast(cast(b.burnt_max_wei as varchar) || 'e-18' as double),
      cast(cast(b.burnt_total_wei as varchar) || 'e-18' as double) / nullif(b.burnt_count, 0),
      cast(cast(b.burnt_total_wei as varchar) || 'e-18' as double)
    ) as row(min_value double, max_value double, avg_value double, total_value double)
  ) as native_burnt,
  cast(
    row(
      cast(cast(t.fee_cap_min_wei as varchar) || 'e-9' as double),
      cast(cast(t.fee_cap_max_wei as varchar) || 'e-9' as double),
      cast(cast(t.fee_cap_total_wei as varchar) || 'e-9' as double) / nullif(t.fee_cap_count, 0),
      cast(cast(t.fee_cap_total_wei as varchar) || 'e-9' as double)
    ) as row(min_value double, max_value double, avg_value double, total_value double)
  ) as gas_fee_cap,
  cast(
    row(
      cast(cast(t.tip_cap_min_wei as varchar) || 'e-9' as double),
      cast(cast(t.tip_cap_max_wei as varchar) || 'e-9' as double),
      cast(cast(t.tip_cap_total_wei as varchar) || 'e-9' as double) / nullif(t.tip_cap_count, 0),
      cast(cast(t.tip_cap_total_wei as varchar) || 'e-9' as double)
    ) as row(min_value double, max_value double, avg_value double, total_value double)
  ) as gas_tip_cap,
  cast(
    row(
      cast(cast(t.fee_min_wei as varchar) || 'e-18' as double),
      cast(cast(t.fee_max_wei as varchar) || 'e-18' as double),
      cast(cast(t.fee_total_wei as varchar) || 'e-18' as double) / nullif(t.fee_count, 0),
      cast(cast(t.fee_total_wei as varchar) || 'e-18' as double)
    ) as row(min_value double, max_value double, avg_value double, total_value double)
  ) as tx_fee,
  cast(
    row(
      cast(cast(t.saved_min_wei as varchar) || 'e-18' as double),
      cast(cast(t.saved_max_wei as varchar) || 'e-18' as double),
      cast(cast(t.saved_total_wei as varchar) || 'e-18' as double) / nullif(t.saved_count, 0),
      cast(cast(t.saved_total_wei as varchar) || 'e-18' as double)
    ) as row(min_value double, max_value double, avg_value double, total_value double)
  ) as tx_fee_savings,
  cast(
    row(
      cast(cast(t.price_min_wei as varchar) || 'e-9' as double),
      cast(cast(t.price_max_wei as varchar) || 'e-9' as double),
      cast(cast(t.price_total_wei as varchar) || 'e-9' as double) / nullif(t.price_count, 0),
      cast(cast(t.price_total_wei as varchar) || 'e-9' as double)
    ) as row(min_value double, max_value double, avg_value double, total_value double)
  ) as gas_price,
  cast(
    row(
      cast(b.deployed_min as double),
      cast(b.deployed_max as double),
      cast(b.deployed_total as double) / nullif(b.deployed_count, 0),
      cast(b.deployed_total as double)
    ) as row(min_value double, max_value double, avg_value double, total_value double)
  ) as sc_deploy,
  cast(
    row(
      cast(b.destroyed_min as double),
      cast(b.destroyed_max as double),
      cast(b.destroyed_total as double) / nullif(b.destroyed_count, 0),
      cast(b.destroyed_total as double)
    ) as row(min_value double, max_value double, avg_value double, total_value double)
  ) as sc_burnt
from listed b
left join derived.network_a_transaction_day t on t.network = b.network and t.day = b.day
left join type_list l on l.network = b.network and l.day = b.day
where b.day > b.newest_day - 604800
union all
-- Days without landed blocks, from daily statistics.
select
  d.network, d.day,
  concat(
    substr(cast(cast(from_unixtime(d.day) as timestamp(0)) as varchar), 9, 2), '-',
    substr(cast(cast(from_unixtime(d.day) as timestamp(0)) as varchar), 6, 2), '-',
    substr(cast(cast(from_unixtime(d.day) as timestamp(0)) as varchar), 1, 4)
  ) as timestamp,
  d.blocks as daily_num_blocks_created,
  round(d.block_time_s, 6) as average_block_creation_time,
  d.transactions as daily_new_tx,
  d.contracts as daily_new_contract,
  d.last_block as latest_block_processed,
  max(d.last_block) over (partition by d.network) as latest_block,
  coalesce(l.tx_type_stats, array[]) as tx_type_stats,
  cast(row(null, null, null, null) as row(min_value double, max_value double, avg_value double, total_value double)) as base_fee,
  cast(row(null, null, cast(d.gas_used as double) / nullif(d.blocks, 0), cast(d.gas_used as double)) as row(min_value double, max_value double, avg_value double, total_value double)) as gas_usage,
  cast(row(null, null, null, null) as row(min_value double, max_value double, avg_value double, total_value double)) as gas_not_usage,
  cast(row(null, null, null, null) as row(min_value double, max_value double, avg_value double, total_value double)) as gas_limit,
  cast(row(null, null, d.burnt_native / nullif(d.blocks, 0), d.burnt_native) as row(min_value double, max_value double, avg_value double, total_value double)) as native_burnt,
  cast(row(null, null, null, null) as row(min_value double, max_value double, avg_value double, total_value double)) as gas_fee_cap,
  cast(row(null, null, null, null) as row(min_value double, max_value double, avg_value double, total_value double)) as gas_tip_cap,
  cast(row(null, null, d.fees_native / nullif(d.transactions, 0), d.fees_native) as row(min_value double, max_value double, avg_value double, total_value double)) as tx_fee,
  cast(row(null, null, null, null) as row(min_value double, max_value double, avg_value double, total_value double)) as tx_fee_savings,
  cast(row(null, null, null, null) as row(min_value double, max_value double, avg_value double, total_value double)) as gas_price,
  cast(row(null, null, cast(d.contracts as double) / nullif(d.blocks, 0), cast(d.contracts as double)) as row(min_value double, max_value double, avg_value double, total_value double)) as sc_deploy,
  cast(row(null, null, null, null) as row(min_value double, max_value double, avg_value double, total_value double)) as sc_burnt
from obs.network_a_daily d
join newest n on n.network = d.network
left join derived.network_a_block_day b on b.network = d.network and b.day = d.day
left join type_list l on l.network = d.network and l.day = d.day
where b.network is null and d.day > n.newest_day - 604800 and d.day >= @now - @now % 86400 - 604800 and d.day <= @now
