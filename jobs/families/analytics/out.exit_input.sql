-- The inputs of exits from one lending market: its state at the last known full hour, and the known hours of the window that ends with
-- the last full hour. An hour is known if both of its ends are. A market without a known hour shows its last state.
-- kind: full   grain: chain, market_id
with hours as (
  select m.*
  from derived.market_hour m
  cross join policy.analytics p
  where m.hour <= @now - @now % 3600 and m.hour > @now - @now % 3600 - p.window_s
),
listed as (
  select
    chain, market_id, count(*) as hours_known,
    array_agg(hour - 3600 order by hour) as hours_hour,
    array_agg(round(flow, 12) order by hour) as hours_flow,
    array_agg(round(previous_utilization, 8) order by hour) as hours_utilization,
    array_agg(round(previous_supplied_usd, 2) order by hour) as hours_supplied_usd,
    array_agg(round(previous_withdrawable_usd, 2) order by hour) as hours_withdrawable_usd
  from hours
  where flow is not null and previous_utilization is not null
  group by chain, market_id
),
last_known as (
  select h.*
  from hours h
  join (select chain, market_id, max(hour) as hour from hours group by chain, market_id) l
    on l.chain = h.chain and l.market_id = h.market_id and l.hour = h.hour
),
state as (
  select
    d.chain, d.market_id, coalesce(h.state_at, d.last_at) as observed_at, h.exit_depth_usd,
    case when h.chain is null then d.supplied_usd else h.supplied_usd end as supplied_usd,
    case when h.chain is null then d.borrowed_usd else h.borrowed_usd end as borrowed_usd,
    case when h.chain is null then d.withdrawable_usd else h.withdrawable_usd end as withdrawable_usd,
    case when h.chain is null then d.utilization else h.utilization end as utilization
  from derived.market_day d
  left join last_known h on h.chain = d.chain and h.market_id = d.market_id
  where d.day = @now - @now % 86400
)
select
  concat(s.chain, ':', s.market_id) as id,
  s.chain, s.market_id, r.protocol, r.name, upper(r.loan_symbol) as loan_symbol, upper(r.collateral_symbol) as collateral_symbol,
  s.observed_at,
  round(s.supplied_usd, 2) as supplied_usd,
  round(s.borrowed_usd, 2) as borrowed_usd,
  round(s.withdrawable_usd, 2) as withdrawable_usd,
  round(s.utilization, 8) as utilization,
  round(s.exit_depth_usd, 2) as depth_usd,
  coalesce(l.hours_known, 0) < a.min_hours as is_short,
  s.observed_at < @now - @now % 3600 - p.state_max_age_s
    and (
      coalesce(x.is_overdue, true)
      or s.observed_at < x.read_through_at - p.state_max_age_s and s.observed_at < coalesce(x.accepted_at, 253402300799)
    ) as is_stale,
  coalesce(l.hours_hour, array[]) as hours_hour,
  coalesce(l.hours_flow, array[]) as hours_flow,
  coalesce(l.hours_utilization, array[]) as hours_utilization,
  coalesce(l.hours_supplied_usd, array[]) as hours_supplied_usd,
  coalesce(l.hours_withdrawable_usd, array[]) as hours_withdrawable_usd
from state s
cross join policy.analytics a
cross join policy.lending p
left join derived.table_reading x on x.table_name = 'market_state'
left join listed l on l.chain = s.chain and l.market_id = s.market_id
left join derived.lending_market r
  on r.chain = s.chain and r.market_id = s.market_id and r.valid_from <= @now and r.valid_to > @now
