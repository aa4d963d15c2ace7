-- A score outside 0 to 100, or a score of an observation from the future.
select opportunity_id, observed_at, risk_score
from derived.yield_state
where observed_at >= @start and observed_at < @end
  and (
    risk_score < 0 or risk_score > 100 or liquidity_score < 0 or liquidity_score > 100
    or yield_stability_score < 0 or yield_stability_score > 100 or yield_source_score < 0 or yield_source_score > 100
    or asset_score < 0 or asset_score > 100 or maturity_score < 0 or maturity_score > 100
    or structure_score < 0 or structure_score > 100 or venue_score < 0 or venue_score > 100 or observed_at > @now
  )
