-- One source's report on one pool at one instant. assets: the symbols of its exposure, in upper case, separated by commas (a pool of
-- several assets names them with dashes). What can be withdrawn at once is at most what is in the pool (is_more_than_locked: more was reported, beyond a cent and a millionth); other
-- delivered values stay unchanged. paid_apy is the net APY or, if the source has only its parts,
-- their sum.
-- kind: append   grain: opportunity_id, observed_at   time: observed_at   order: day, opportunity_id, observed_at
select
  opportunity_id, observed_at, observed_at - observed_at % 86400 as day, pool_id, venue, chain,
  trim(asset) as asset,
  case
    when exposure = 'single' then upper(trim(asset))
    else replace(replace(upper(trim(asset)), '-', ','), ' ', '')
  end as assets,
  nullif(trim(label), '') as label,
  strategy,
  coalesce(directionality, case when is_stablecoin then 'neutral' end) as directionality,
  tier,
  net_apy, coalesce(net_apy, base_apy + reward_apy) as paid_apy, base_apy, reward_apy, apy_mean_30d, track_record_days,
  tvl_usd, case when available_liquidity_usd > tvl_usd then tvl_usd else available_liquidity_usd end as available_liquidity_usd,
  coalesce(available_liquidity_usd > tvl_usd + 0.01 + 1e-6 * tvl_usd, false) as is_more_than_locked,
  has_il_risk, exposure, withdrawal_state, lockup_seconds,
  nullif(trim(curator), '') as curator,
  nullif(trim(address), '') as address,
  nullif(trim(url), '') as url,
  is_outlier,
  source_id, fetched_at
from landing.yield_pool
