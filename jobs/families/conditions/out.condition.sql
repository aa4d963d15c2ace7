-- Everything that is wrong now: a start without an end, with its value at the start, the worst value since and the last value, and the
-- rule that it broke. Values that were not measured are null. band is the threshold, in the unit of the values.
-- kind: full   grain: id
with peg as (
  select
    concat('peg.depeg.start|', chain, '|', asset_name, '|', quote) as id, 'peg.depeg.start' as type,
    case when level = 2 then 'high' else 'warn' end as severity,
    case
      when level = 0 then concat('A source of ', symbol, ' on ', chain, ' is off its peg, and others are not')
      else concat(symbol, ' on ', chain, ' is off its peg')
    end as title, chain, cast(null as varchar) as protocol,
    concat('peg:', chain, ':', asset_name) as subject_id, concat(symbol, ' / ', quote) as subject_name, array[symbol] as symbols,
    since_at, 'deviation' as measure, 'bps' as unit, cast(start_bps as double) as value_start, cast(worst_bps as double) as value_worst,
    worst_at, cast(last_bps as double) as value_now, last_at as now_at, event_key,
    concat('/v2/pegs/', chain, '/', asset_name, '/series') as series_url,
    array[
      cast(row('enter', cast(effective_enter_bps as double), 'bps', 'threshold') as row(name varchar, value double, unit varchar, role varchar)),
      cast(row('exit', cast(exit_bps as double), 'bps', 'threshold') as row(name varchar, value double, unit varchar, role varchar)),
      cast(row('confirm_observations', cast(confirm_observations as double), null, 'confirmation') as row(name varchar, value double, unit varchar, role varchar)),
      cast(row('confirm_spacing', cast(confirm_spacing_s as double), 'seconds', 'confirmation') as row(name varchar, value double, unit varchar, role varchar))
    ] as rule,
    cast(effective_enter_bps as double) as band
  from derived.peg_condition
),
feed as (
  select
    concat('oracle.stale|', chain, '|', feed_address), 'oracle.stale', grade,
    concat(pair, ' on ', chain, ' has not been updated in time'), chain, cast(null as varchar),
    concat('oracle:', chain, ':', feed_address, ':', coalesce(market_id, pair)), concat(base, ' / ', quote), array[base, quote],
    threshold_at, 'staleness', 'seconds', 0e0, cast(@now - threshold_at as double), @now, cast(@now - threshold_at as double), @now, event_key,
    concat('/v2/feeds/', chain, '/', feed_address, '/series'),
    array[
      cast(row('heartbeat', cast(heartbeat_s as double), 'seconds', 'threshold') as row(name varchar, value double, unit varchar, role varchar)),
      cast(row('grace', cast(grace_s as double), 'seconds', 'threshold') as row(name varchar, value double, unit varchar, role varchar)),
      cast(row('high', cast(stale_high_s as double), 'seconds', 'threshold') as row(name varchar, value double, unit varchar, role varchar)),
      cast(row('critical', cast(stale_critical_s as double), 'seconds', 'threshold') as row(name varchar, value double, unit varchar, role varchar))
    ],
    cast(heartbeat_s + grace_s as double)
  from derived.feed_condition
),
feed_invalid as (
  select
    concat('oracle.feed.invalid|', chain, '|', feed_address), 'oracle.feed.invalid', 'high',
    case
      when invalid_reason = 'at_bound' then concat(pair, ' on ', chain, ' is at the bound of what its feed can give')
      else concat(pair, ' on ', chain, ' has no valid last answer')
    end,
    chain, cast(null as varchar), concat('oracle:', chain, ':', feed_address, ':', coalesce(market_id, pair)), concat(base, ' / ', quote),
    array[base, quote], invalid_since_at, cast(null as varchar), cast(null as varchar), cast(null as double), cast(null as double),
    cast(null as bigint), cast(null as double), cast(null as bigint), event_key, concat('/v2/feeds/', chain, '/', feed_address, '/series'),
    array[], cast(null as double)
  from derived.feed_invalid_condition
),
market as (
  select
    concat(
      case when measure = 'utilization' then 'liquidity.utilization.spike|' else 'liquidity.depth.collapse|' end, chain, '|', market_id
    ),
    case when measure = 'utilization' then 'liquidity.utilization.spike' else 'liquidity.depth.collapse' end,
    case when measure = 'utilization' then 'high' else 'critical' end,
    case
      when measure = 'utilization' then concat('Nearly everything in ', name, ' on ', chain, ' is lent')
      else concat('Little can be withdrawn from ', name, ' on ', chain)
    end,
    chain, protocol, concat('liquidity:', chain, ':', market_id), name,
    case
      when collateral_symbol is not null and loan_symbol is not null then array[collateral_symbol, loan_symbol]
      when loan_symbol is not null then array[loan_symbol]
      else array[]
    end,
    since_at, case when measure = 'utilization' then 'utilization' else 'depth' end,
    case when measure = 'utilization' then 'fraction' else 'USD' end,
    case when measure = 'utilization' then round(start_value, 8) else round(start_value, 2) end,
    case when measure = 'utilization' then round(worst_value, 8) else round(worst_value, 2) end,
    worst_at,
    case when measure = 'utilization' then round(last_value, 8) else round(last_value, 2) end,
    last_at, event_key,
    concat('/v2/lending/markets/', chain, '/', market_id, '/history'),
    array[
      cast(
        row(
          case when withdrawable_below is null then 'start' else 'withdrawable_below' end,
          case
            when withdrawable_below is not null then withdrawable_below
            when measure = 'utilization' then threshold
            else round(threshold, 2)
          end,
          case
            when withdrawable_below is not null then 'fraction of the supply'
            when measure = 'utilization' then 'fraction'
            else 'USD'
          end,
          'threshold'
        ) as row(name varchar, value double, unit varchar, role varchar)
      ),
      cast(
        row(
          case when withdrawable_below is null then 'end' else 'withdrawable_rearm_from' end,
          case
            when withdrawable_below is not null then withdrawable_rearm_from
            when measure = 'utilization' then rearm_below
            else collapse_rearm_above
          end,
          case
            when withdrawable_below is not null then 'fraction of the supply'
            when measure = 'utilization' then 'fraction'
            else 'fraction of the median'
          end,
          'threshold'
        ) as row(name varchar, value double, unit varchar, role varchar)
      ),
      cast(row('confirm_observations', cast(confirm_observations as double), null, 'confirmation') as row(name varchar, value double, unit varchar, role varchar))
    ],
    case when withdrawable_below is null then threshold end
  from derived.market_condition
),
market_limit as (
  select
    concat('lending.', limit_kind, '|', chain, '|', market_id), concat('lending.', limit_kind),
    case when limit_kind = 'paused' then 'high' when limit_kind = 'frozen' then 'warn' when limit_kind in ('stale_state', 'contradictory_state') then 'warn' else 'info' end,
    case limit_kind
      when 'frozen' then concat(name, ' on ', chain, ' is frozen')
      when 'paused' then concat(name, ' on ', chain, ' is paused')
      when 'supply_cap' then concat(name, ' on ', chain, ' has reached its supply cap')
      when 'borrow_cap' then concat(name, ' on ', chain, ' has reached its borrow cap')
      when 'contradictory_state' then concat('The figures of ', name, ' on ', chain, ' contradict each other')
      else concat('The state of ', name, ' on ', chain, ' is out of date')
    end,
    chain, protocol, concat('liquidity:', chain, ':', market_id), name,
    case
      when collateral_symbol is not null and loan_symbol is not null then array[collateral_symbol, loan_symbol]
      when loan_symbol is not null then array[loan_symbol]
      else array[]
    end,
    since_at,
    case limit_kind when 'supply_cap' then 'supplied' when 'borrow_cap' then 'borrowed' when 'stale_state' then 'age' end,
    case when limit_kind in ('supply_cap', 'borrow_cap') then 'units of the asset' when limit_kind = 'stale_state' then 'seconds' end,
    cast(null as double), cast(null as double), cast(null as bigint),
    case when limit_kind = 'stale_state' then cast(@now - last_at as double) else last_value end, last_at, cast(null as varchar),
    concat('/v2/lending/markets/', chain, '/', market_id, '/history'),
    case
      when limit_value is null then array[]
      else array[
        cast(
          row(
            case when limit_kind = 'stale_state' then 'max_age' else limit_kind end, limit_value,
            case when limit_kind = 'stale_state' then 'seconds' else 'units of the asset' end, 'threshold'
          ) as row(name varchar, value double, unit varchar, role varchar)
        )
      ]
    end,
    limit_value
  from derived.market_limit_condition
),
collateral as (
  select
    concat('market.collateral_below_oracle|', c.chain, '|', c.market_id), 'market.collateral_below_oracle',
    case when c.unbacked_usd > 0 then 'critical' else 'high' end,
    concat(
      c.symbol, ' behind ', coalesce(r.name, c.market_id), ' on ', c.chain, ' is worth less than its oracle says',
      case
        when c.unbacked_usd > 0
          then concat('; ', case when c.is_unbacked_bound then 'up to ' else '' end, cast(exact_decimal(c.unbacked_usd, 38, 0) as varchar), ' USD of debt are not covered')
        else ''
      end,
      case when c.is_lent_out then '; everything is lent, so its supply rate is not earned' else '' end,
      case when c.vaults is null then '' else concat('; held by ', c.vaults) end
    ),
    c.chain, r.protocol, concat('liquidity:', c.chain, ':', c.market_id), coalesce(r.name, c.market_id),
    case when r.loan_symbol is null then array[c.symbol] else array[c.symbol, r.loan_symbol] end,
    cast(null as bigint), 'collateral gap', 'bps', cast(null as double), cast(null as double), cast(null as bigint), c.gap_bps, @now,
    cast(null as varchar), concat('/v2/lending/markets/', c.chain, '/', c.market_id, '/history'),
    array[cast(row('collateral_gap', -p.collateral_gap_bps, 'bps', 'threshold') as row(name varchar, value double, unit varchar, role varchar))],
    cast(p.collateral_gap_bps as double)
  from derived.market_collateral c
  cross join policy.lending p
  left join derived.lending_market r
    on r.chain = c.chain and r.market_id = c.market_id and r.valid_from <= @now and r.valid_to > @now
  where c.is_below_oracle
),
regime as (
  select
    'regime.shift|global', 'regime.shift', case when current_regime = 'crisis' then 'high' else 'warn' end,
    case when current_regime = 'crisis' then 'The market is in a crisis' else 'The market is in a risk-off regime' end,
    cast(null as varchar), cast(null as varchar), 'vault:global', 'Market regime', array[],
    shifted_at, 'confidence', 'fraction', cast(null as double), cast(null as double), cast(null as bigint), confidence, hour,
    cast(shifted_at as varchar), cast(null as varchar),
    array[
      cast(row('min_confidence', min_confidence, 'fraction', 'threshold') as row(name varchar, value double, unit varchar, role varchar)),
      cast(row('confirm_evaluations', cast(confirm_evaluations as double), null, 'confirmation') as row(name varchar, value double, unit varchar, role varchar))
    ],
    cast(null as double)
  from derived.regime_condition
),
assumption as (
  select
    concat('oracle.assumption.broken|', chain, '|', assumption_id), 'oracle.assumption.broken', severity,
    concat('Oracles on ', chain, ' assume what does not hold: ', statement), chain, cast(null as varchar),
    concat('assumption:', chain, ':', assumption_id), assumption_id,
    case when left_symbol is null or right_symbol is null then array[] else array[left_symbol, right_symbol] end,
    since_at, 'price gap', 'bps', cast(start_bps as double), cast(worst_bps as double), worst_at, cast(last_bps as double), last_at, event_key,
    cast(null as varchar),
    array[
      cast(row('enter', cast(enter_bps as double), 'bps', 'threshold') as row(name varchar, value double, unit varchar, role varchar)),
      cast(row('confirm_observations', cast(confirm_observations as double), null, 'confirmation') as row(name varchar, value double, unit varchar, role varchar)),
      cast(row('confirm_spacing', cast(confirm_spacing_s as double), 'seconds', 'confirmation') as row(name varchar, value double, unit varchar, role varchar))
    ],
    cast(enter_bps as double)
  from derived.assumption_condition
),
vault as (
  select
    concat('vault.liquidity.low|', chain, '|', vault_address, case when basis = 'collateral' then '|collateral' else '' end), 'vault.liquidity.low',
    severity,
    case
      when basis = 'collateral' then concat('Too little can be withdrawn from ', name, ' on ', chain, ' for the loans that its shares secure')
      else concat('Little can be withdrawn from ', name, ' on ', chain)
    end,
    chain, protocol, concat('vault:', chain, ':', vault_address), name,
    case when asset_symbol is null then array[] else array[asset_symbol] end,
    since_at, case when basis = 'collateral' then 'cover of collateral at risk' else 'withdrawable share' end,
    case when basis = 'collateral' then 'times' else 'fraction' end,
    round(start_value, 8), round(worst_value, 8), worst_at, round(last_value, 8), last_at, event_key,
    concat('/v2/vaults/', chain, '/', vault_address, '/history'),
    array[
      cast(
        row(
          case when basis = 'collateral' then 'buffer' else 'low_below' end, cast(low_below as double),
          case when basis = 'collateral' then 'times' else 'fraction' end, 'threshold'
        ) as row(name varchar, value double, unit varchar, role varchar)
      ),
      cast(
        row(
          case when basis = 'collateral' then 'rearm_buffer' else 'rearm_from' end, cast(rearm_from as double),
          case when basis = 'collateral' then 'times' else 'fraction' end, 'threshold'
        ) as row(name varchar, value double, unit varchar, role varchar)
      ),
      cast(row('confirm_observations', cast(confirm_observations as double), null, 'confirmation') as row(name varchar, value double, unit varchar, role varchar))
    ],
    cast(low_below as double)
  from derived.vault_liquidity_condition
),
everything as (
  select * from peg
  union all
  select * from feed
  union all
  select * from feed_invalid
  union all
  select * from market
  union all
  select * from market_limit
  union all
  select * from collateral
  union all
  select * from regime
  union all
  select * from assumption
  union all
  select * from vault
)
select
  e.id, e.type, e.severity, e.title, e.chain, e.protocol, e.subject_id, e.subject_name, e.symbols,
  replace(cast(cast(from_unixtime(e.since_at) as timestamp(0)) as varchar), ' ', 'T') || 'Z' as since,
  e.measure, e.unit, e.value_start, e.value_worst,
  replace(cast(cast(from_unixtime(e.worst_at) as timestamp(0)) as varchar), ' ', 'T') || 'Z' as worst_at,
  e.value_now,
  replace(cast(cast(from_unixtime(e.now_at) as timestamp(0)) as varchar), ' ', 'T') || 'Z' as now_at,
  e.rule,
  round(
    case
      -- A depth and what can be withdrawn fall below their threshold; a feed is late by its staleness beyond heartbeat and grace.
      when e.measure in ('depth', 'withdrawable share') then e.band / nullif(e.value_now, 0)
      when e.measure = 'staleness' then (e.value_now + e.band) / nullif(e.band, 0)
      else abs(e.value_now) / nullif(e.band, 0)
    end,
    4
  ) as band_multiple,
  -- Publication completes it from what it publishes of markets, vaults and yields.
  cast(null as varchar) as reach,
  v.policy_version,
  case when e.event_key is null then null else concat(e.type, '|', e.event_key) end as event_key,
  cast(null as varchar) as event_id,
  cast(null as varchar) as evidence_url,
  e.series_url
from everything e
cross join (select min(policy_version) as policy_version from policy.event_rule) v
