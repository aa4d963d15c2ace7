-- One vault: its registry entry and the figures of its newest state. gaps names why figures are null.
-- kind: full   grain: chain, vault_address
with registered as (
  select * from derived.lending_vault where valid_from <= @now and valid_to > @now
),
vault as (
  select chain, vault_address from registered
  union
  select chain, vault_address from derived.vault_latest
),
named as (
  select
    v.chain, v.vault_address, r.protocol, r.name, r.symbol, r.asset_address, r.asset_symbol, r.version, r.is_listed,
    r.chain is not null as has_metadata, coalesce(g.curator_address, r.curator_address) as curator_address, g.owner_address,
    g.guardian_address
  from vault v
  left join registered r on r.chain = v.chain and r.vault_address = v.vault_address
  left join derived.vault_governance g on g.chain = v.chain and g.vault_address = v.vault_address
),
curator as (
  select n.chain, n.vault_address, min(c.curator) as curator, min(c.name) as curator_name
  from named n
  join derived.vault_curator c on strpos(c.addresses, n.curator_address) > 0
  group by n.chain, n.vault_address
),
growth as (
  select
    chain, vault_address,
    max(case when window_days = 1 then net_apy_pct end) as net_apy_1d_pct, max(case when window_days = 7 then net_apy_pct end) as net_apy_7d_pct,
    max(case when window_days = 30 then net_apy_pct end) as net_apy_30d_pct, max(case when window_days = 90 then net_apy_pct end) as net_apy_90d_pct,
    count(*) as windows, sum(breaks) as breaks
  from derived.vault_return
  group by chain, vault_address
),
broken as (
  select
    chain, vault_address, max(case when reason = 'donated' then observed_at end) as donated_at,
    max(case when reason = 'fell' then observed_at end) as fell_at,
    max(case when reason = 'price_reset' then observed_at end) as reset_at,
    max(case when reason = 'kind_changed' then observed_at end) as changed_at
  from derived.vault_break
  where observed_at > @now - 90 * 86400 and observed_at <= @now
  group by chain, vault_address
),
twice as (
  select distinct l.chain, l.vault_address
  from derived.vault_latest l
  join obs.vault_position p
    on p.chain = l.chain and p.vault_address = l.vault_address and p.observed_at = l.observed_at and p.held_kind = 'vault' and p.assets <> '0'
  join vault v on v.chain = p.chain and v.vault_address = p.held
),
low as (
  select chain, vault_address, bool_or(is_low) as is_low
  from (
    select chain, vault_address, basis, max_by(is_low, observed_at) as is_low
    from derived.vault_liquidity_step
    where day = @now - @now % 86400
    group by chain, vault_address, basis
  ) b
  group by chain, vault_address
),
pending as (
  select
    chain, vault_address, count(*) as changes, min(case when abdicated_at is null then executable_at end) as next_executable_at
  from derived.vault_change
  where is_current and ending is null
  group by chain, vault_address
),
-- Whose logs were refused, were never delivered, or are overdue, or whose contract states other changes: one that no one has read may be waiting.
unread as (
  select n.chain, n.vault_address
  from named n
  left join derived.table_reading x on x.table_name = 'vault_log'
  where coalesce(x.is_overdue, false)
    or (
      select count(*) from policy.delivery_gap g
      where g.table_name = 'vault_log' and (g.subject is null or g.subject = concat(n.chain, '|', n.vault_address))
    ) > 0
  union
  -- Logs of other chains say nothing of this one.
  select n.chain, n.vault_address
  from named n
  left join (select distinct chain from obs.vault_log) c on c.chain = n.chain
  where c.chain is null and (select count(*) from obs.vault_log) > 0
  union
  select distinct chain, vault_address from derived.vault_change_dispute
),
-- Of which sources stated prices that differ, so recently that the newest figures may be those of either, or one block in two ways.
disputed as (
  select distinct l.chain, l.vault_address
  from derived.vault_latest l
  cross join policy.vaults p
  join derived.vault_break b on b.chain = l.chain and b.vault_address = l.vault_address
  where b.reason = 'sources_disagree' and b.observed_at > l.observed_at - p.state_max_age_s and b.observed_at <= l.observed_at
  union
  select n.chain, n.vault_address
  from named n
  join policy.delivery_gap g on g.subject = concat(n.chain, '|', n.vault_address)
  where g.table_name = 'vault_state' and g.reason = 'conflict'
),
-- Chains of which the markets are known that might accept shares as collateral.
known_chain as (
  select distinct m.chain
  from derived.lending_market m
  left join derived.table_reading x on x.table_name = 'lending_market'
  where m.valid_from <= @now and m.valid_to > @now and not coalesce(x.is_overdue, false)
),
at_risk as (
  select
    l.chain, l.vault_address,
    case when r.chain is not null then r.at_risk_low_usd when k.chain is not null then 0e0 end as low_usd,
    case when r.chain is not null then r.at_risk_high_usd when k.chain is not null then 0e0 end as high_usd
  from derived.vault_latest l
  left join derived.vault_collateral r on r.chain = l.chain and r.vault_address = l.vault_address and r.observed_at = l.observed_at
  left join known_chain k on k.chain = l.chain
),
judged as (
  select
    l.*,
    coalesce(round(l.total_assets * l.unit) < p.unseeded_units or l.total_assets_usd < p.apy_min_usd, false) as is_small,
    substr(concat(
      case when b.donated_at is not null then ',donated' else '' end,
      case when t.chain is not null then ',held_twice' else '' end,
      case when b.changed_at is not null then ',kind_changed' else '' end,
      case when b.fell_at is not null then ',price_fell' else '' end,
      case when b.reset_at is not null then ',price_reset' else '' end,
      case when l.undistributed_assets > 0 then ',rate_limited' else '' end,
      case when round(l.total_assets * l.unit) < p.unseeded_units then ',unseeded' else '' end
    ), 2) as flags
  from derived.vault_latest l
  cross join policy.vaults p
  left join broken b on b.chain = l.chain and b.vault_address = l.vault_address
  left join twice t on t.chain = l.chain and t.vault_address = l.vault_address
),
missing as (
  select
    n.chain, n.vault_address,
    substr(concat(
      case when l.share_price is not null and coalesce(a.windows, 0) < 4 then ',apy_history_missing' else '' end,
      case when a.breaks > 0 then ',apy_price_broke' else '' end,
      case when l.is_small then ',apy_too_small' else '' end,
      case when u.low_usd is null and l.kind not in ('erc4626', 'unknown') then ',bad_debt_unknown' else '' end,
      case when y.chain is not null then ',changes_unknown' else '' end,
      case when l.chain is not null and r.low_usd is null then ',collateral_at_risk_unknown' else '' end,
      case when l.chain is null then ',no_state' when l.gaps = '' then '' else concat(',', l.gaps) end,
      case when s.chain is not null then ',sources_disagree' else '' end,
      -- Its source states a share price alone.
      case when l.total_assets is null and l.share_price is not null and l.asset_decimals is not null then ',total_assets_unknown' else '' end
    ), 2) as gaps
  from named n
  left join judged l on l.chain = n.chain and l.vault_address = n.vault_address
  left join growth a on a.chain = n.chain and a.vault_address = n.vault_address
  left join unread y on y.chain = n.chain and y.vault_address = n.vault_address
  left join derived.vault_bad_debt u on u.chain = n.chain and u.vault_address = n.vault_address
  left join at_risk r on r.chain = n.chain and r.vault_address = n.vault_address
  left join disputed s on s.chain = n.chain and s.vault_address = n.vault_address
)
select
  n.chain, n.vault_address, n.protocol, n.name, n.symbol, n.asset_address, n.asset_symbol, n.version, n.has_metadata, n.is_listed,
  n.curator_address, c.curator, c.curator_name, n.owner_address, n.guardian_address,
  l.kind, l.asset_decimals, l.share_decimals, l.total_assets, round(l.total_assets_usd, 2) as total_assets_usd,
  l.asset_price_usd,
  cast(l.share_price as varchar) as share_price, cast(l.backed_share_price as varchar) as backed_share_price,
  round(l.coverage, 12) as coverage, l.lost_assets, l.undistributed_assets, l.idle_assets,
  case when not l.is_small then round(a.net_apy_1d_pct, 6) end as net_apy_1d_pct,
  case when not l.is_small then round(a.net_apy_7d_pct, 6) end as net_apy_7d_pct,
  case when not l.is_small then round(a.net_apy_30d_pct, 6) end as net_apy_30d_pct,
  case when not l.is_small then round(a.net_apy_90d_pct, 6) end as net_apy_90d_pct,
  l.performance_fee, l.management_fee,
  round(l.withdrawable_usd, 2) as withdrawable_usd, round(l.withdrawable_shared_usd, 2) as withdrawable_shared_usd,
  round(l.withdrawable_share, 8) as withdrawable_share,
  l.withdrawable as withdrawable_assets, l.withdrawable_shared as withdrawable_shared_assets,
  l.force_withdrawable as force_withdrawable_assets, l.reallocatable as reallocatable_assets,
  round(l.force_withdrawable_usd, 2) as force_withdrawable_usd, l.force_penalty, round(l.reallocatable_usd, 2) as reallocatable_usd, l.is_gated,
  round(l.largest_share, 8) as largest_market_share,
  round(k.collateral_hhi, 8) as collateral_hhi,
  round(u.low_usd, 2) as unrealised_bad_debt_low_usd, round(u.high_usd, 2) as unrealised_bad_debt_high_usd,
  q.is_low as is_liquidity_low,
  round(r.low_usd, 2) as collateral_at_risk_low_usd, round(r.high_usd, 2) as collateral_at_risk_high_usd,
  case when y.chain is null then coalesce(d.changes, 0) end as pending_changes,
  d.next_executable_at,
  case when l.flags is null or l.flags = '' then array[] else split(l.flags, ',') end as flags,
  l.observed_at as state_at,
  case
    when l.observed_at is null then 'unknown'
    when @now - l.observed_at <= p.state_max_age_s then 'fresh'
    when coalesce(x.is_overdue, true) then 'unverifiable'
    when l.observed_at < x.read_through_at - p.state_max_age_s and l.observed_at < coalesce(x.accepted_at, 253402300799) then 'stale'
    else 'fresh'
  end as state_status,
  case when m.gaps = '' then array[] else split(m.gaps, ',') end as gaps
from named n
cross join policy.vaults p
left join derived.table_reading x on x.table_name = 'vault_state'
left join curator c on c.chain = n.chain and c.vault_address = n.vault_address
left join judged l on l.chain = n.chain and l.vault_address = n.vault_address
left join growth a on a.chain = n.chain and a.vault_address = n.vault_address
left join derived.vault_concentration k on k.chain = n.chain and k.vault_address = n.vault_address
left join pending d on d.chain = n.chain and d.vault_address = n.vault_address
left join derived.vault_bad_debt u on u.chain = n.chain and u.vault_address = n.vault_address
left join unread y on y.chain = n.chain and y.vault_address = n.vault_address
join missing m on m.chain = n.chain and m.vault_address = n.vault_address
left join at_risk r on r.chain = n.chain and r.vault_address = n.vault_address
left join low q on q.chain = n.chain and q.vault_address = n.vault_address
