-- One watched figure at one instant. `x` is the quantity compared with its own past: for `tvl` the change from the last value of the
-- previous day, for `flow` the net flow of the day so far divided by that value, for `concentration` the rise of the share since the
-- previous day, for `whale` the logarithm of a transfer, for `mev` the logarithm of one plus the value extracted in the hour so far. It
-- is null if the previous day has no value; base_value is that value. `effect` is the quantity compared with the minimum size. Each figure
-- belongs to a period, a day or (for `mev`) an hour; each transfer, named by `item`, is a separate figure.
-- After a move of anomaly.tvl_change from one day to the next, value locked is also compared with the median of the last values of the
-- fourteen days before: the smaller of both changes counts, and none if they go in opposite directions, so a return is no new move.
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
  select c.entity, c.day, c.close_usd, abs(c.close_usd / b.close_usd - 1) as move
  from tvl_close c
  left join tvl_close b on b.entity = c.entity and b.day = c.day - 86400
),
recent as (
  select
    j.entity, j.day, m.day as close_day, m.close_usd, m.move,
    row_number() over (partition by j.entity, j.day order by m.close_usd, m.day) as place,
    count(*) over (partition by j.entity, j.day) as closes
  from (select distinct entity, day from tvl where observed_at >= @start) j
  join moved m on m.entity = j.entity and m.day < j.day and m.day >= j.day - 1209600
),
usual as (
  select
    entity, day, max(move) as largest_move, max_by(close_usd, close_day) as last_usd,
    avg(case when place * 2 >= closes and place * 2 <= closes + 2 then close_usd end) as median_usd
  from recent
  group by entity, day
),
compared as (
  select
    t.entity, t.observed_at, t.day, t.tvl_usd, t.gap,
    case when t.tvl_usd = 0 then u.last_usd else c.close_usd end as close_usd,
    u.median_usd,
    coalesce(u.largest_move >= p.tvl_change, false) and t.tvl_usd > 0 as is_after_move
  from tvl t
  cross join policy.anomaly p
  left join tvl_close c on c.entity = t.entity and c.day = t.day - 86400
  left join usual u on u.entity = t.entity and u.day = t.day
  where t.observed_at >= @start
),
based as (
  select
    *,
    case
      when is_after_move and (tvl_usd - close_usd) * (tvl_usd - median_usd) <= 0 then tvl_usd
      when is_after_move and abs(tvl_usd / median_usd - 1) < abs(tvl_usd / close_usd - 1) then median_usd
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
