-- A fall of the share price of one vault between two states, where it happened, and what the logs in between say about its cause. A market
-- or held vault lost what one share of it is worth less now; the markets are a JSON list, largest loss first.
-- kind: window   grain: chain, vault_address, observed_at   time: observed_at   order: day, chain, vault_address, observed_at
with fall as (
  select
    b.chain, b.vault_address, b.observed_at, b.day, b.previous_at, b.previous_price, b.judged_price, b.previous_quoted, b.quoted_price, b.fall_bps,
    p.supply, p.unit, p.asset_price_usd, p.coverage, p.block_number
  from derived.vault_break b
  join derived.vault_point p on p.chain = b.chain and p.vault_address = b.vault_address and p.observed_at = b.observed_at
  where b.reason = 'fell' and b.observed_at >= @start and b.observed_at < @end and p.observed_at >= @start and p.observed_at < @end
),
worth as (
  select
    f.chain, f.vault_address, f.observed_at, o.held, o.held_kind, cast(o.assets as double) / f.unit as assets_before,
    cast(o.shares as double) as shares_before, cast(null as double) as assets_after, cast(null as double) as shares_after
  from fall f
  join obs.vault_position o on o.chain = f.chain and o.vault_address = f.vault_address and o.observed_at = f.previous_at
  union all
  select
    f.chain, f.vault_address, f.observed_at, o.held, o.held_kind, cast(null as double) as assets_before, cast(null as double) as shares_before,
    cast(o.assets as double) / f.unit as assets_after, cast(o.shares as double) as shares_after
  from fall f
  join obs.vault_position o on o.chain = f.chain and o.vault_address = f.vault_address and o.observed_at = f.observed_at
),
part as (
  select
    chain, vault_address, observed_at, held, held_kind, sum(assets_before) as assets_before, sum(shares_before) as shares_before,
    sum(assets_after) as assets_after, sum(shares_after) as shares_after, count(assets_after) as after
  from worth
  group by chain, vault_address, observed_at, held, held_kind
),
lost as (
  select
    p.chain, p.vault_address, p.observed_at, p.held, p.held_kind, p.after,
    case
      when p.after = 0 then p.assets_before
      when p.shares_before > 0 and p.shares_after > 0 then p.shares_after * (p.assets_before / p.shares_before - p.assets_after / p.shares_after)
    end as loss
  from part p
),
summed as (
  select
    l.chain, l.vault_address, l.observed_at,
    sum(case when l.after > 0 and l.held_kind = 'market' then l.loss end) as market_loss,
    sum(case when l.after > 0 and l.held_kind = 'vault' then l.loss end) as vault_loss,
    sum(case when l.after = 0 and l.held_kind = 'market' then l.loss end) as removed_loss,
    concat('[', array_join(array_agg(
      concat('{"market_id":"', l.held, '","loss_assets":', cast(exact_decimal(l.loss, 38, 6) as varchar), '}') order by l.loss desc, l.held
    ) filter (where l.held_kind = 'market'), ','), ']') as markets
  from lost l
  join fall f on f.chain = l.chain and f.vault_address = l.vault_address and f.observed_at = l.observed_at
  -- Less than this is rounding.
  where l.loss > 2 / f.unit and l.loss > 1e-9 * f.supply and l.loss < 1e18
  group by l.chain, l.vault_address, l.observed_at
),
logged as (
  select
    f.chain, f.vault_address, f.observed_at,
    count(*) filter (where l.on_chain_event = 'burn_shares') as burns,
    count(*) filter (where l.on_chain_event = 'set_withdraw_queue') as queues
  from fall f
  join obs.vault_log l
    on l.chain = f.chain and l.vault_address = f.vault_address and l.block_timestamp > f.previous_at and l.block_timestamp <= f.observed_at
  where not l.is_removed and l.on_chain_event in ('burn_shares', 'set_withdraw_queue')
  group by f.chain, f.vault_address, f.observed_at
)
select
  f.chain, f.vault_address, f.observed_at, f.day, f.previous_at, f.previous_price, f.judged_price, f.previous_quoted, f.quoted_price, f.fall_bps,
  exact_double(cast(f.previous_price - f.judged_price as decimal(38, 18))) * f.supply as loss_assets,
  exact_double(cast(f.previous_price - f.judged_price as decimal(38, 18))) * f.supply * f.asset_price_usd as loss_usd,
  f.coverage, f.block_number,
  case
    when g.burns > 0 then 'shares_burned'
    when s.removed_loss > 0 and g.queues > 0 then 'market_removed'
    when s.vault_loss > 0 then 'held_vault_fell'
    when s.market_loss > 0 then 'bad_debt_realised'
    else 'unknown'
  end as cause,
  coalesce(s.markets, '[]') as markets
from fall f
left join summed s on s.chain = f.chain and s.vault_address = f.vault_address and s.observed_at = f.observed_at
left join logged g on g.chain = f.chain and g.vault_address = f.vault_address and g.observed_at = f.observed_at
