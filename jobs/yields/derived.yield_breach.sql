-- A category score of one opportunity that has dropped since the last close of an earlier day: the first observation of a day at which the
-- drop reached a severity, once each on the way down. Every observation of a day is held against the same close, so that how often one
-- looks does not change what is found. A score that is not known any more has not dropped.
-- kind: window   grain: opportunity_id, category, severity, day   time: breached_at   order: day, opportunity_id, category, severity
with closed as (
  select
    d.opportunity_id, d.day, d.venue, d.chain, d.liquidity_score, d.yield_stability_score, d.yield_source_score,
    d.asset_score, d.maturity_score, d.structure_score, d.venue_score,
    lead(d.day, 1, 253402300799) over (partition by d.opportunity_id order by d.day) as until_day
  from derived.yield_day d
  cross join obs.yield_policy p
  where d.day >= @start - p.breach_lookback_s and d.day < @end
),
fallen as (
  select
    s.opportunity_id, s.observed_at, s.day, c.venue, c.chain, p.breach_warn, p.breach_high, p.breach_critical,
    s.liquidity_score, s.yield_stability_score, s.yield_source_score, s.asset_score, s.maturity_score,
    s.structure_score, s.venue_score,
    c.liquidity_score as old_liquidity, c.yield_stability_score as old_yield_stability,
    c.yield_source_score as old_yield_source, c.asset_score as old_asset, c.maturity_score as old_maturity,
    c.structure_score as old_structure, c.venue_score as old_venue,
    -- Scores have 4 decimals; the margin keeps what is rounded to the threshold.
    p.breach_warn - 0.00001 as least_drop
  from derived.yield_state s
  join closed c on c.opportunity_id = s.opportunity_id and c.day < s.day and c.until_day >= s.day
  cross join obs.yield_policy p
  where s.observed_at >= @start and s.observed_at < @end and c.day >= s.day - p.breach_lookback_s
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
