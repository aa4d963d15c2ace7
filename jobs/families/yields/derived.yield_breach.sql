-- A category score of one opportunity that has dropped: the first observation of a day at which the drop reached a severity, once per
-- severity on the way down. An observation is compared with the higher of the previous one on the same day and the last close of an earlier
-- day, so a fall between two snapshots counts, and so does a slide over several. A score that is no longer known has not dropped.
-- kind: window   grain: opportunity_id, category, severity, day   time: breached_at   order: day, opportunity_id, category, severity
with closed as (
  select
    d.opportunity_id, d.day, d.liquidity_score, d.yield_stability_score, d.yield_source_score,
    d.asset_score, d.maturity_score, d.structure_score, d.venue_score,
    lead(d.day, 1, 253402300799) over (partition by d.opportunity_id order by d.day) as until_day
  from derived.yield_day d
  cross join policy.yields p
  where d.day >= @start - p.breach_lookback_s and d.day < @end
),
looked as (
  select
    opportunity_id, observed_at, day, liquidity_score, yield_stability_score, yield_source_score,
    asset_score, maturity_score, structure_score, venue_score,
    lag(liquidity_score) over of_day as previous_liquidity,
    lag(yield_stability_score) over of_day as previous_yield_stability,
    lag(yield_source_score) over of_day as previous_yield_source,
    lag(asset_score) over of_day as previous_asset,
    lag(maturity_score) over of_day as previous_maturity,
    lag(structure_score) over of_day as previous_structure,
    lag(venue_score) over of_day as previous_venue
  from derived.yield_state
  where observed_at >= @start and observed_at < @end
  window of_day as (partition by opportunity_id, day order by observed_at)
),
fallen as (
  select
    s.opportunity_id, s.observed_at, s.day, o.venue, o.chain, p.breach_warn, p.breach_high, p.breach_critical,
    s.liquidity_score, s.yield_stability_score, s.yield_source_score, s.asset_score, s.maturity_score,
    s.structure_score, s.venue_score,
    case when c.liquidity_score is null or s.previous_liquidity > c.liquidity_score then s.previous_liquidity else c.liquidity_score end
      as old_liquidity,
    case when c.yield_stability_score is null or s.previous_yield_stability > c.yield_stability_score then s.previous_yield_stability else c.yield_stability_score end
      as old_yield_stability,
    case when c.yield_source_score is null or s.previous_yield_source > c.yield_source_score then s.previous_yield_source else c.yield_source_score end
      as old_yield_source,
    case when c.asset_score is null or s.previous_asset > c.asset_score then s.previous_asset else c.asset_score end
      as old_asset,
    case when c.maturity_score is null or s.previous_maturity > c.maturity_score then s.previous_maturity else c.maturity_score end
      as old_maturity,
    case when c.structure_score is null or s.previous_structure > c.structure_score then s.previous_structure else c.structure_score end
      as old_structure,
    case when c.venue_score is null or s.previous_venue > c.venue_score then s.previous_venue else c.venue_score end
      as old_venue,
    -- Scores have 4 decimals; the margin keeps drops that round to the threshold.
    p.breach_warn - 0.00001 as least_drop
  from looked s
  join obs.yield_pool o
    on o.opportunity_id = s.opportunity_id and o.observed_at = s.observed_at and o.observed_at >= @start and o.observed_at < @end
  cross join policy.yields p
  left join closed c
    on c.opportunity_id = s.opportunity_id and c.day < s.day and c.until_day >= s.day and c.day >= s.day - p.breach_lookback_s
),
dropped as (
  select
    f.opportunity_id, f.observed_at, f.day, f.venue, f.chain, f.breach_warn, f.breach_high, f.breach_critical, t.category,
    case t.category
      when 'liquidity' then f.old_liquidity when 'yield_stability' then f.old_yield_stability
      when 'yield_source' then f.old_yield_source when 'asset' then f.old_asset when 'maturity' then f.old_maturity
      when 'structure' then f.old_structure else f.old_venue
    end as old_score,
    case t.category
      when 'liquidity' then f.liquidity_score when 'yield_stability' then f.yield_stability_score
      when 'yield_source' then f.yield_source_score when 'asset' then f.asset_score
      when 'maturity' then f.maturity_score when 'structure' then f.structure_score else f.venue_score
    end as new_score
  from fallen f
  cross join unnest(array[
    'liquidity', 'yield_stability', 'yield_source', 'asset', 'maturity', 'structure', 'venue'
  ]) as t(category)
  where f.old_liquidity - f.liquidity_score >= f.least_drop
    or f.old_yield_stability - f.yield_stability_score >= f.least_drop
    or f.old_yield_source - f.yield_source_score >= f.least_drop
    or f.old_asset - f.asset_score >= f.least_drop
    or f.old_maturity - f.maturity_score >= f.least_drop
    or f.old_structure - f.structure_score >= f.least_drop
    or f.old_venue - f.venue_score >= f.least_drop
),
graded as (
  select
    *,
    case
      when round(old_score - new_score, 4) >= breach_critical then 3
      when round(old_score - new_score, 4) >= breach_high then 2
      when round(old_score - new_score, 4) >= breach_warn then 1
      else 0
    end as grade
  from dropped
),
followed as (
  select
    *,
    max(grade) over (
      partition by opportunity_id, category, day order by observed_at rows between unbounded preceding and 1 preceding
    ) as reached
  from graded
)
select
  opportunity_id, category,
  case grade when 3 then 'critical' when 2 then 'high' else 'warn' end as severity,
  day, observed_at as breached_at, venue, chain, old_score, new_score, round(new_score - old_score, 4) as delta,
  case grade when 3 then breach_critical when 2 then breach_high else breach_warn end as threshold
from followed
where grade > coalesce(reached, 0)
