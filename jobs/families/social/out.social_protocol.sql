-- The list of protocols of one channel (2.1): those that are followed there and have at least one record.
-- kind: full   grain: channel, protocol_id
select s.channel, s.protocol_id, s.name
from policy.social_protocol s
join (
  select distinct channel, protocol
  from derived.social_day
  where day >= @now - @now % 86400 - 604800 and day <= @now
) r on r.channel = s.channel and r.protocol = s.protocol_id
