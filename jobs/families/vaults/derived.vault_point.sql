-- The figures of one vault at one block. The backed price and the coverage are lowered by what the quoted prices of held vaults hide, and
-- unknown if that is. Amounts are in units of the asset. is_empty: no shares exist, or, if their number is not stated, a price without assets.
-- gaps names what is missing for a figure that is null.
-- kind: window   grain: chain, vault_address, observed_at   time: observed_at   by_hour: observed_at   order: day, chain, vault_address, observed_at
with state as (
  select
    s.*, power(1e1, s.asset_decimals) as unit, v.asset_address, upper(v.asset_symbol) as asset_symbol,
    s.observed_at - s.observed_at % 3600 as hour
  from obs.vault_state s
  left join derived.lending_vault v
    on v.chain = s.chain and v.vault_address = s.vault_address and v.valid_from <= s.observed_at and v.valid_to > s.observed_at
  where s.observed_at >= @start and s.observed_at < @end
),
feed as (
  select symbol, hour, max_by(price, exact_double(weight)) as price_usd
  from derived.feed_hour
  where hour >= @start and hour < @end and weight is not null
  group by symbol, hour
),
priced as (
  select s.*, coalesce(s.asset_price_usd, m.price_usd, f.price_usd) as price_usd
  from state s
  left join derived.vault_asset_hour m on m.chain = s.chain and m.asset_address = s.asset_address and m.hour = s.hour
  left join feed f on f.symbol = s.asset_symbol and f.hour = s.hour
),
joined as (
  select
    s.*,
    cast(s.total_assets as double) / s.unit as total, cast(s.real_assets as double) / s.unit as real,
    cast(s.total_supply as double) / power(1e1, s.share_decimals) as supply,
    s.real_assets is null and s.backed_share_price is null and s.position_count is null and r.positions is null as is_quote_only,
    r.positions, r.vault_positions, r.is_complete, r.is_liquidity_above_supply, r.largest_assets, r.idle,
    h.hidden_loss, coalesce(r.vault_positions, 0) = 0 or h.hidden_loss is not null as is_backing_known,
    case
      when r.vault_positions = 0 then r.withdrawable
      when s.kind = 'morpho_v2' then r.withdrawable + h.out_liquid
      else r.withdrawable + h.out_queued
    end as withdrawable,
    case when r.vault_positions = 0 then r.withdrawable_shared else r.withdrawable_shared + h.out_shared end as withdrawable_shared,
    case when r.vault_positions = 0 then r.force_withdrawable else r.force_withdrawable + h.out_other end as force_withdrawable,
    r.force_penalty, r.reallocatable
  from priced s
  left join derived.vault_reading r on r.chain = s.chain and r.vault_address = s.vault_address and r.observed_at = s.observed_at
  left join derived.vault_held h on h.chain = s.chain and h.vault_address = s.vault_address and h.observed_at = s.observed_at
),
lowered as (
  select
    *,
    case
      when not is_backing_known then null
      when coalesce(hidden_loss, 0e0) = 0 then backed_share_price
      when real > 0 then cast(backed_share_price - exact_decimal(exact_double(backed_share_price) * least(hidden_loss / real, 1e0), 38, 18) as decimal(38, 18))
    end as backed_price,
    case
      when not is_backing_known then null
      when coalesce(hidden_loss, 0e0) = 0 then exact_double(coverage)
      when real > 0 then exact_double(coverage) * (1 - least(hidden_loss / real, 1e0))
    end as backed_share
  from joined
),
-- What backs the shares may be more than the quoted assets; that cannot be withdrawn.
bounded as (
  select
    chain, vault_address, observed_at, day, block_number, kind, asset_decimals, share_decimals, unit, price_usd, share_price, backed_price,
    backed_share, total_supply, total, supply, real, idle, undistributed_assets, lost_assets, hidden_loss, is_backing_known, is_quote_only,
    positions, is_complete, is_liquidity_above_supply, largest_assets, force_withdrawable, force_penalty, reallocatable, performance_fee,
    management_fee, send_shares_gate, receive_assets_gate, source_id,
    case when withdrawable > total then total else withdrawable end as withdrawable,
    case when withdrawable_shared > total then total else withdrawable_shared end as withdrawable_shared,
    coalesce(backed_price, case when kind in ('erc4626', 'unknown') or is_quote_only then share_price end) as judged_price
  from lowered
)
select
  chain, vault_address, observed_at, day, block_number, kind, asset_decimals, share_decimals, unit, price_usd as asset_price_usd,
  share_price, backed_price as backed_share_price,
  judged_price, backed_price is not null as is_backed, coalesce(total_supply = '0', total = 0 and judged_price > 0, false) as is_empty,
  backed_share as coverage, total_supply, total as total_assets, supply, idle as idle_assets,
  cast(undistributed_assets as double) / unit as undistributed_assets,
  case when is_backing_known then cast(lost_assets as double) / unit + coalesce(hidden_loss, 0e0) end as lost_assets,
  total * price_usd as total_assets_usd,
  positions, coalesce(is_complete, false) as is_complete, largest_assets / nullif(real, 0) as largest_share,
  withdrawable, withdrawable_shared, force_withdrawable, force_penalty, reallocatable,
  case when total > 0 then withdrawable / total end as withdrawable_share,
  withdrawable * price_usd as withdrawable_usd,
  withdrawable_shared * price_usd as withdrawable_shared_usd,
  force_withdrawable * price_usd as force_withdrawable_usd,
  reallocatable * price_usd as reallocatable_usd,
  cast(performance_fee as double) / 1e18 as performance_fee, cast(management_fee as double) * 31536000 / 1e18 as management_fee,
  case
    when kind <> 'morpho_v2' then case when kind in ('erc4626', 'unknown') then null else false end
    when send_shares_gate is null or receive_assets_gate is null then null
    else send_shares_gate <> '0x0000000000000000000000000000000000000000'
      or receive_assets_gate <> '0x0000000000000000000000000000000000000000'
  end as is_gated,
  substr(concat(
    case when asset_decimals is null or share_decimals is null then ',decimals_unknown' else '' end,
    case when not is_backing_known then ',held_vault_unknown' else '' end,
    case when is_liquidity_above_supply then ',liquidity_above_supply' else '' end,
    case
      when kind in ('erc4626', 'unknown') or not coalesce(is_complete, false) then ''
      when withdrawable is null or withdrawable_shared is null or kind = 'morpho_v2' and force_withdrawable is null then ',market_state_unknown'
      else ''
    end,
    case when not coalesce(is_complete, false) and kind not in ('erc4626', 'unknown') then ',positions_missing' else '' end,
    case when price_usd is null then ',price_unknown' else '' end,
    case
      when is_backing_known and backed_price is null and share_price is not null and is_complete and kind not in ('erc4626', 'unknown')
        and coalesce(total_supply <> '0', true) then ',real_assets_unknown'
      else ''
    end,
    case when reallocatable is null and kind like 'morpho%' then ',reallocatable_unknown' else '' end,
    case when share_price is null then ',share_price_unknown' else '' end
  ), 2) as gaps,
  source_id
from bounded
