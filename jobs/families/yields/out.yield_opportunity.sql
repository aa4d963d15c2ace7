-- One yield opportunity as last observed (4.22, decisions 15-17). An opportunity without an observation for a while is flagged, and later
-- dropped. What a live source reads is judged as far as it was read, and by the clock once reading has stopped. A rank needs a risk score,
-- a credible APY and a recent observation. The quality gate lists what is missing, stale or unverifiable.
-- kind: full   grain: id
with ranked as (
  select
    d.*, p.stale_after_s, r.read_through_at, r.accepted_at, coalesce(r.is_overdue, true) as is_unread, p.band_low_to, p.band_medium_to, p.band_high_to,
    p.weight_liquidity, p.weight_yield_stability, p.weight_yield_source, p.weight_asset, p.weight_maturity,
    p.weight_structure, p.weight_venue,
    row_number() over (partition by d.opportunity_id order by d.day desc) as place
  from derived.yield_day d
  cross join policy.yields p
  left join derived.table_reading r on r.table_name = 'yield_pool'
  where d.day >= @now - p.keep_s - 86400 and d.observed_at > @now - p.keep_s and d.observed_at <= @now
),
latest as (
  select
    *,
    observed_at < @now - stale_after_s
      and (is_unread or observed_at < read_through_at - stale_after_s and observed_at < coalesce(accepted_at, 253402300799)) as is_stale,
    net_apy is not null and not is_plausible as is_implausible,
    liquidity_score is null or yield_stability_score is null or yield_source_score is null or asset_score is null
      or maturity_score is null or structure_score is null or venue_score is null as is_category_missing,
    -- Two indexers may report one pool under two venue names, one by id and one by contract.
    count(*) over (partition by chain, lower(pool_id)) > 1
      or (address is not null and count(*) over (partition by chain, address, asset) > 1) as is_duplicate,
    round(
      case
        when not is_plausible then null
        when coalesce(is_spike, false) then mean_30d
        else net_apy
      end * (1 - risk_score / 100),
      6
    ) as adjusted_apy
  from ranked
  where place = 1
),
doubted as (
  select
    l.*, b.market_verdict, b.is_price_doubtful, b.uncovered_low_usd, b.uncovered_high_usd, b.is_cover_unknown, b.is_assumption_broken,
    substr(concat(
      case when l.net_apy is null then ',apy_missing' else '' end,
      case when l.is_implausible then ',apy_implausible' else '' end,
      case when b.is_price_doubtful then ',asset_price_doubtful' else '' end,
      case when l.is_more_than_locked then ',available_above_tvl' else '' end,
      case when l.is_category_missing then ',category_missing' else '' end,
      case when b.market_verdict in ('stale', 'unverifiable') then concat(',market_oracle_', b.market_verdict) else '' end,
      case when l.is_mean_from_source then ',mean_from_source' else '' end,
      case when b.is_assumption_broken then ',oracle_assumption_broken' else '' end,
      case when l.is_outlier then ',outlier' else '' end,
      case when l.risk_score is null then ',score_missing' else '' end,
      case when l.is_stale then ',stale' else '' end,
      case when l.tvl_usd is null then ',tvl_missing' else '' end,
      case when b.uncovered_high_usd > 0 then ',uncovered_debt' else '' end,
      case when b.is_cover_unknown then ',uncovered_debt_unknown' else '' end
    ), 2) as warnings
  from latest l
  left join derived.yield_backing b on b.opportunity_id = l.opportunity_id
),
percentile as (
  select
    opportunity_id,
    round(100 * cume_dist() over (order by adjusted_apy), 2) as adjusted_score
  from latest
  where adjusted_apy is not null and not is_stale
)
select
  l.opportunity_id as id,
  concat(l.asset, case when l.label is null then '' else concat(' (', l.label, ')') end, ' on ', l.venue) as name,
  l.venue, l.chain, l.asset,
  split(l.assets, ',') as assets,
  l.strategy, l.directionality, l.tier,
  l.net_apy as "netApy", l.base_apy as "baseApy", l.reward_apy as "rewardApy",
  l.mean_7d as "apyMean7d", l.mean_30d as "apyMean30d", l.sigma as "apySigma", l.is_spike as "apySpike",
  l.tvl_usd as "tvlUsd", l.available_liquidity_usd as "availableLiquidityUsd",
  l.liquidity_score as "liquidityScore",
  l.risk_score as "riskScore",
  case
    -- A low risk has to be shown: what is not known could be what raises it.
    when l.risk_score <= l.band_low_to and (l.is_category_missing or l.available_liquidity_usd is null) then null
    when l.risk_score <= l.band_low_to then 'low'
    when l.risk_score <= l.band_medium_to then 'medium'
    when l.risk_score <= l.band_high_to then 'high'
    when l.risk_score is not null then 'critical'
  end as "riskBand",
  array[
    cast(row('liquidity', l.liquidity_score, l.weight_liquidity, case when l.liquidity_score is null then 'TVL is not known' end)
      as row(category varchar, score double, weight double, reason varchar)),
    cast(row('yield_stability', l.yield_stability_score, l.weight_yield_stability,
      case when l.yield_stability_score is null then 'too few days have been observed' end)
      as row(category varchar, score double, weight double, reason varchar)),
    cast(row('yield_source', l.yield_source_score, l.weight_yield_source,
      case
        when l.yield_source_score is not null then null
        when not l.is_plausible then 'the APY is not known or not plausible'
        when l.net_apy <= 0 then 'nothing is earned'
        else 'the parts of the APY are not known'
      end)
      as row(category varchar, score double, weight double, reason varchar)),
    cast(row('asset', l.asset_score, l.weight_asset,
      case when l.asset_score is null then concat('nothing is known of ', l.unknown_symbol) end)
      as row(category varchar, score double, weight double, reason varchar)),
    cast(row('maturity', l.maturity_score, l.weight_maturity, cast(null as varchar))
      as row(category varchar, score double, weight double, reason varchar)),
    cast(row('structure', l.structure_score, l.weight_structure,
      case when l.structure_score is null then 'exposure and terms of withdrawal are not known' end)
      as row(category varchar, score double, weight double, reason varchar)),
    cast(row('venue', l.venue_score, l.weight_venue,
      case when l.venue_score is null then concat('age or audits of ', l.venue, ' are not known') end)
      as row(category varchar, score double, weight double, reason varchar))
  ] as "riskFactors",
  l.adjusted_apy as "riskAdjustedApy",
  s.adjusted_score as "riskAdjustedScore",
  round(l.uncovered_low_usd, 2) as "uncoveredDebtLowUsd", round(l.uncovered_high_usd, 2) as "uncoveredDebtHighUsd",
  l.has_il_risk as "ilRisk", l.exposure,
  l.withdrawal_state as "withdrawalState", l.lockup_seconds as "lockupSeconds",
  l.curator, l.address, l.url,
  array_remove(
    array[
      case when l.is_implausible then 'apy_implausible' else '' end,
      case when l.is_spike then 'apy_spike' else '' end,
      case when l.is_ambiguous then 'asset_ambiguous' else '' end,
      case when l.is_depegged then 'asset_depegged' else '' end,
      case when l.is_price_doubtful then 'asset_price_doubtful' else '' end,
      case when l.asset_score is null then 'asset_unknown' else '' end,
      case when l.is_more_than_locked then 'available_above_tvl' else '' end,
      case when l.is_duplicate then 'duplicate_listing' else '' end,
      case when l.market_verdict = 'stale' then 'market_oracle_stale' else '' end,
      case when l.market_verdict = 'unverifiable' then 'market_oracle_unverifiable' else '' end,
      case when l.is_mean_from_source then 'mean_from_source' else '' end,
      case when l.is_assumption_broken then 'oracle_assumption_broken' else '' end,
      case when l.is_outlier then 'outlier' else '' end,
      case when l.net_apy > 0 and l.reward_apy >= l.net_apy then 'reward_only' else '' end,
      case when l.is_stale then 'stale' else '' end,
      case when l.uncovered_high_usd > 0 then 'uncovered_debt' else '' end,
      case when l.is_cover_unknown then 'uncovered_debt_unknown' else '' end,
      case when l.is_yield_bearing then 'yield_bearing_asset' else '' end,
      case when l.tvl_usd = 0 then 'zero_tvl' else '' end
    ],
    ''
  ) as flags,
  cast(
    row(
      case when l.warnings = '' then 'pass' else 'warn' end,
      case when l.warnings = '' then array[] else split(l.warnings, ',') end
    )
    as row(verdict varchar, warnings varchar array)
  ) as "qualityGate",
  replace(cast(cast(from_unixtime(l.observed_at) as timestamp(0)) as varchar), ' ', 'T') || 'Z' as "updatedAt"
from doubted l
left join percentile s on s.opportunity_id = l.opportunity_id
