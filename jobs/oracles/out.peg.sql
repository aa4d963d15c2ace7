-- One pegged asset now: its last observed price against its reference, and whether it is off its peg. The figures are null without an
-- observation in the last seven days; `silent` means that no source covers the present.
-- kind: full   grain: chain, asset_name
with last_step as (
  select
    chain, symbol, quote, asset_id, level, since_at, covers_to,
    row_number() over (partition by chain, symbol, quote, asset_id order by observed_at desc, place desc) as recency
  from derived.peg_step
  where day = @now - @now % 86400 and observed_at <= @now
),
last_price as (
  select
    chain, symbol, quote, asset_id, observed_at, observed_price, reference_price, deviation_bps, effective_enter_bps, exit_bps, sources,
    spread_bps, is_disputed,
    row_number() over (partition by chain, symbol, quote, asset_id order by observed_at desc, place desc) as recency
  from derived.peg_observation
  where observed_at >= @now - 604800 and observed_at <= @now
)
select
  a.chain, a.asset_name, a.symbol, a.quote, nullif(a.asset_id, '') as asset_id, a.kind, a.is_downside_only,
  p.observed_price as price, p.reference_price, p.deviation_bps, p.effective_enter_bps as enter_bps, p.exit_bps, p.sources,
  round(p.spread_bps, 4) as spread_bps, p.is_disputed,
  case
    when s.level is null then 'unknown'
    when s.level > 0 then 'depegged'
    else 'pegged'
  end as state,
  case
    when s.covers_to is null then 'unknown'
    when s.covers_to < @now then 'silent'
    else 'live'
  end as source_status,
  replace(cast(cast(from_unixtime(s.since_at) as timestamp(0)) as varchar), ' ', 'T') || 'Z' as since,
  replace(cast(cast(from_unixtime(p.observed_at) as timestamp(0)) as varchar), ' ', 'T') || 'Z' as observed_at
from derived.peg_asset a
left join last_step s
  on s.chain = a.chain and s.symbol = a.symbol and s.quote = a.quote and s.asset_id = a.asset_id and s.recency = 1
left join last_price p
  on p.chain = a.chain and p.symbol = a.symbol and p.quote = a.quote and p.asset_id = a.asset_id and p.recency = 1
