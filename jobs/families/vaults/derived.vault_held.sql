-- What one vault holds in other vaults at one block, in units of its asset: what can be withdrawn through them, and what their quoted
-- prices hide. A held vault counts by its last state that is recent enough. Unknown where it has none, where it holds vaults itself, or
-- where it hides losses and its coverage is unknown.
-- kind: window   grain: chain, vault_address, observed_at   time: observed_at   by_hour: observed_at   order: day, chain, vault_address, observed_at
with held as (
  select
    p.chain, p.vault_address, p.observed_at, p.day, p.held, p.is_liquidity, p.queue_index,
    cast(p.assets as double) / power(1e1, s.asset_decimals) as own, power(1e1, s.asset_decimals) as unit
  from obs.vault_position p
  join obs.vault_state s on s.chain = p.chain and s.vault_address = p.vault_address and s.observed_at = p.observed_at
  where p.observed_at >= @start and p.observed_at < @end and p.held_kind = 'vault'
    and s.observed_at >= @start and s.observed_at < @end
),
known as (
  select
    s.chain, s.vault_address, s.observed_at, s.day, s.kind, s.coverage, cast(s.total_assets as double) / power(1e1, s.asset_decimals) as total,
    r.withdrawable, r.withdrawable_shared, r.vault_positions
  from obs.vault_state s
  left join derived.vault_reading r on r.chain = s.chain and r.vault_address = s.vault_address and r.observed_at = s.observed_at
  where s.observed_at >= @start - 86400 and s.observed_at < @end
),
bucket as (
  select * from known
  union all
  select
    chain, vault_address, observed_at, day + 86400 as day, kind, coverage, total, withdrawable, withdrawable_shared, vault_positions
  from known
),
latest_state as (
  select
    h.chain, h.vault_address, h.observed_at, h.day, h.held, h.own, h.unit, h.is_liquidity, h.queue_index, max(b.observed_at) as held_at
  from held h
  cross join policy.vaults p
  left join bucket b
    on b.chain = h.chain and b.vault_address = h.held and b.day = h.day and b.observed_at <= h.observed_at
    and b.observed_at > h.observed_at - p.state_max_age_s
  group by h.chain, h.vault_address, h.observed_at, h.day, h.held, h.own, h.unit, h.is_liquidity, h.queue_index
),
judged as (
  select
    t.chain, t.vault_address, t.observed_at, t.day, t.held, t.own, t.unit, t.is_liquidity, t.queue_index,
    case
      when k.chain is null or k.vault_positions > 0 or k.withdrawable is null then null
      when t.own > k.withdrawable then k.withdrawable
      else t.own
    end as out_own,
    case when k.vault_positions = 0 and k.total > 0 then t.own * k.withdrawable_shared / k.total end as out_shared,
    case
      when k.chain is null or k.vault_positions > 0 then null
      when k.coverage is not null then t.own * (1 - exact_double(k.coverage))
      when k.kind in ('morpho_v1_0', 'yearn_v3', 'erc4626') then 0e0
    end as hidden_loss
  from latest_state t
  left join known k on k.chain = t.chain and k.vault_address = t.held and k.observed_at = t.held_at
)
select
  chain, vault_address, observed_at, day, count(*) as positions, exact_sum(own * unit) / max(unit) as assets,
  case when count(*) filter (where is_liquidity and own > 0 and out_own is null) = 0
    then coalesce(exact_sum(case when is_liquidity then out_own * unit end) / max(unit), 0e0) end as out_liquid,
  case when count(*) filter (where not is_liquidity and own > 0 and out_own is null) = 0
    then coalesce(exact_sum(case when not is_liquidity then out_own * unit end) / max(unit), 0e0) end as out_other,
  case when count(*) filter (where queue_index is not null and own > 0 and out_own is null) = 0
    then coalesce(exact_sum(case when queue_index is not null then out_own * unit end) / max(unit), 0e0) end as out_queued,
  case when count(*) filter (where own > 0 and out_shared is null) = 0 then coalesce(exact_sum(out_shared * unit) / max(unit), 0e0) end as out_shared,
  case when count(*) filter (where own > 0 and hidden_loss is null) = 0 then coalesce(exact_sum(hidden_loss * unit) / max(unit), 0e0) end as hidden_loss
from judged
group by chain, vault_address, observed_at, day
