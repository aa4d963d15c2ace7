-- One opportunity at the last observation of one UTC day: the source's report, its APY and its scores.
-- kind: window   grain: opportunity_id, day   time: day   order: day, opportunity_id
with last_seen as (
  select *, row_number() over (partition by opportunity_id, day order by observed_at desc) as place
  from obs.yield_pool
  where observed_at >= @start and observed_at < @end
)
select
  o.opportunity_id, o.day, o.observed_at, o.pool_id, o.venue, o.chain, o.asset, o.assets, o.label, o.strategy,
  o.directionality, o.tier, o.paid_apy as net_apy, o.base_apy, o.reward_apy, o.tvl_usd, o.available_liquidity_usd, o.is_more_than_locked, o.has_il_risk,
  o.exposure, o.withdrawal_state, o.lockup_seconds, o.curator, o.address, o.url, coalesce(o.is_outlier, false) as is_outlier,
  a.is_plausible, a.mean_7d, a.mean_30d, a.is_mean_from_source, a.sigma, a.is_spike,
  b.unknown_symbol, b.is_depegged, b.is_yield_bearing, b.is_ambiguous,
  s.liquidity_score, s.yield_stability_score, s.yield_source_score, s.asset_score, s.maturity_score, s.structure_score,
  s.venue_score, s.risk_score
from last_seen o
join derived.yield_apy a on a.opportunity_id = o.opportunity_id and a.observed_at = o.observed_at
join derived.yield_basket b on b.assets = o.assets and b.observed_at = o.observed_at
join derived.yield_state s on s.opportunity_id = o.opportunity_id and s.observed_at = o.observed_at
where o.place = 1
