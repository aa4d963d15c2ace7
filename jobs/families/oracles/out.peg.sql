-- One pegged asset now: its last observed price against its reference, and whether it is off its peg. The figures are null without an
-- observation in the last seven days, with the reason; `silent` means that no source covers the present, because the last answers lapsed or
-- invalid ones followed, of the asset or of its reference; `disputed` means that a source
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
    spread_bps, is_disputed,
    row_number() over (partition by chain, symbol, quote, asset_id order by observed_at desc, place desc) as recency
  from derived.peg_observation
  where observed_at >= @now - 604800 and observed_at <= @now
),
-- Whether each side of the last observation still has a source whose last answer is a valid one.
covered as (
  select
    p.chain, p.symbol, p.quote, p.asset_id, l.role,
    max(case when coalesce(f.invalid_reason, 'no_answer') = 'no_answer' then 1 else 0 end) as is_covered
  from last_price p
  join derived.peg_live l
    on l.chain = p.chain and l.symbol = p.symbol and l.quote = p.quote and l.asset_id = p.asset_id
    and l.observed_at = p.observed_at and l.place = p.place
  left join derived.feed_state f on f.chain = l.chain and f.feed_address = l.feed_address and f.day = @now - @now % 86400
  where p.recency = 1 and l.weight > 0 and l.observed_at >= @now - 604800 and l.observed_at <= @now
  group by p.chain, p.symbol, p.quote, p.asset_id, l.role
),
ended as (
  select distinct chain, symbol, quote, asset_id from covered where is_covered = 0
),
evidence as (
  select e.chain, e.symbol, e.quote, e.asset_id, e.source_prices, e.doubts
  from derived.peg_evidence e
  join last_price p
    on p.chain = e.chain and p.symbol = e.symbol and p.quote = e.quote and p.asset_id = e.asset_id and p.recency = 1
    and p.observed_at = e.observed_at and p.place = e.place
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
    case when coalesce(e.doubts, '') = '' then array[] else split(e.doubts, ',') end as doubts,
    coalesce(e.source_prices, array[]) as source_prices,
    case
      when s.level is null then 'unknown'
      when s.level > 0 then 'depegged'
      when s.is_doubted then 'disputed'
      else 'pegged'
    end as state,
    case
      when s.covers_to is null then 'unknown'
      when s.covers_to < @now or g.chain is not null then 'silent'
      else 'live'
    end as source_status,
    replace(cast(cast(from_unixtime(s.since_at) as timestamp(0)) as varchar), ' ', 'T') || 'Z' as since,
    replace(cast(cast(from_unixtime(p.observed_at) as timestamp(0)) as varchar), ' ', 'T') || 'Z' as observed_at
  from derived.peg_asset a
  left join last_step s
    on s.chain = a.chain and s.symbol = a.symbol and s.quote = a.quote and s.asset_id = a.asset_id and s.recency = 1
  left join last_price p
    on p.chain = a.chain and p.symbol = a.symbol and p.quote = a.quote and p.asset_id = a.asset_id and p.recency = 1
  left join evidence e
    on e.chain = a.chain and e.symbol = a.symbol and e.quote = a.quote and e.asset_id = a.asset_id
  left join ended g
    on g.chain = a.chain and g.symbol = a.symbol and g.quote = a.quote and g.asset_id = a.asset_id
  left join listed l
    on l.chain = a.chain and l.symbol = a.symbol and l.quote = a.quote and l.asset_id = a.asset_id
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
