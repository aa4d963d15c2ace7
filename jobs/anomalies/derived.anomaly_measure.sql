-- One watched figure at one instant. `x` is the quantity compared with its own past: for `tvl` the change from the last value of the
-- previous day, for `flow` the net flow of the day so far divided by that value, for `concentration` the rise of the share since the
-- previous day, for `whale` the logarithm of a transfer, for `mev` the logarithm of one plus the value extracted in the hour so far. It
-- is null if the previous day has no value, or for `tvl` and `flow` 0; base_value is that value. `effect` is the quantity compared with
-- the minimum size. Each figure belongs to a period, a day or (for `mev`) an hour; each transfer, named by `item`, is a separate figure.
-- kind: window   grain: metric, entity, observed_at, item   time: day   order: day, metric, entity, observed_at, item
with tvl as (
  select entity, observed_at, day, tvl_usd
  from obs.tvl_reading
  where observed_at >= @start - 86400 and observed_at < @end
),
tvl_close as (
  select entity, day, max_by(tvl_usd, observed_at) as close_usd from tvl group by entity, day
),
flow as (
  select
    entity, observed_at, day,
    -- Decimals, so that a sum does not depend on the order of its terms.
    exact_double(sum(exact_decimal(inflow_usd, 38, 6) - exact_decimal(outflow_usd, 38, 6)) over (
      partition by entity, day order by observed_at rows between unbounded preceding and current row
    )) as net_usd
  from obs.capital_flow
  where observed_at >= @start and observed_at < @end
),
held as (
  select entity, observed_at, day, top_holder_share
  from obs.holder_concentration
  where observed_at >= @start - 86400 and observed_at < @end
),
held_close as (
  select entity, day, max_by(top_holder_share, observed_at) as close_share from held group by entity, day
),
mev_second as (
  select chain, observed_at, day, cast(sum(exact_decimal(extracted_usd, 38, 6)) as decimal(38, 6)) as extracted_usd
  from obs.mev_block
  where observed_at >= @start and observed_at < @end
  group by chain, observed_at, day
),
mev as (
  select
    chain, observed_at, day, observed_at - observed_at % 3600 as hour,
    exact_double(sum(extracted_usd) over (
      partition by chain, observed_at - observed_at % 3600 order by observed_at rows between unbounded preceding and current row
    )) as extracted_usd
  from mev_second
),
measure as (
  select
    'tvl' as metric, t.entity, t.observed_at, t.day, t.day as period_at, '' as item, cast(null as varchar) as wallet_id,
    t.tvl_usd / nullif(c.close_usd, 0) - 1 as x, t.tvl_usd as metric_value, c.close_usd as base_value,
    abs(t.tvl_usd / nullif(c.close_usd, 0) - 1) as effect
  from tvl t
  left join tvl_close c on c.entity = t.entity and c.day = t.day - 86400
  where t.observed_at >= @start
  union all
  select
    'flow', f.entity, f.observed_at, f.day, f.day, '', cast(null as varchar),
    f.net_usd / nullif(c.close_usd, 0), f.net_usd, c.close_usd, abs(f.net_usd / nullif(c.close_usd, 0))
  from flow f
  left join tvl_close c on c.entity = f.entity and c.day = f.day - 86400
  union all
  select
    'concentration', h.entity, h.observed_at, h.day, h.day, '', cast(null as varchar),
    h.top_holder_share - c.close_share, h.top_holder_share, c.close_share, h.top_holder_share - c.close_share
  from held h
  left join held_close c on c.entity = h.entity and c.day = h.day - 86400
  where h.observed_at >= @start
  union all
  select
    'whale', entity, observed_at, day, day, concat(tx_hash, ':', cast(log_index as varchar)), wallet_id,
    ln(amount_usd), amount_usd, cast(null as double), amount_usd
  from obs.whale_transfer
  where observed_at >= @start and observed_at < @end and amount_usd > 0
  union all
  select
    'mev', concat(chain, '||'), observed_at, day, hour, '', cast(null as varchar),
    ln(1 + extracted_usd), extracted_usd, cast(null as double), extracted_usd
  from mev
)
-- Rounded, so that a move of exactly the minimum size reaches it in doubles too.
select
  metric, entity, observed_at, day, period_at, item, wallet_id, round(x, 12) as x, metric_value, base_value,
  round(effect, 9) as effect
from measure
