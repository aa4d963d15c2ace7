-- One signal of the market at the end of one hour, and the regime it votes for (0 risk_on, 1 neutral, 2 risk_off, 3 crisis). A signal
-- that cannot be computed has no row. Volatility and stablecoins are represented by their worst value; a protocol is included in the
-- change of value locked if its value is known both now and a week ago.
-- kind: window   grain: signal, hour   time: hour   order: day, signal, hour
with volatility as (
  select v.hour, max((v.volatility - b.median_volatility) / (1.4826 * b.mad_volatility)) as value
  from derived.market_volatility v
  join derived.volatility_baseline b on b.pair = v.pair and b.day = v.day
  where v.hour >= @start and v.hour < @end
  group by v.hour
),
locked as (
  select
    n.hour,
    exact_double(sum(exact_decimal(n.tvl_usd, 38, 2)))
      / nullif(exact_double(sum(exact_decimal(w.tvl_usd, 38, 2))), 0) - 1 as value
  from derived.tvl_hour n
  join derived.tvl_hour w on w.entity = n.entity and w.hour = n.hour - 604800
  where n.hour >= @start and n.hour < @end
  group by n.hour
),
peg as (
  select
    o.symbol, o.observed_at, o.deviation_bps, coalesce(o.heartbeat_s, 86400) + 3600 as valid_s,
    lead(o.observed_at, 1, @end - 1 - (@end - 1) % 3600 + 3600) over (
      partition by o.chain, o.symbol, o.quote, o.asset_id order by o.observed_at, o.place
    ) as next_at
  from derived.peg_observation o
  join policy.regime_stablecoin s on s.symbol = o.symbol
  where o.observed_at >= @start - 172800 and o.observed_at < @end
),
peg_span as (
  select
    deviation_bps,
    greatest(observed_at + (3600 - observed_at % 3600) % 3600, @start) as first_hour,
    least(next_at - 1, observed_at + valid_s) as last_at
  from peg
),
deviation as (
  select t.hour, cast(max(abs(p.deviation_bps)) as double) as value
  from peg_span p
  cross join unnest(sequence(p.first_hour, p.last_at, 3600)) as t(hour)
  where p.first_hour <= p.last_at
  group by t.hour
),
lending as (
  select
    hour,
    sum(exact_decimal(borrowed_usd, 38, 6)) as borrowed_usd,
    sum(exact_decimal(supplied_usd, 38, 6)) as supplied_usd,
    sum(exact_decimal(liquidated_usd, 38, 6)) as liquidated_usd
  from derived.market_signal_hour
  where hour >= @start - 86400 and hour < @end
  group by hour
),
lent as (
  select
    hour, exact_double(borrowed_usd) as borrowed_usd, exact_double(supplied_usd) as supplied_usd,
    exact_double(sum(liquidated_usd) over (order by hour range between 82800 preceding and current row)) as liquidated_usd
  from lending
),
signal as (
  select 'volatility_z' as signal, hour, value from volatility
  union all
  select 'tvl_7d_change', hour, value from locked
  union all
  select 'stablecoin_deviation_bps', hour, value from deviation
  union all
  select 'utilization', hour, borrowed_usd / nullif(supplied_usd, 0) from lent where hour >= @start
  union all
  select 'liquidations_share', hour, liquidated_usd / nullif(borrowed_usd, 0) from lent where hour >= @start
),
rounded as (
  select signal, hour, round(value, 9) as value from signal where value is not null
)
select
  s.signal, s.hour, s.hour - s.hour % 86400 as day, s.value, r.weight,
  case
    when r.is_falling and s.value <= r.crisis_at then 3
    when r.is_falling and s.value <= r.risk_off_at then 2
    when r.is_falling and s.value <= r.neutral_at then 1
    when not r.is_falling and s.value >= r.crisis_at then 3
    when not r.is_falling and s.value >= r.risk_off_at then 2
    when not r.is_falling and s.value >= r.neutral_at then 1
    else 0
  end as vote
from rounded s
join policy.regime_rule r on r.signal = s.signal
