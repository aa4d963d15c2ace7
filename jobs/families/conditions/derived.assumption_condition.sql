-- An assumption of oracles that is broken now: the price gap at confirmation, the largest since, and the last one. Its severity is that of its most severe event.
-- One whose break was no event has no condition either: too little debt rests on it, or another assumption explains the price gap of the path.
-- kind: full   grain: chain, assumption_id
with raised as (
  select
    chain, assumption_id, since_at, max(level) as level, min(case when level > 0 then observed_at end) as event_at,
    max(case when edge = 'start' then gap_bps end) as start_bps
  from derived.assumption_edge
  where edge in ('start', 'rise')
  group by chain, assumption_id, since_at
),
seen as (
  select
    o.chain, o.assumption_id, o.observed_at, o.gap_bps,
    row_number() over (partition by o.chain, o.assumption_id order by abs(o.gap_bps) desc, o.observed_at) as badness
  from derived.assumption_state s
  join derived.assumption_observation o on o.chain = s.chain and o.assumption_id = s.assumption_id and o.observed_at >= s.since_at
  where s.is_broken and o.observed_at <= @now
)
select
  s.chain, s.assumption_id, s.statement, s.left_symbol, s.right_symbol, s.since_at, s.enter_bps, round(s.gap_bps, 2) as last_bps, s.observed_at as last_at,
  round(e.start_bps, 2) as start_bps, round(w.gap_bps, 2) as worst_bps, w.observed_at as worst_at,
  case when e.chain is null or e.level = 2 then 'high' when e.level = 3 then 'critical' else 'warn' end as severity,
  case when e.chain is not null then concat(s.chain, '|', s.assumption_id, '|', cast(e.event_at as varchar)) end as event_key,
  p.confirm_observations, p.confirm_spacing_s
from derived.assumption_state s
cross join policy.oracle_paths p
left join raised e on e.chain = s.chain and e.assumption_id = s.assumption_id and e.since_at = s.since_at
left join seen w on w.chain = s.chain and w.assumption_id = s.assumption_id and w.badness = 1
where s.is_broken and (e.chain is null or e.level > 0)
