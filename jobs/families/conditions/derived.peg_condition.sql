-- An asset that is off its peg now, or of which a source is (level 0; the deviation is then that of the farthest source): the deviation at confirmation, the worst deviation since, and the last one. For assets of which only
-- the downside counts, the worst is the lowest price.
-- kind: full   grain: chain, symbol, quote, asset_id
with last_step as (
  select
    chain, symbol, quote, asset_id, level, is_open, since_at,
    row_number() over (partition by chain, symbol, quote, asset_id order by observed_at desc, place desc) as recency
  from derived.peg_step
  where day = @now - @now % 86400 and observed_at <= @now
),
standing as (
  select chain, symbol, quote, asset_id, level, since_at from last_step where recency = 1 and is_open
),
seen as (
  select
    s.chain, s.symbol, s.quote, s.asset_id, s.level, s.since_at, o.observed_at, o.effective_enter_bps, o.exit_bps,
    case when s.level = 0 then o.worst_deviation_bps else o.deviation_bps end as deviation_bps,
    case
      when o.is_downside_only then -case when s.level = 0 then o.worst_deviation_bps else o.deviation_bps end
      else abs(case when s.level = 0 then o.worst_deviation_bps else o.deviation_bps end)
    end as excursion_bps,
    row_number() over (
      partition by s.chain, s.symbol, s.quote, s.asset_id order by o.observed_at desc, o.place desc
    ) as recency
  from standing s
  join derived.peg_observation o
    on o.chain = s.chain and o.symbol = s.symbol and o.quote = s.quote and o.asset_id = s.asset_id
    and o.observed_at >= s.since_at
  where o.observed_at <= @now
),
worst as (
  select
    *,
    row_number() over (partition by chain, symbol, quote, asset_id order by excursion_bps desc, observed_at) as badness
  from seen
),
start_edge as (
  select
    chain, symbol, quote, asset_id, asset_name, observed_at, pair, round_id, deviation_bps, worst_deviation_bps,
    row_number() over (partition by chain, symbol, quote, asset_id, observed_at order by place) as turn
  from derived.peg_edge
  where edge = 'start'
)
select
  s.chain, s.symbol, s.quote, s.asset_id, a.asset_name, s.level, s.since_at,
  concat(e.chain, '|', e.asset_name, '|', e.quote, '|', cast(e.observed_at as varchar), '|', e.round_id) as event_key,
  case when s.level = 0 then e.worst_deviation_bps else e.deviation_bps end as start_bps, w.deviation_bps as worst_bps, w.observed_at as worst_at,
  l.deviation_bps as last_bps, l.observed_at as last_at, l.effective_enter_bps, l.exit_bps,
  a.confirm_observations, a.confirm_spacing_s
from standing s
join derived.peg_asset a on a.chain = s.chain and a.symbol = s.symbol and a.quote = s.quote and a.asset_id = s.asset_id
left join start_edge e
  on e.chain = s.chain and e.symbol = s.symbol and e.quote = s.quote and e.asset_id = s.asset_id
  and e.observed_at = s.since_at and e.turn = 1
left join worst w
  on w.chain = s.chain and w.symbol = s.symbol and w.quote = s.quote and w.asset_id = s.asset_id and w.badness = 1
left join seen l
  on l.chain = s.chain and l.symbol = s.symbol and l.quote = s.quote and l.asset_id = s.asset_id and l.recency = 1
