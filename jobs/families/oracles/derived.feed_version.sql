-- The registry entry of one feed over one period: valid_from is included, valid_to is not. The latest entry applies, whatever its
-- provider; the last version has no end. A feed that reports no rounds by design has no heartbeat, whatever the registry states.
-- kind: full   grain: chain, feed_address, valid_from
with ranked as (
  select
    *,
    row_number() over (partition by chain, feed_address, observed_at order by provider desc) as place
  from obs.feed_registry
  where observed_at < @end
)
select
  r.chain, r.feed_address, r.provider, r.name, r.base, r.quote, r.pair, r.category, r.asset_class, r.risk_level,
  case when r.reports_rounds then r.heartbeat_s end as heartbeat_s, r.deviation_bps, r.decimals, r.market_hours, r.is_deprecating, r.edge_case_flags, r.asset_id, r.source_kind,
  r.pool_address, r.min_answer, r.max_answer, r.reports_rounds,
  r.market_hours in (select name from policy.market_hours) as is_market_modelled,
  r.source_id,
  r.observed_at as valid_from,
  lead(r.observed_at, 1, 253402300799) over (partition by r.chain, r.feed_address order by r.observed_at) as valid_to
from ranked r
where r.place = 1
