-- What proposers of a network were paid through relays on one of the last seven complete UTC days.
-- kind: full   grain: network, day
select
  network, day,
  substr(cast(cast(from_unixtime(day) as timestamp(0)) as varchar), 1, 10) as date,
  slots, unknown_slots, builders, paid_native, largest_native,
  array_remove(split(relays, ','), '') as relays,
  array_remove(split(relays_not_read, ','), '') as relays_not_read,
  gap
from derived.proposer_payment_day
where day >= @now - @now % 86400 - 604800 and day < @now - @now % 86400
