-- One state of a vault whose price cannot be compared with the one before, or has changed as interest cannot explain. `fell`: the backed
-- price, or the quoted one if what backs the shares is not stated at either of the two states, lost more than the management fee and
-- rounding. `donated`: the quoted price rose more than the highest interest. `price_reset`: the vault was empty in between.
-- `kind_changed`: another contract or other decimals. Compared are consecutive known prices, however far apart. Of a vault with several
-- sources, all of that is what the states of one source show, which are at most a day apart. `sources_disagree`: the state before is of
-- another source, and the price differs from it as the source's own states do not explain.
-- kind: window   grain: chain, vault_address, observed_at, reason   time: observed_at   order: day, chain, vault_address, observed_at, reason
with point as (
  select
    chain, vault_address, observed_at, kind, asset_decimals, share_decimals, judged_price, is_backed, share_price, management_fee,
    positions, cast(total_assets * unit as double) as total_units, source_id,
    case when judged_price is not null and not is_empty then observed_at end as judged_at,
    case when is_empty then observed_at end as emptied_at
  from derived.vault_point
  where observed_at >= @start - 86400 and observed_at < @end
),
known as (
  select
    chain, vault_address, judged_at as observed_at, kind, asset_decimals, share_decimals, judged_price, is_backed, share_price,
    management_fee, cast(null as bigint) as positions, cast(null as double) as total_units, source_id, judged_at, emptied_at
  from derived.vault_day
  where day = @start - 86400 and judged_at is not null
  union all
  select
    chain, vault_address, observed_at, kind, asset_decimals, share_decimals, judged_price, is_backed, share_price,
    management_fee, positions, total_units, source_id, judged_at, emptied_at
  from point
  where observed_at >= @start
),
emptied as (
  select
    *, max(emptied_at) over (partition by chain, vault_address order by observed_at rows between unbounded preceding and current row) as empty_at
  from known
),
step as (
  select
    *,
    lag(observed_at) over in_order as previous_at, lag(kind) over in_order as previous_kind,
    lag(asset_decimals) over in_order as previous_asset_decimals, lag(share_decimals) over in_order as previous_share_decimals,
    lag(judged_price) over in_order as previous_judged, lag(is_backed) over in_order as was_backed,
    lag(share_price) over in_order as previous_quoted, lag(source_id) over in_order is distinct from source_id as is_other_source
  from emptied
  where judged_at is not null
  window in_order as (partition by chain, vault_address order by observed_at)
),
several as (
  select chain, vault_address from point group by chain, vault_address having min(source_id) <> max(source_id)
),
own_emptied as (
  select
    p.*, max(p.emptied_at) over (partition by p.chain, p.vault_address order by p.observed_at rows between unbounded preceding and current row)
      as empty_at
  from point p
  join several s on s.chain = p.chain and s.vault_address = p.vault_address
),
own_step as (
  select
    *,
    lag(observed_at) over in_order as previous_at, lag(kind) over in_order as previous_kind,
    lag(asset_decimals) over in_order as previous_asset_decimals, lag(share_decimals) over in_order as previous_share_decimals,
    lag(judged_price) over in_order as previous_judged, lag(is_backed) over in_order as was_backed,
    lag(share_price) over in_order as previous_quoted, false as is_other_source
  from own_emptied
  where judged_at is not null
  window in_order as (partition by chain, vault_address, source_id order by observed_at)
),
pair as (
  select * from step
  union all
  select o.*
  from own_step o
  join step s on s.chain = o.chain and s.vault_address = o.vault_address and s.observed_at = o.observed_at and s.is_other_source
  where o.previous_at >= o.observed_at - 86400
),
compared as (
  select
    s.chain, s.vault_address, s.observed_at, s.previous_at, s.share_price, s.previous_quoted, s.management_fee, s.positions, s.total_units,
    s.is_other_source,
    case when s.is_backed and s.was_backed then s.judged_price else s.share_price end as judged_price,
    case when s.is_backed and s.was_backed then s.previous_judged else s.previous_quoted end as previous_price,
    s.observed_at - s.previous_at as elapsed_s,
    case
      when s.is_other_source
        then s.kind <> s.previous_kind and s.kind not in ('erc4626', 'unknown') and s.previous_kind not in ('erc4626', 'unknown')
          or coalesce(s.asset_decimals <> s.previous_asset_decimals, false) or coalesce(s.share_decimals <> s.previous_share_decimals, false)
      else s.kind is distinct from s.previous_kind or s.asset_decimals is distinct from s.previous_asset_decimals
        or s.share_decimals is distinct from s.previous_share_decimals
    end as is_other_kind,
    coalesce(s.empty_at > s.previous_at, false) as is_reset
  from pair s
  where s.previous_at is not null and s.observed_at >= @start
),
active as (
  select c.chain, c.vault_address, c.observed_at, c.previous_at, count(distinct l.tx_hash) as interactions
  from compared c
  join obs.vault_log l
    on l.chain = c.chain and l.vault_address = c.vault_address and l.block_timestamp > c.previous_at and l.block_timestamp <= c.observed_at
  where c.judged_price < c.previous_price and not l.is_removed
  group by c.chain, c.vault_address, c.observed_at, c.previous_at
),
judged as (
  select
    c.*,
    exact_double(c.previous_price) * (
      coalesce(c.management_fee, 0e0) * c.elapsed_s / 31536000
      + case
          when coalesce((coalesce(c.positions, 0) + 1) * (coalesce(a.interactions, 0) + 1) / nullif(c.total_units, 0), 0e0) > p.tolerance_bps / 10000
            then (coalesce(c.positions, 0) + 1) * (coalesce(a.interactions, 0) + 1) / c.total_units
          else p.tolerance_bps / 10000
        end
    ) as allowed_fall,
    -- Interest compounds: over a long silence it is more than the rate times the time.
    exact_double(c.share_price) / exact_double(c.previous_quoted) - p.rise_bps / 10000 - exp(least(p.max_rate * c.elapsed_s / 31536000, 1e2))
      as excess_rise
  from compared c
  cross join policy.vaults p
  left join active a
    on a.chain = c.chain and a.vault_address = c.vault_address and a.observed_at = c.observed_at and a.previous_at = c.previous_at
  where c.previous_price > 0
),
-- What the states of the same source show comes first.
broken as (
  select
    *,
    row_number() over (partition by chain, vault_address, observed_at order by case when is_other_source then 1 else 0 end) as turn
  from judged
  where is_other_kind or is_reset or excess_rise > 0
    or cast(previous_price as decimal(38, 18)) - judged_price
      > case when allowed_fall < 1e18 then exact_decimal(allowed_fall, 38, 18) else previous_price end
)
select
  chain, vault_address, observed_at, observed_at - observed_at % 86400 as day, previous_at,
  case
    when is_other_source and not is_reset then 'sources_disagree'
    when is_other_kind then 'kind_changed'
    when is_reset then 'price_reset'
    when excess_rise > 0 then 'donated'
    else 'fell'
  end as reason,
  previous_price, judged_price, previous_quoted, share_price as quoted_price,
  10000 * (1 - exact_double(judged_price) / exact_double(previous_price)) as fall_bps
from broken
where turn = 1
