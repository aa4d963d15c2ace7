-- Messages of the week that are not published because their protocol is not followed on that channel.
-- verdict: warn
with week as (
  select
    d.channel, d.protocol, d.day, d.messages, s.protocol_id is not null as is_followed,
    max(d.day) over (partition by d.channel, d.protocol) as newest_day
  from derived.social_day d
  left join policy.social_protocol s on s.channel = d.channel and s.protocol_id = d.protocol
  where d.day >= @now - @now % 86400 - 604800 and d.day <= @now
),
listed as (select channel, protocol, messages, is_followed from week where day > newest_day - 604800),
total as (select sum(messages) as messages from listed)
select
  concat(w.protocol, ' on ', w.channel, ': ', cast(cast(sum(w.messages) as bigint) as varchar), ' messages, not followed') as reason,
  round(cast(sum(w.messages) as double) / max(t.messages), 4) as weight
from listed w
cross join total t
where not w.is_followed
group by w.channel, w.protocol
order by w.channel, w.protocol
