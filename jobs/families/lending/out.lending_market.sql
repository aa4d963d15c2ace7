-- One market: its registry entry, the feeds behind it, its last state, and whether it is short of liquidity. A market that appears only
-- in states or oracles has no metadata. A state older than the policy allows is stale, and the oracle status is that of the worst feed.
-- A feed and a live source of its pair whose last prices are too far apart are in dispute. A fraction that is reported as more than 1 is
-- null and flagged.
-- kind: full   grain: chain, market_id
with feed as (
  select chain, market_id, array_agg(feed_address order by feed_address) as feeds
  from derived.market_oracle
  where valid_from <= @now and valid_to > @now
  group by chain, market_id
),
priced as (
  select chain, market_id, spread_bps, limit_bps, limit_basis, is_disputed, other_address
  from (
    select
      *,
      row_number() over (
        partition by chain, market_id order by case when is_disputed then 0 else 1 end, spread_bps desc, feed_address, other_address
      ) as place
    from derived.market_price_spread
  ) s
  where place = 1
),
state as (
  select * from derived.market_day where day = @now - @now % 86400
),
trouble as (
  select
    chain, market_id,
    max_by(is_active, case when measure = 'utilization' then observed_at * 2 + case when is_observation then 1 else 0 end end) as is_utilization_high,
    max_by(is_active, case when measure = 'depth' then observed_at * 2 + case when is_observation then 1 else 0 end end) as is_depth_collapsed
  from derived.market_step
  where day = @now - @now % 86400 and observed_at <= @now
  group by chain, market_id
),
bound as (
  select
    a.chain, a.market_id,
    case when a.loan_to_value <= 1 then a.loan_to_value end as loan_to_value,
    case when a.liquidation_threshold <= 1 then a.liquidation_threshold end as liquidation_threshold,
    case when a.liquidation_bonus <= 1 then a.liquidation_bonus end as liquidation_bonus,
    case when a.liquidation_protocol_fee <= 1 then a.liquidation_protocol_fee end as liquidation_protocol_fee,
    a.supply_cap, a.borrow_cap, a.is_frozen, a.is_paused,
    substr(concat(
      case when s.borrowed > a.borrow_cap and a.borrow_cap > 0 then ',above_borrow_cap' else '' end,
      case when s.supplied > a.supply_cap and a.supply_cap > 0 then ',above_supply_cap' else '' end,
      case
        when a.loan_to_value > 1 or a.liquidation_threshold > 1 or a.liquidation_bonus > 1 or a.reserve_factor > 1 or a.liquidation_protocol_fee > 1
          then ',fraction_above_one' else ''
      end,
      case
        when a.liquidation_threshold <= 1 and a.liquidation_bonus <= 1 and a.liquidation_threshold * (1 + a.liquidation_bonus) > 1.000001
          then ',liquidation_exceeds_collateral' else ''
      end,
      case when a.loan_to_value > a.liquidation_threshold then ',loan_to_value_above_threshold' else '' end,
      case when abs(r.lltv - a.liquidation_threshold) > 0.005 then ',lltv_contradicts_threshold' else '' end
    ), 2) as flags
  from derived.market_parameter a
  left join state s on s.chain = a.chain and s.market_id = a.market_id
  left join derived.lending_market r
    on r.chain = a.chain and r.market_id = a.market_id and r.valid_from <= @now and r.valid_to > @now
),
market as (
  select chain, market_id from derived.lending_market where valid_from <= @now and valid_to > @now
  union
  select chain, market_id from feed
  union
  select chain, market_id from state
)
select
  m.chain, m.market_id, r.protocol, r.name, r.loan_asset, r.loan_symbol, r.collateral_asset, r.collateral_symbol, r.lltv, r.category,
  r.provider, case when r.is_classified then r.risk_level when r.chain is not null then 'unrated' end as risk_level,
  case when coalesce(r.edge_case_flags, '') = '' then array[] else split(r.edge_case_flags, ',') end as edge_case_flags,
  r.chain is not null as has_metadata,
  coalesce(r.is_classified, false) as is_classified,
  r.is_listed,
  coalesce(f.feeds, array[]) as feeds,
  round(d.spread_bps, 2) as oracle_spread_bps,
  round(d.limit_bps, 2) as oracle_spread_limit_bps,
  d.limit_basis as oracle_spread_limit_basis,
  d.other_address as oracle_compared_with,
  d.is_disputed as is_oracle_disputed,
  coalesce(v.verdict, 'unknown') as oracle_status,
  case when v.chain is null then 'no_feed' else v.reason end as oracle_status_reason,
  s.supplied, s.borrowed,
  round(s.supplied_usd, 2) as supplied_usd,
  round(s.borrowed_usd, 2) as borrowed_usd,
  round(s.utilization, 8) as utilization,
  round(s.withdrawable_usd, 2) as withdrawable_usd,
  round(s.depth_usd, 2) as depth_usd,
  round(s.reported_utilization, 8) as reported_utilization,
  round(s.reported_withdrawable_usd, 2) as reported_withdrawable_usd,
  round(s.exit_depth_usd, 2) as reported_depth_usd,
  round(s.supply_apr_pct, 6) as supply_apr_pct,
  round(s.borrow_apr_pct, 6) as borrow_apr_pct,
  case when coalesce(s.flags, '') = '' then array[] else split(s.flags, ',') end as state_flags,
  s.is_contradictory as is_state_contradictory,
  s.last_at as state_at,
  case
    when s.last_at is null then 'unknown'
    when @now - s.last_at > p.state_max_age_s
      and (
        coalesce(x.is_overdue, true)
        or s.last_at < x.read_through_at - p.state_max_age_s and s.last_at < coalesce(x.accepted_at, 253402300799)
      ) then 'stale'
    else 'fresh'
  end as state_status,
  t.is_utilization_high, t.is_depth_collapsed,
  a.supply_cap, a.borrow_cap, a.loan_to_value, a.liquidation_threshold, a.liquidation_bonus, a.liquidation_protocol_fee,
  a.is_frozen, a.is_paused,
  case when coalesce(a.flags, '') = '' then array[] else split(a.flags, ',') end as parameter_flags
from market m
cross join policy.lending p
left join derived.table_reading x on x.table_name = 'market_state'
left join derived.lending_market r
  on r.chain = m.chain and r.market_id = m.market_id and r.valid_from <= @now and r.valid_to > @now
left join feed f on f.chain = m.chain and f.market_id = m.market_id
left join priced d on d.chain = m.chain and d.market_id = m.market_id
left join derived.market_verdict v on v.chain = m.chain and v.market_id = m.market_id
left join state s on s.chain = m.chain and s.market_id = m.market_id
left join trouble t on t.chain = m.chain and t.market_id = m.market_id
left join bound a on a.chain = m.chain and a.market_id = m.market_id
