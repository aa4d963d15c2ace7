-- One UTC day of one protocol on one channel: its messages with text, who wrote them, and how they feel. Of a message that was scored by
-- several versions of the rules the newest counts.
-- kind: window   grain: channel, protocol, day   time: day   order: day, channel, protocol
with oldest as (
  select min(features_version) as features_version
  from obs.social_message
  where sent_at >= @start and sent_at < @end
),
newer as (
  select m.channel, m.protocol, m.message_key, max(m.features_version) as features_version
  from obs.social_message m
  cross join oldest o
  where m.sent_at >= @start and m.sent_at < @end and m.features_version > o.features_version
  group by m.channel, m.protocol, m.message_key
)
select
  m.channel, m.protocol, m.day,
  cast(sum(m.copies) as bigint) as messages,
  count(distinct m.author_hash) as users,
  cast(sum(cast(m.sentiment as decimal(38, 10)) * m.copies) as decimal(38, 10)) as sentiment_sum,
  cast(sum(case when m.sentiment >= p.positive_from then m.copies else 0 end) as bigint) as positive,
  cast(sum(case when m.sentiment <= p.negative_to then m.copies else 0 end) as bigint) as negative,
  min(m.features_version) as features_version
from obs.social_message m
cross join obs.social_policy p
left join newer n on n.channel = m.channel and n.protocol = m.protocol and n.message_key = m.message_key
where m.sent_at >= @start and m.sent_at < @end and m.has_text
  and m.features_version = coalesce(n.features_version, m.features_version)
group by m.channel, m.protocol, m.day
