-- What relays delivered for one slot. Several relays may deliver the same block, but at most one block of a slot joins the chain, so two
-- blocks, or two amounts for one block, make the payment unknown.
-- kind: window   grain: network, slot   time: observed_at   order: day, network, slot
select
  network, slot, observed_at, day,
  count(distinct relay) as relays,
  case when count(distinct block_hash) = 1 and min(value_wei) = max(value_wei) then min(value_wei) end as paid_wei,
  case when count(distinct block_hash) = 1 then min(builder) end as builder
from obs.relay_payment
where observed_at >= @start and observed_at < @end
group by network, slot, observed_at, day
