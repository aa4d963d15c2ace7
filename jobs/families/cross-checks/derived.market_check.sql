-- The newest figure of another source about a lending market, compared with our own newest state.
-- kind: full   grain: source, metric, chain, subject
with own as (
  select
    o.source, o.metric, o.chain, o.subject, o.value, o.observed_at,
    case o.metric when 'market_supplied_usd' then d.supplied_usd else d.borrowed_usd end as own_value
  from derived.other_figure o
  join derived.market_day d on d.chain = o.chain and d.market_id = o.subject and d.day = @now - @now % 86400
  where o.metric in ('market_supplied_usd', 'market_borrowed_usd')
)
select
  source, metric, chain, subject, value, own_value, observed_at,
  abs(value - own_value) / greatest(value, own_value) as difference,
  abs(value - own_value) / greatest(value, own_value) > p.max_difference as is_apart
from own
cross join policy.cross_checks p
where own_value is not null and greatest(value, own_value) >= p.min_usd and greatest(value, own_value) > 0
