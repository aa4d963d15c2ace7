-- One pegged asset now: its last observed price against its reference, and whether it is off its peg. The figures are null without an
-- observation in the last seven days, with the reason; `silent` means that no source covers the present; `disputed` means that a source
-- has stayed beyond the threshold and that is no depeg. Every peg of a symbol shows the others on its chain, worst first. Thin pools are among the prices of the sources and carry none.
-- kind: full   grain: chain, asset_name
with last_step as (
  select
    chain, symbol, quote, asset_id, level, is_doubted, since_at, covers_to,
    row_number() over (partition by chain, symbol, quote, asset_id order by observed_at desc, place desc) as recency
  from derived.peg_step
  where day = @now - @now % 86400 and observed_at <= @now
),
last_price as (
  select
    chain, symbol, quote, asset_id, observed_at, place, observed_price, reference_price, deviation_bps, effective_enter_bps, exit_bps, sources,
    spread_bps, is_disputed, is_pools_only, thin_doubters, reference_age_s,
    row_number() over (partition by chain, symbol, quote, asset_id order by observed_at desc, place desc) as recency
  from derived.peg_observation
  where observed_at >= @now - 604800 and observed_at <= @now
),
priced as (
  select
    s.chain, s.symbol, s.quote, s.asset_id,
    max(case when s.is_lagging then 1 else 0 end) as has_lag,
    array_agg(
      cast(
        row(s.feed_address, s.source_kind, s.price, s.deviation_bps, s.is_beyond, s.answered_at, s.age_s, s.is_lagging, s.depth, s.is_thin)
        as row(
          oracle_address varchar, source_kind varchar, price varchar, deviation_bps bigint, is_beyond boolean, answered_at bigint,
          age_s bigint, is_lagging boolean, depth double, is_thin boolean
        )
      )
      order by s.source_rank
    ) as source_prices
  from derived.peg_source_price s
  join last_price p
    on p.chain = s.chain and p.symbol = s.symbol and p.quote = s.quote and p.asset_id = s.asset_id and p.recency = 1
    and p.observed_at = s.observed_at and p.place = s.place
  group by s.chain, s.symbol, s.quote, s.asset_id
),
doubted as (
  select
    p.chain, p.symbol, p.quote, p.asset_id,
    substr(concat(
      case when p.is_pools_only then ',pools_only' else '' end,
      case when p.reference_age_s < a.confirm_spacing_s then ',reference_new' else '' end,
      case when p.sources < 2 then ',single_source' else '' end,
      case when c.has_lag = 1 then ',source_lags' else '' end,
      case when p.is_disputed then ',sources_disagree' else '' end,
      case when p.thin_doubters > 0 then ',thin_pools_disagree' else '' end
    ), 2) as doubts
  from last_price p
  join derived.peg_asset a on a.chain = p.chain and a.symbol = p.symbol and a.quote = p.quote and a.asset_id = p.asset_id
  left join priced c
    on c.chain = p.chain and c.symbol = p.symbol and c.quote = p.quote and c.asset_id = p.asset_id
  where p.recency = 1
),
listed as (
  select
    chain, symbol, quote, asset_id,
    max(case when role = 'price' and source_kind <> 'pool' then 1 else 0 end) as has_market,
    max(case when role = 'price' then 1 else 0 end) as has_source,
    max(case when role = 'reference' then 1 else 0 end) as has_reference
  from derived.peg_source
  where speaks_from <= @now and speaks_to > @now
  group by chain, symbol, quote, asset_id
),
stated as (
  select
    a.chain, a.asset_name, a.symbol, a.quote, nullif(a.asset_id, '') as asset_id, a.kind, a.is_downside_only,
    p.observed_price as price, p.reference_price, p.deviation_bps, p.effective_enter_bps as enter_bps, p.exit_bps, p.sources,
    round(p.spread_bps, 4) as spread_bps, p.is_disputed,
    case
      when p.observed_price is not null then null
      when coalesce(l.has_source, 0) = 0 then 'no_source'
      when l.has_market = 0 then 'only_pools'
      when a.reference_pair is not null and l.has_reference = 0 then 'no_reference'
      else 'no_answer'
    end as no_price_reason,
    case when coalesce(d.doubts, '') = '' then array[] else split(d.doubts, ',') end as doubts,
    coalesce(c.source_prices, array[]) as source_prices,
    case
      when s.level is null then 'unknown'
      when s.level > 0 then 'depegged'
      when s.is_doubted then 'disputed'
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
  left join priced c
    on c.chain = a.chain and c.symbol = a.symbol and c.quote = a.quote and c.asset_id = a.asset_id
  left join listed l
    on l.chain = a.chain and l.symbol = a.symbol and l.quote = a.quote and l.asset_id = a.asset_id
  left join doubted d
    on d.chain = a.chain and d.symbol = a.symbol and d.quote = a.quote and d.asset_id = a.asset_id
),
compared as (
  select
    chain, asset_name, symbol, quote, state, deviation_bps,
    case state when 'depegged' then 0 when 'disputed' then 1 when 'unknown' then 2 else 3 end as state_rank,
    case when is_downside_only then greatest(-deviation_bps, 0) else abs(deviation_bps) end / nullif(enter_bps, 0) as share
  from stated
),
others as (
  select
    s.chain, s.asset_name,
    array_agg(
      cast(
        row(o.asset_name, o.quote, o.state, o.deviation_bps)
        as row(asset_name varchar, quote varchar, state varchar, deviation_bps bigint)
      )
      order by o.state_rank, o.share desc nulls last, o.asset_name
    ) as other_pegs
  from stated s
  join compared o on o.chain = s.chain and o.symbol = s.symbol and o.asset_name <> s.asset_name
  group by s.chain, s.asset_name
)
select
  s.chain, s.asset_name, s.symbol, s.quote, s.asset_id, s.kind, s.is_downside_only, s.price, s.reference_price, s.deviation_bps, s.enter_bps,
  s.exit_bps, s.sources, s.spread_bps, s.is_disputed, s.no_price_reason, s.doubts, s.source_prices, s.state, s.source_status, s.since,
  s.observed_at, coalesce(o.other_pegs, array[]) as other_pegs
from stated s
left join others o on o.chain = s.chain and o.asset_name = s.asset_name
