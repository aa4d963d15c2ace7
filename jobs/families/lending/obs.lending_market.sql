-- A registry entry of one market from one instant on, normalised; edge-case flags are sorted and unique. A market without a name is named
-- by its symbols: `WETH/USDC` for a loan of USDC against WETH, `USDC` for a pooled asset.
-- kind: append   grain: chain, market_id, observed_at   time: observed_at
with flag as (
  select distinct m.chain, m.market_id, m.observed_at, lower(trim(f.word)) as word
  from landing.lending_market m
  cross join unnest(split(m.edge_case_flags, ',')) as f(word)
  where trim(f.word) <> ''
),
flagged as (
  select chain, market_id, observed_at, array_join(array_agg(word order by word), ',') as edge_case_flags
  from flag
  group by chain, market_id, observed_at
)
select
  m.chain, m.market_id, m.protocol,
  coalesce(
    nullif(trim(m.name), ''),
    case when nullif(trim(m.collateral_symbol), '') is null then trim(m.loan_symbol)
      else concat(trim(m.collateral_symbol), '/', trim(m.loan_symbol)) end
  ) as name,
  m.loan_asset, trim(m.loan_symbol) as loan_symbol, m.collateral_asset,
  nullif(trim(m.collateral_symbol), '') as collateral_symbol, m.lltv,
  coalesce(nullif(lower(trim(m.category)), ''), 'unclassified') as category,
  nullif(lower(trim(m.provider)), '') as provider,
  coalesce(nullif(lower(trim(m.risk_level)), ''), 'unrated') as risk_level,
  coalesce(f.edge_case_flags, '') as edge_case_flags,
  coalesce(m.is_listed, true) as is_listed,
  m.observed_at, m.source_id, m.fetched_at
from landing.lending_market m
left join flagged f on f.chain = m.chain and f.market_id = m.market_id and f.observed_at = m.observed_at
