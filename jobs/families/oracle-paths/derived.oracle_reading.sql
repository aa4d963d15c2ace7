-- One reading of the path of one market with its verdict. path_status: `complete`, `assumption` (what is left over differs, one to one,
-- within one unit of account), `incomplete`, `swapped` or `unknown`. failed lists the checks that failed, each with its own name. The
-- verdict is `wrong` if any check failed, `unknown` if a part is not known, `verified` only if our own arithmetic over legs of known kinds
-- gives the price to the last digit and every check could be made, else `unverified`. path_hash: of everything about the legs but their values. What was not read is left
-- out of it, so that readings of the same path may have different ones.
-- left_1 = right_1, left_2 = right_2: the assumptions that close the path; the right one is the unit of account, if one of them is.
-- kind: window   grain: chain, market_id, oracle_address, observed_at   time: observed_at   by_hour: observed_at   order: day, chain, market_id, observed_at
with unit as (
  select symbol, symbol as unit from policy.oracle_unit
  union all
  select symbol, min(coalesce(nullif(split_part(reference_pair, '-', 1), ''), quote)) as unit
  from policy.peg_asset
  where symbol not in (select symbol from policy.oracle_unit)
  group by symbol
),
counted as (
  select
    chain, market_id, oracle_address, observed_at,
    count(*) as legs,
    count(*) filter (where parent_index is null and not is_standby) as own_legs,
    count(*) filter (where parent_index is null and not is_standby and (from_unit is null or to_unit is null)) as unknown_pairs,
    count(*) filter (where value is null and not is_standby) as unread_legs,
    count(*) filter (where kind = 'unknown' or kind_by = 'interface') as unknown_kinds,
    count(*) filter (where is_decimals_wrong) as wrong_decimals,
    count(*) filter (where is_cyclic) as cycles,
    count(*) filter (where computed_value <> value) as wrong_values,
    count(*) filter (where is_uncomputed and not is_standby) as uncomputed_values,
    coalesce(array_join(array_agg(value order by leg_index) filter (where side = 'base' and parent_index is null and not is_standby), '*'), '1') as base_factors,
    coalesce(array_join(array_agg(value order by leg_index) filter (where side = 'quote' and parent_index is null and not is_standby), '*'), '1') as quote_factors,
    -- Decimals of the tokens at both ends, if a vault is there, else null.
    max(case when role = 'vault' and side = 'base' and parent_index is null and not is_standby then decimals end) as base_decimals,
    max(case when role = 'vault' and side = 'quote' and parent_index is null and not is_standby then decimals end) as quote_decimals,
    sum(case when role = 'feed' and parent_index is null and not is_standby then case when side = 'base' then -decimals else decimals end else 0 end) as feed_decimals,
    count(*) filter (
      where (decimals is null or role = 'vault' and coalesce(cast(sample as double), 0e0) = 0) and parent_index is null and not is_standby
    ) as unknown_units,
    max(case when role = 'vault' and side = 'base' and parent_index is null and not is_standby then cast(sample as double) end) as base_sample,
    max(case when role = 'vault' and side = 'quote' and parent_index is null and not is_standby then cast(sample as double) end) as quote_sample,
    max(case when role = 'vault' and parent_index is null and not is_standby then 10000 / nullif(cast(value as double), 0e0) end) as sample_error_bps,
    array_join(
      array_agg(
        concat(
          side, ' ', role, ' ', contract, ' ', kind, ' ', coalesce(from_symbol, '?'), '/', coalesce(to_symbol, '?'), ' ',
          coalesce(cast(decimals as varchar), '?'), ' ', coalesce(sample, '-'), ' ', coalesce(implementation, '-'), ' ', coalesce(code_hash, '-'), ' ',
          case when is_standby then 'standby' else '-' end, ' ', coalesce(cast(parent_index as varchar), '-')
        )
        order by leg_index
      ),
      '; '
    ) as legs_text,
    array_join(array_agg(concat(cast(leg_index as varchar), ' ', settings) order by leg_index) filter (where settings is not null), '; ')
      as settings_text
  from derived.oracle_path_leg
  where observed_at >= @start and observed_at < @end
  group by chain, market_id, oracle_address, observed_at
),
joined as (
  select
    p.chain, p.market_id, p.oracle_address, p.observed_at, p.day, p.block_number, p.kind, p.kind_by, p.price, p.price_decimal, p.price_number,
    p.computed_price, p.scale_factor, p.leg_count, p.implementation, p.code_hash, p.standby_address, p.change_tx_hash, p.change_caller,
    p.change_cause, p.is_scaled, b.base_symbol, b.quote_symbol, b.left_symbol, b.right_symbol, b.is_empty, b.is_balanced, b.left_over, b.missing,
    coalesce(c.legs, 0) as legs, coalesce(c.unknown_pairs, 0) as unknown_pairs, coalesce(c.unread_legs, 0) as unread_legs,
    coalesce(c.unknown_kinds, 0) as unknown_kinds, coalesce(c.wrong_decimals, 0) as wrong_decimals, coalesce(c.cycles, 0) as cycles,
    coalesce(c.wrong_values, 0) as wrong_values, coalesce(c.uncomputed_values, 0) as uncomputed_values, c.legs_text, c.settings_text, c.sample_error_bps,
    coalesce(c.base_factors, '1') <> p.base_factors or coalesce(c.quote_factors, '1') <> p.quote_factors as is_factor_wrong,
    -- Compared as a logarithm: powers of ten this large are not exact as doubles.
    case
      when not p.is_scaled or coalesce(c.unknown_units, 0) > 0 or cast(p.scale_factor as double) = 0 then null
      else round(
        log10(cast(p.scale_factor as double))
          - (
            36 + coalesce(c.quote_decimals, p.loan_decimals) - coalesce(c.base_decimals, p.collateral_decimals) + coalesce(c.feed_decimals, 0)
            + log10(coalesce(c.quote_sample, 1e0)) - log10(coalesce(c.base_sample, 1e0))
          ),
        6
      )
    end as scale_error,
    ub.unit as base_unit, uq.unit as quote_unit, ul.unit as left_unit, ur.unit as right_unit
  from (select *, kind in ('morpho_v1', 'morpho_v2', 'meta') as is_scaled from obs.oracle_price) p
  join derived.oracle_balance b
    on b.chain = p.chain and b.market_id = p.market_id and b.oracle_address = p.oracle_address and b.observed_at = p.observed_at
  left join counted c
    on c.chain = p.chain and c.market_id = p.market_id and c.oracle_address = p.oracle_address and c.observed_at = p.observed_at
  left join unit ub on ub.symbol = b.base_symbol
  left join unit uq on uq.symbol = b.quote_symbol
  left join unit ul on ul.symbol = b.left_symbol
  left join unit ur on ur.symbol = b.right_symbol
  where p.observed_at >= @start and p.observed_at < @end
),
placed as (
  select
    *,
    case
      when base_symbol is null or legs <> leg_count or unknown_pairs > 0 or cycles > 0 then 'unknown'
      when is_balanced then 'complete'
      when is_empty and coalesce(base_unit = quote_unit, true) then 'assumption'
      when left_symbol is null or right_symbol is null then 'incomplete'
      when left_symbol = quote_symbol and right_symbol = base_symbol then 'swapped'
      when (left_symbol = base_symbol or coalesce(left_unit = base_unit, true)) and (right_symbol = quote_symbol or coalesce(right_unit = quote_unit, true))
        then 'assumption'
      when (left_symbol = quote_symbol and coalesce(right_unit = base_unit, true)) or (right_symbol = base_symbol and coalesce(left_unit = quote_unit, true))
        then 'swapped'
      else 'incomplete'
    end as path_status
  from joined
),
checked as (
  select
    p.*,
    substr(concat(
      case when p.cycles > 0 then ',cycle' else '' end,
      case when p.legs <> p.leg_count then ',leg_missing' else '' end,
      case when p.wrong_decimals > 0 then ',wrong_decimals' else '' end,
      case when p.scale_error <> 0 or p.is_scaled and cast(p.scale_factor as double) = 0 then ',wrong_scale' else '' end,
      case when p.sample_error_bps > s.sample_tolerance_bps then ',coarse_sample' else '' end,
      case when p.is_factor_wrong then ',wrong_factors' else '' end,
      case when p.computed_price <> p.price then ',wrong_price' else '' end,
      case when p.wrong_values > 0 then ',wrong_value' else '' end,
      case when p.path_status in ('incomplete', 'swapped') then concat(',', p.path_status) else '' end
    ), 2) as failed
  from placed p
  cross join policy.oracle_paths s
)
select
  chain, market_id, oracle_address, observed_at, day, block_number, kind, kind_by, price, price_decimal, price_number, computed_price,
  scale_factor, leg_count, standby_address, change_tx_hash, change_caller, change_cause, base_symbol, quote_symbol, path_status, left_over,
  missing, failed, scale_error, sample_error_bps,
  case
    when failed <> '' then 'wrong'
    when path_status = 'unknown' or kind = 'unknown' or price is null then 'unknown'
    when computed_price is null or unread_legs > 0 or uncomputed_values > 0 or unknown_kinds > 0 or kind_by = 'interface' then 'unverified'
    when is_scaled and scale_error is null then 'unverified'
    else 'verified'
  end as verdict,
  implementation, code_hash,
  lower(to_hex(sha256(to_utf8(concat(
    kind, ' ', oracle_address, ' ', coalesce(scale_factor, '-'), ' ', coalesce(implementation, '-'), ' ', coalesce(code_hash, '-'), ' ',
    coalesce(standby_address, '-'), ' ', coalesce(change_tx_hash, '-'), ': ', coalesce(legs_text, ''),
    case when settings_text is null then '' else concat('; ', settings_text) end
  ))))) as path_hash,
  case
    when path_status <> 'assumption' then null
    when is_empty or left_symbol <> base_symbol then base_symbol
    when right_symbol in (select symbol from policy.oracle_unit) then quote_symbol
    else right_symbol
  end as left_1,
  case
    when path_status <> 'assumption' then null
    when is_empty then quote_symbol
    when left_symbol <> base_symbol then left_symbol
    when right_symbol in (select symbol from policy.oracle_unit) then right_symbol
    else quote_symbol
  end as right_1,
  case
    when path_status <> 'assumption' or is_empty or left_symbol = base_symbol or right_symbol = quote_symbol then null
    when right_symbol in (select symbol from policy.oracle_unit) then quote_symbol
    else right_symbol
  end as left_2,
  case
    when path_status <> 'assumption' or is_empty or left_symbol = base_symbol or right_symbol = quote_symbol then null
    when right_symbol in (select symbol from policy.oracle_unit) then right_symbol
    else quote_symbol
  end as right_2,
  is_empty and path_status = 'assumption' as is_constant
from checked
