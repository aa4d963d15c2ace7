-- An assumption of oracles that is broken now: the price gap at confirmation and the last one. Its severity is that of its event. One whose
-- break was no event has no condition either: too little debt rests on it, or another assumption explains the price gap of the path.
-- kind: full   grain: chain, assumption_id
select
  s.chain, s.assumption_id, s.statement, s.left_symbol, s.right_symbol, s.since_at, s.enter_bps, round(s.gap_bps, 2) as last_bps, s.observed_at as last_at,
  round(e.gap_bps, 2) as start_bps,
  case
    when e.is_disputed then 'warn'
    when e.low_usd > 0 then 'critical'
    when e.chain is null or e.is_above_market or e.unjust_usd > 0 then 'high'
    else 'warn'
  end as severity,
  case when e.chain is not null then concat(s.chain, '|', s.assumption_id, '|', cast(s.since_at as varchar)) end as event_key,
  p.confirm_observations, p.confirm_spacing_s
from derived.assumption_state s
cross join policy.oracle_paths p
left join derived.assumption_edge e
  on e.chain = s.chain and e.assumption_id = s.assumption_id and e.observed_at = s.since_at and e.edge = 'start'
where s.is_broken and (e.chain is null or (e.is_large and not (s.kind = 'path' and e.is_explained)))
