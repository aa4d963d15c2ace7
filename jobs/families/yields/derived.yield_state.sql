-- The scores of one opportunity at one observation, 0 to 100, higher is safer; a category is null if an input is unknown: liquidity
-- (log of TVL, and the share withdrawable at once), yield_stability (deviation of the APY relative to its mean), yield_source (share
-- that is not a reward), asset (the weakest), maturity (log of days on record), structure (obstacles to a withdrawal), venue (age,
-- audits, incidents). risk_score is the inverse of their weighted mean: higher is riskier; it is null if too few are known.
-- kind: window   grain: opportunity_id, observed_at   time: observed_at   order: day, opportunity_id, observed_at
with part as (
  select
    o.opportunity_id, o.observed_at, o.day, o.tvl_usd, o.exposure, o.has_il_risk, o.withdrawal_state,
    o.lockup_seconds, a.sigma, a.is_spike, a.mean_30d, b.score as asset_score, p.*,
    case when v.launched_at < o.observed_at then o.observed_at - v.launched_at when v.launched_at is not null then 0 end as age_s,
    v.audits, v.incidents,
    greatest(coalesce(o.track_record_days, 0), a.observed_days) as days,
    cast(o.available_liquidity_usd as double) / nullif(o.tvl_usd, 0) as available,
    case
      when o.paid_apy <= 0 or not a.is_plausible then null
      when o.reward_apy is not null then o.reward_apy / o.paid_apy
      when o.base_apy is not null then 1 - o.base_apy / o.paid_apy
    end as reward_share
  from obs.yield_pool o
  join derived.yield_apy a on a.opportunity_id = o.opportunity_id and a.observed_at = o.observed_at
  join derived.yield_basket b on b.assets = o.assets and b.observed_at = o.observed_at
  left join derived.yield_venue v
    on v.venue = o.venue and v.valid_from <= o.observed_at and v.valid_to > o.observed_at
  cross join policy.yields p
  where o.observed_at >= @start and o.observed_at < @end
),
raw_score as (
  select
    *,
    case
      when tvl_usd <= tvl_zero_usd then 0e0
      else 100 * (log10(tvl_usd) - log10(tvl_zero_usd)) / (log10(tvl_full_usd) - log10(tvl_zero_usd))
    end as size_score,
    case when available is not null then 100 * least(1e0, available / available_full) end as available_score,
    case
      when sigma is null and not coalesce(is_spike, false) then null
      else 100 - 100 * least(1e0, coalesce(sigma, 0e0) / greatest(abs(coalesce(mean_30d, 0e0)), sigma_floor_pct))
    end as steady_score,
    100 * least(1e0, ln(1 + days) / ln(1 + maturity_full_days)) as maturity_score,
    case
      when exposure is null and has_il_risk is null and withdrawal_state is null and lockup_seconds is null then null
      when withdrawal_state = 'paused' then 0e0
      else 100
        - case when exposure = 'multi' then points_multi_exposure else 0 end
        - case when has_il_risk then points_il_risk else 0 end
        - case withdrawal_state when 'queue' then points_queue when 'locked' then points_locked else 0 end
        - points_lockup * least(1e0, cast(coalesce(lockup_seconds, 0) as double) / lockup_full_s)
    end as structure_score,
    case
      when age_s is not null and audits is not null
        then points_age * least(1e0, cast(age_s as double) / age_full_s)
          + points_audit * least(1e0, cast(audits as double) / audits_full)
          + points_base - points_incident * coalesce(incidents, 0)
    end as venue_score
  from part
),
bounded as (
  select
    opportunity_id, observed_at, day, min_categories, min_weight,
    weight_liquidity, weight_yield_stability, weight_yield_source, weight_asset, weight_maturity, weight_structure,
    weight_venue,
    round(
      case
        when tvl_usd is null then null
        when available_score is null then least(1e2, size_score)
        else (1 - available_weight) * least(1e2, size_score) + available_weight * available_score
      end,
      4
    ) as liquidity_score,
    round(case when is_spike and steady_score > spike_score then spike_score else steady_score end, 4) as yield_stability_score,
    round(case when reward_share is not null then 100 * (1 - greatest(0e0, least(1e0, reward_share))) end, 4) as yield_source_score,
    round(asset_score, 4) as asset_score,
    round(maturity_score, 4) as maturity_score,
    round(case when structure_score is not null then greatest(0e0, structure_score) end, 4) as structure_score,
    round(case when venue_score is not null then greatest(0e0, least(1e2, venue_score)) end, 4) as venue_score
  from raw_score
),
weighed as (
  select
    *,
    case when liquidity_score is null then 0 else 1 end + case when yield_stability_score is null then 0 else 1 end
      + case when yield_source_score is null then 0 else 1 end + case when asset_score is null then 0 else 1 end
      + case when maturity_score is null then 0 else 1 end + case when structure_score is null then 0 else 1 end
      + case when venue_score is null then 0 else 1 end as categories,
    round(
      case when liquidity_score is null then 0e0 else weight_liquidity end
      + case when yield_stability_score is null then 0e0 else weight_yield_stability end
      + case when yield_source_score is null then 0e0 else weight_yield_source end
      + case when asset_score is null then 0e0 else weight_asset end
      + case when maturity_score is null then 0e0 else weight_maturity end
      + case when structure_score is null then 0e0 else weight_structure end
      + case when venue_score is null then 0e0 else weight_venue end,
      6
    ) as known_weight,
    coalesce(liquidity_score, 0e0) * weight_liquidity + coalesce(yield_stability_score, 0e0) * weight_yield_stability
      + coalesce(yield_source_score, 0e0) * weight_yield_source + coalesce(asset_score, 0e0) * weight_asset
      + coalesce(maturity_score, 0e0) * weight_maturity + coalesce(structure_score, 0e0) * weight_structure
      + coalesce(venue_score, 0e0) * weight_venue as safety
  from bounded
)
select
  opportunity_id, observed_at, day, liquidity_score, yield_stability_score, yield_source_score, asset_score, maturity_score, structure_score,
  venue_score,
  case
    when categories >= min_categories and known_weight >= min_weight and known_weight > 0
      then round(100 - safety / known_weight, 2)
  end as risk_score
from weighed
