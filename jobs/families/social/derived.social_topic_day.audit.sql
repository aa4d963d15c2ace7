-- A day whose high-level topics do not cover each of its messages exactly once.
select d.channel, d.protocol, d.day, d.messages, t.messages as with_topic
from derived.social_day d
left join (
  select channel, protocol, day, sum(messages) as messages
  from derived.social_topic_day
  where level = 'high'
  group by channel, protocol, day
) t on t.channel = d.channel and t.protocol = d.protocol and t.day = d.day
where d.messages <> coalesce(t.messages, 0)
