-- One watched figure at one instant. `x` is the quantity compared with its own past: for `tvl` the change from the last value of the
-- previous day, for `flow` the net flow of the day so far divided by that value, for `concentration` the rise of the share since the
-- previous day, for `whale` the logarithm of a transfer, for `mev` the logarithm of one plus the value extracted in the hour so far. It
-- is null if the previous day has no value; base_value is that value. `effect` is the quantity compared with the minimum size. Each figure
-- belongs to a period, a day or (for `mev`) an hour; each transfer, named by `item`, is a separate figure.
-- A move of anomaly.tvl_change from one day to the next stays open for seven days, until a day ends within that share of the value before it,
-- or before an earlier one; a day that ends one opens none. While moves are open, value locked is compared with the values before them too: what counts is the
-- smallest change in the direction of the day, and none if one of them says otherwise, so a return is no new move.
-- A value of 0 means that there is none: it is no figure and no base until it has lasted six hours, and then once (gap value_zero before and
-- after). Contradictory statements are no figure (gap sources_contradict).
-- kind: window   grain: metric, entity, observed_at, item   time: day   order: day, metric, entity, observed_at, item
with reading as (
  select
    entity, observed_at, day, tvl_usd, is_contradictory,
    max(case when tvl_usd > 0 then observed_at end) over (
      partition by entity order by observed_at rows between unbounded preceding and current row
    ) as last_positive_at
  from derived.tvl_value
  where observed_at >= @start - 1296000 and observed_at < @end
),
zeroed as (
  select
    *,
    min(case when tvl_usd = 0 then observed_at end) over (
      partition by entity, last_positive_at order by observed_at rows between unbounded preceding and current row
    ) as zero_since
  from reading
),
lasting as (
  select
    *,
    min(case when tvl_usd = 0 and observed_at - zero_since >= 21600 then observed_at end) over (
      partition by entity, last_positive_at order by observed_at rows between unbounded preceding and current row
    ) as zero_from
  from zeroed
),
tvl as (
  select
    entity, observed_at, day, tvl_usd,
    case
      when is_contradictory then 'sources_contradict'
      when tvl_usd = 0 and (zero_from is null or zero_from < day) then 'value_zero'
    end as gap
  from lasting
),
tvl_close as (
  select entity, day, max_by(tvl_usd, observed_at) as close_usd from tvl where tvl_usd > 0 group by entity, day
),
moved as (
  select c.entity, c.day, c.close_usd, b.close_usd as before_usd
  from tvl_close c
  join tvl_close b on b.entity = c.entity and b.day = c.day - 86400
  cross join policy.anomaly p
  where abs(c.close_usd / b.close_usd - 1) >= p.tvl_change
),
opening as (
  select m.entity, m.day, m.before_usd
  from moved m
  cross join policy.anomaly p
  left join moved e on e.entity = m.entity and e.day < m.day and e.day >= m.day - 604800
  group by m.entity, m.day, m.before_usd
  having count(case when abs(m.close_usd / e.before_usd - 1) < p.tvl_change then 1 end) = 0
),
judged as (
  select distinct entity, day from tvl where observed_at >= @start
),
standing as (
  select j.entity, j.day, o.day as move_day, min(o.before_usd) as before_usd
  from judged j
  join opening o on o.entity = j.entity and o.day < j.day and o.day >= j.day - 604800
  cross join policy.anomaly p
  join opening e on e.entity = o.entity and e.day <= o.day and e.day >= o.day - 604800
  left join tvl_close c on c.entity = o.entity and c.day > o.day and c.day < j.day
  group by j.entity, j.day, o.day
  having count(case when abs(c.close_usd / e.before_usd - 1) < p.tvl_change then 1 end) = 0
),
before_moves as (
  select entity, day, min(before_usd) as lowest_usd, max(before_usd) as highest_usd
  from standing
  group by entity, day
),
last_close as (
  select j.entity, j.day, max_by(c.close_usd, c.day) as close_usd
  from judged j
  join tvl_close c on c.entity = j.entity and c.day < j.day and c.day >= j.day - 1209600
  group by j.entity, j.day
),
compared as (
  select
    t.entity, t.observed_at, t.day, t.tvl_usd, t.gap,
    case when t.tvl_usd = 0 then l.close_usd else c.close_usd end as close_usd,
    case when t.tvl_usd > 0 then m.lowest_usd end as lowest_usd,
    case when t.tvl_usd > 0 then m.highest_usd end as highest_usd
  from tvl t
  left join tvl_close c on c.entity = t.entity and c.day = t.day - 86400
  left join last_close l on l.entity = t.entity and l.day = t.day
  left join before_moves m on m.entity = t.entity and m.day = t.day
  where t.observed_at >= @start
),
based as (
  select
    entity, observed_at, day, tvl_usd, gap,
    case
      when tvl_usd > close_usd and highest_usd > close_usd then case when highest_usd < tvl_usd then highest_usd else tvl_usd end
      when tvl_usd < close_usd and lowest_usd < close_usd then case when lowest_usd > tvl_usd then lowest_usd else tvl_usd end
      else close_usd
    end as base_usd
  from compared
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
    'tvl' as metric, entity, observed_at, day, day as period_at, '' as item, cast(null as varchar) as wallet_id,
    case when gap is null then tvl_usd / base_usd - 1 end as x, tvl_usd as metric_value, base_usd as base_value,
    case when gap is null then abs(tvl_usd / base_usd - 1) end as effect, gap
  from based
  union all
  select
    'flow', f.entity, f.observed_at, f.day, f.day, '', cast(null as varchar),
    f.net_usd / nullif(c.close_usd, 0), f.net_usd, c.close_usd, abs(f.net_usd / nullif(c.close_usd, 0)),
    cast(null as varchar)
  from flow f
  left join tvl_close c on c.entity = f.entity and c.day = f.day - 86400
  union all
  select
    'concentration', h.entity, h.observed_at, h.day, h.day, '', cast(null as varchar),
    h.top_holder_share - c.close_share, h.top_holder_share, c.close_share, h.top_holder_share - c.close_share,
    cast(null as varchar)
  from held h
  left join held_close c on c.entity = h.entity and c.day = h.day - 86400
  where h.observed_at >= @start
  union all
  select
    'whale', entity, observed_at, day, day, concat(tx_hash, ':', cast(log_index as varchar)), wallet_id,
    ln(amount_usd), amount_usd, cast(null as double), amount_usd, cast(null as varchar)
  from obs.whale_transfer
  where observed_at >= @start and observed_at < @end and amount_usd > 0
  union all
  select
    'mev', concat(chain, '||'), observed_at, day, hour, '', cast(null as varchar),
    ln(1 + extracted_usd), extracted_usd, cast(null as double), extracted_usd, cast(null as varchar)
  from mev
)
-- Rounded, so that a move of exactly the minimum size reaches it in doubles too.
select
  metric, entity, observed_at, day, period_at, item, wallet_id, round(x, 12) as x, metric_value, base_value,
  round(effect, 9) as effect, gap
from measure
