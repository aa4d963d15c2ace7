-- The observation that confirmed that an assumption of oracles on one chain is broken, and each at which that is more severe than ever since.
-- `critical` if debt is not covered, `high` if a price is above the market or healthy debt can be liquidated, else `warn`, as while sources
-- disagree.
-- Doubts: round_went_back, single_source, sources_disagree.
-- kind: event   grain: event_key
select
  concat(e.chain, '|', e.assumption_id, '|', cast(e.observed_at as varchar)) as event_key,
  e.observed_at as event_at,
  case e.level when 3 then 'critical' when 2 then 'high' else 'warn' end as severity,
  'fresh' as freshness_status,
  e.chain,
  cast(null as varchar) as protocol,
  concat('assumption:', e.chain, ':', e.assumption_id) as subject_id,
  substr(concat(
    case when w.chain is not null then ',round_went_back' else '' end,
    case when e.is_single_source then ',single_source' else '' end,
    case when e.is_disputed then ',sources_disagree' else '' end
  ), 2) as doubts,
  e.chain as data_chain,
  cast(
    row(e.assumption_id, e.kind, e.statement, e.since_at) as row(id varchar, kind varchar, statement varchar, broken_since_at bigint)
  ) as data_assumption,
  case when e.assumed < 1e19 then regexp_replace(cast(exact_decimal(e.assumed, 38, 18) as varchar), '\.?0+$', '') end as data_assumed,
  case when e.observed < 1e19 then regexp_replace(cast(exact_decimal(e.observed, 38, 18) as varchar), '\.?0+$', '') end as data_observed,
  e.gap_bps as data_gap_bps,
  e.enter_bps as data_effective_enter_bps,
  e.source_feeds as data_source_feeds,
  e.source_values as data_source_values,
  e.debt_usd as data_debt_usd,
  e.low_usd as data_unrealised_bad_debt_low_usd,
  e.high_usd as data_unrealised_bad_debt_high_usd,
  e.unjust_usd as data_unjust_liquidation_usd,
  e.markets as data_market_count,
  e.market_list as data_markets,
  e.vaults as data_vault_count,
  coalesce(e.vault_list, array[]) as data_vaults,
  e.block_number as data_block_number,
  e.observed_at as data_observed_at
from derived.assumption_edge e
left join (
  select distinct t.chain, t.assumption_id, d.doubted_at
  from derived.assumption_test t
  join derived.feed_doubt d on d.chain = t.feed_chain and d.feed_address = t.feed_address
) w on w.chain = e.chain and w.assumption_id = e.assumption_id and w.doubted_at = e.observed_at
where e.edge in ('start', 'rise') and e.level > 0 and e.observed_at >= @start and e.observed_at < @end
