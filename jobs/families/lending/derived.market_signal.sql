-- The zone of one observation of a market by one measure: `beyond` its limit, `inside` the band in which it is calm again, or
-- `between`. Utilisation is compared with the market's band. Depth is compared with its median over the previous 24 hours (which needs
-- enough observations and a sufficient amount), and the withdrawable amount with the supplied one: a drained market needs no
-- confirmation, and its depth is at most the withdrawable amount.
-- kind: window   grain: chain, market_id, measure, observed_at   time: observed_at   order: day, chain, market_id, measure, observed_at
with state as (
  select chain, market_id, observed_at, day, utilization, depth_usd, withdrawable_usd, supplied_usd
  from obs.market_state
  where observed_at >= @start and observed_at < @end
),
history as (
  select chain, market_id, observed_at, day, depth_usd
  from obs.market_state
  where observed_at >= @start - 86400 and observed_at < @end and depth_usd is not null
),
-- The rows of a day count for that day and the next one, so that rows join by equality.
bucket as (
  select chain, market_id, observed_at, day, depth_usd from history
  union all
  select chain, market_id, observed_at, day + 86400 as day, depth_usd from history
),
ranked as (
  select
    s.chain, s.market_id, s.observed_at, b.depth_usd,
    row_number() over (partition by s.chain, s.market_id, s.observed_at order by b.depth_usd, b.observed_at) as place,
    count(*) over (partition by s.chain, s.market_id, s.observed_at) as observations
  from state s
  join bucket b
    on b.chain = s.chain and b.market_id = s.market_id and b.day = s.day
    and b.observed_at < s.observed_at and b.observed_at >= s.observed_at - 86400
),
typical as (
  select
    chain, market_id, observed_at, max(observations) as observations,
    (min(depth_usd) + max(depth_usd)) / 2 as median_usd
  from ranked
  where 2 * place >= observations and 2 * place <= observations + 2
  group by chain, market_id, observed_at
),
judged as (
  select
    s.chain, s.market_id, s.observed_at, s.day, s.depth_usd, s.withdrawable_usd, t.median_usd, p.collapse_at,
    case
      when t.observations >= p.min_observations and t.median_usd >= p.min_median_usd then s.depth_usd / t.median_usd
    end as share,
    p.collapse_rearm_above,
    coalesce(s.supplied_usd > 0 and s.withdrawable_usd < p.withdrawable_below * s.supplied_usd, false) as is_drained,
    coalesce(s.supplied_usd > 0 and s.withdrawable_usd < p.withdrawable_rearm_from * s.supplied_usd, false) as is_shallow
  from state s
  cross join policy.lending p
  left join typical t on t.chain = s.chain and t.market_id = s.market_id and t.observed_at = s.observed_at
  where s.depth_usd is not null
)
select
  s.chain, s.market_id, 'utilization' as measure, s.observed_at, s.day, s.utilization as value,
  coalesce(m.spike_at, p.spike_at) as threshold,
  cast(null as double) as median_usd,
  case
    when s.utilization >= coalesce(m.spike_at, p.spike_at) then 'beyond'
    when s.utilization < coalesce(m.rearm_below, p.rearm_below) then 'inside'
    else 'between'
  end as zone,
  false as is_far
from state s
cross join policy.lending p
left join policy.lending_market m on m.chain = s.chain and m.market_id = s.market_id
where s.utilization is not null
union all
select
  chain, market_id, 'depth' as measure, observed_at, day,
  case when is_drained and withdrawable_usd < depth_usd then withdrawable_usd else depth_usd end as value,
  collapse_at * median_usd as threshold, median_usd,
  case
    when is_drained or share <= collapse_at then 'beyond'
    when not is_shallow and coalesce(share > collapse_rearm_above, true) then 'inside'
    else 'between'
  end as zone,
  is_drained as is_far
from judged
