-- One change of a feed's classification: the previous fingerprint and the new one. Changes in the same second are one change. The first
-- fingerprint has no predecessor; is_reportable is false for it, and for a change in which a status merely stops being unknown.
-- kind: window   grain: chain, feed_address, changed_at   time: changed_at   order: changed_at, chain, feed_address
with status as (
  select chain, feed_address, assessed_at, staleness_status
  from derived.feed_status
  where day >= @start - 86400 and assessed_at < @end
),
knot as (
  select chain, feed_address, assessed_at, max(staleness_status) as staleness_status
  from (
    select chain, feed_address, assessed_at, staleness_status from status
    union all
    select chain, feed_address, valid_from as assessed_at, cast(null as varchar) as staleness_status
    from derived.feed_version
    where valid_from >= @start - 86400
  ) either
  group by chain, feed_address, assessed_at
),
held as (
  select
    chain, feed_address, assessed_at,
    coalesce(
      max_by(staleness_status, case when staleness_status is not null then assessed_at end) over (
        partition by chain, feed_address order by assessed_at rows between unbounded preceding and current row
      ),
      'unknown'
    ) as staleness_status
  from knot
),
fingerprint as (
  select
    h.chain, h.feed_address, h.assessed_at as changed_at, v.pair, v.provider, v.category, h.staleness_status, v.risk_level,
    v.edge_case_flags
  from held h
  join derived.feed_version v
    on v.chain = h.chain and v.feed_address = h.feed_address and v.valid_from <= h.assessed_at and v.valid_to > h.assessed_at
),
compared as (
  select
    *,
    lag(provider) over in_order as previous_provider,
    lag(category) over in_order as previous_category,
    lag(staleness_status) over in_order as previous_staleness_status,
    lag(risk_level) over in_order as previous_risk_level,
    lag(edge_case_flags) over in_order as previous_edge_case_flags
  from fingerprint
  window in_order as (partition by chain, feed_address order by changed_at)
)
select
  *,
  previous_category is not null and (
    provider <> previous_provider or category <> previous_category or risk_level <> previous_risk_level
    or edge_case_flags <> previous_edge_case_flags
    or previous_staleness_status <> 'unknown'
  ) as is_reportable
from compared
where changed_at >= @start
  and (
    previous_category is null or provider <> previous_provider or category <> previous_category
    or staleness_status <> previous_staleness_status or risk_level <> previous_risk_level
    or edge_case_flags <> previous_edge_case_flags
  )
