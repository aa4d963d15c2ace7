-- The usual volatility of one pair for one day: median and median absolute deviation over the hours of the preceding days. A pair with too
-- few days, or without a spread, has no row.
-- kind: window   grain: pair, day   time: day   order: day, pair
with judged as (
  select distinct pair, day
  from derived.market_volatility
  where day >= @start and day < @end
),
placed as (
  select
    j.pair, j.day, v.day as sample_day, v.hour, v.volatility, p.min_days,
    row_number() over (partition by j.pair, j.day order by v.volatility, v.hour) as place,
    count(*) over (partition by j.pair, j.day) as samples
  from judged j
  cross join policy.anomaly p
  join derived.market_volatility v
    on v.pair = j.pair and v.day < j.day and v.day >= j.day - p.baseline_days * 86400
),
centred as (
  select
    pair, day, max(samples) as samples, count(distinct sample_day) as days, max(min_days) as min_days,
    avg(case when place * 2 >= samples and place * 2 <= samples + 2 then volatility end) as median_volatility
  from placed
  group by pair, day
),
distance as (
  select
    p.pair, p.day, p.samples, abs(p.volatility - c.median_volatility) as distance,
    row_number() over (partition by p.pair, p.day order by abs(p.volatility - c.median_volatility), p.hour) as place
  from placed p
  join centred c on c.pair = p.pair and c.day = p.day
),
spread as (
  select
    pair, day, avg(case when place * 2 >= samples and place * 2 <= samples + 2 then distance end) as mad_volatility
  from distance
  group by pair, day
)
select c.pair, c.day, c.days, c.median_volatility, s.mad_volatility
from centred c
join spread s on s.pair = c.pair and s.day = c.day
where c.days >= c.min_days and s.mad_volatility > 0
