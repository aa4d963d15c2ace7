-- A contract from which markets take their prices changed between two readings: its legs, units, implementation or parameters, or the market
-- reads another one. `critical` if the price jumped with it or a check fails newly, `info` for a new phase of the same aggregator, `warn` if
-- only a setting such as a cap or a discount changed, else `high`. Doubts: none.
-- kind: event   grain: event_key
with change as (
  select c.*, p.jump_bps, row_number() over (partition by c.chain, c.oracle_address, c.path_hash, c.valid_from order by c.debt_usd desc nulls last, c.market_id) as place
  from derived.oracle_path_change c
  cross join policy.oracle_paths p
  where c.valid_from >= @start and c.valid_from < @end
)
select
  concat(chain, '|', oracle_address, '|', path_hash, '|', cast(valid_from as varchar)) as event_key,
  valid_from as event_at,
  case
    when max(case when is_newly_failed or abs(change_bps) >= jump_bps then 1 else 0 end) = 1 then 'critical'
    when max(change_cause) = 'aggregator_phase' then 'info'
    when max(change_cause) in ('cap_parameters', 'price_cap', 'discount_rate', 'settings') then 'warn'
    else 'high'
  end as severity,
  'fresh' as freshness_status,
  chain,
  cast(null as varchar) as protocol,
  concat('oracle_contract:', chain, ':', oracle_address) as subject_id,
  '' as doubts,
  chain as data_chain,
  oracle_address as data_contract_address,
  min(previous_oracle_address) as data_previous_contract_address,
  min(previous_hash) as data_previous,
  path_hash as data_current,
  max(failed) as data_failed_checks,
  max(change_cause) as data_cause,
  max(change_caller) as data_caller_address,
  max(change_tx_hash) as data_tx_hash,
  max(block_number) as data_block_number,
  count(*) as data_market_count,
  array_agg(
    cast(row(market_id, price_before, price_after, change_bps) as row(market_id varchar, price_before double, price_after double, change_bps double)) order by place
  ) filter (where place <= 20) as data_markets,
  round(exact_double(sum(exact_decimal(debt_usd, 38, 8))), 2) as data_debt_usd,
  valid_from as data_observed_at
from change
group by chain, oracle_address, path_hash, valid_from
