-- Liquidity of one protocol on one UTC day (decision 2): how much can be withdrawn from its pools, and how much of them is lent out. A pool
-- without an observation on the day keeps its last one for at most carry_s; a day without any observed pool is a gap.
-- oldest_day: the day of the oldest observation used.
-- kind: window   grain: protocol, day   time: day   order: day, protocol
with seen as (
  select protocol, pool_id, day, tvl_usd, depth_usd, utilization
  from (
    select
      protocol, pool_id, day, tvl_usd, depth_usd, utilization,
      row_number() over (partition by protocol, pool_id, day order by observed_at desc) as place
    from obs.overall_pool
    -- The policy does not allow a pool to be carried over for longer than seven days.
    where observed_at >= @start - 604800 and observed_at < @end
  ) ranked
  where place = 1
),
reported as (
  select distinct protocol, day from seen where day >= @start
),
counted as (
  select
    t.protocol, t.day, s.day as seen_day, s.tvl_usd, s.depth_usd, s.utilization,
    row_number() over (partition by t.protocol, t.day, s.pool_id order by s.day desc) as place
  from reported t
  cross join policy.overall p
  join seen s on s.protocol = t.protocol and s.day <= t.day and s.day >= t.day - p.carry_s
),
summed as (
  select
    c.protocol, c.day,
    count(*) as pools,
    count(c.utilization) as lending_pools,
    min(c.seen_day) as oldest_day,
    sum(exact_decimal(c.depth_usd, 38, 2)) as depth_usd,
    sum(exact_decimal(c.tvl_usd, 38, 2)) as tvl_usd,
    exact_double(sum(
      case
        when c.utilization is not null
          then exact_decimal(c.tvl_usd * least(greatest((1 - c.utilization) / (1 - p.optimal_utilization), 0e0), 1e0), 38, 6)
      end
    ))
    / nullif(exact_double(sum(case when c.utilization is not null then exact_decimal(c.tvl_usd, 38, 6) end)), 0) as headroom
  from counted c
  cross join policy.overall p
  where c.place = 1
  group by c.protocol, c.day
),
measured as (
  select
    s.protocol, s.day, s.oldest_day, s.pools, s.lending_pools, s.depth_usd, s.tvl_usd, s.headroom,
    case
      when exact_double(s.depth_usd) <= p.depth_floor_usd then 0e0
      else least(ln(exact_double(s.depth_usd) / p.depth_floor_usd) / ln(p.depth_full_usd / p.depth_floor_usd), 1e0)
    end as depth
  from summed s
  cross join policy.overall p
)
select
  d.protocol, d.day,
  round(
    case
      when m.headroom is null then m.depth
      else (p.depth_weight * m.depth + p.utilization_weight * m.headroom) / (p.depth_weight + p.utilization_weight)
    end,
    6
  ) as score,
  case when m.protocol is null then 'no_data' end as gap,
  case when m.protocol is null then 'no pool was seen on the day' end as reason,
  case
    when m.protocol is not null then concat(
      'depth_usd=', cast(cast(m.depth_usd as decimal(38, 2)) as varchar),
      case
        when m.headroom is not null then concat(';headroom=', cast(exact_decimal(m.headroom, 38, 6) as varchar))
        else ''
      end,
      ';lending_pools=', cast(m.lending_pools as varchar),
      ';pools=', cast(m.pools as varchar),
      ';tvl_usd=', cast(cast(m.tvl_usd as decimal(38, 2)) as varchar)
    )
  end as inputs,
  m.oldest_day
from derived.overall_protocol_day d
cross join policy.overall p
left join measured m on m.protocol = d.protocol and m.day = d.day
where d.day >= @start and d.day < @end
