-- The registry entry of one feed at one instant, normalised: symbols in upper case, `<BASE>-<QUOTE>` as the pair (from the name if the
-- registry gives no symbols: `USDT / USD`, `A-B Exchange Rate`, else first word and rest), sorted edge-case flags. asset_id is the
-- base asset's address, empty if only its symbol is known. A deviation below .01 bps means any change at all and counts as no
-- threshold.
-- kind: append   grain: chain, provider, feed_address, observed_at   time: observed_at   order: chain, feed_address, observed_at
with named as (
  select
    *,
    coalesce(
      nullif(trim(base), ''),
      nullif(regexp_extract(name, '^\s*([A-Za-z0-9.+ ]+?)\s*/', 1), ''),
      nullif(regexp_extract(name, '^\s*([A-Za-z0-9.+]+)-[A-Za-z0-9.+]', 1), ''),
      regexp_extract(name, '^\s*(\S+)', 1)
    ) as base_text,
    coalesce(
      nullif(trim(quote), ''),
      nullif(regexp_extract(name, '^\s*[A-Za-z0-9.+ ]+?\s*/\s*([A-Za-z0-9.+]+)', 1), ''),
      nullif(regexp_extract(name, '^\s*[A-Za-z0-9.+]+-([A-Za-z0-9.+]+)', 1), ''),
      nullif(regexp_extract(name, '^\s*\S+\s+(.*?)\s*$', 1), ''),
      'UNKNOWN'
    ) as quote_text
  from landing.feed_registry
),
spelled as (
  select
    chain, provider, feed_address, name,
    trim(translate(upper(base_text), '-_/()[]%,:;—–''"', '               ')) as base_words,
    trim(translate(upper(quote_text), '-_/()[]%,:;—–''"', '               ')) as quote_words,
    coalesce(nullif(lower(trim(category)), ''), 'unclassified') as category,
    nullif(trim(asset_class), '') as asset_class,
    coalesce(nullif(lower(trim(risk_level)), ''), 'unrated') as risk_level,
    heartbeat_s, deviation_bps, decimals,
    coalesce(nullif(lower(trim(market_hours)), ''), 'crypto') as market_hours,
    coalesce(base_address, '') as asset_id, coalesce(source_kind, 'oracle') as source_kind,
    coalesce(pool_address, feed_address) as pool_address, min_answer, max_answer, coalesce(reports_rounds, true) as reports_rounds,
    observed_at, source_id, fetched_at
  from named
),
flagged as (
  select
    *,
    -- Runs of spaces become one underscore: each space is written `<>`, and every `><` between two of them is removed.
    replace(replace(replace(base_words, ' ', '<>'), '><', ''), '<>', '_') as base,
    replace(replace(replace(quote_words, ' ', '<>'), '><', ''), '<>', '_') as quote,
    concat(
      case when risk_level = 'deprecating' then ',deprecating' else '' end,
      case when risk_level = 'hidden' then ',hidden' else '' end,
      case when market_hours <> 'crypto' then ',market_hours' else '' end,
      case when coalesce(deviation_bps, 0) < 0.01 then ',no_deviation_threshold' else '' end,
      case when heartbeat_s is null then ',no_heartbeat' else '' end,
      case when not reports_rounds then ',no_rounds' else '' end
    ) as flags
  from spelled
)
select
  chain, provider, feed_address, name, base, quote, concat(base, '-', quote) as pair,
  category, asset_class, risk_level, heartbeat_s, deviation_bps, decimals, market_hours,
  risk_level = 'deprecating' as is_deprecating,
  substr(flags, 2) as edge_case_flags,
  asset_id, source_kind, pool_address, min_answer, max_answer, reports_rounds,
  observed_at, source_id, fetched_at
from flagged
