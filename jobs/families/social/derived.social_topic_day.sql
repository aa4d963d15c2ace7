-- One topic of one protocol on one channel and UTC day. Every counted message has exactly one high-level topic (Other if it has no text) and
-- any number of mid-level topics.
-- kind: window   grain: channel, protocol, day, level, topic   time: day   order: day, channel, protocol, level, topic
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
),
message as (
  select
    m.channel, m.protocol, m.day, coalesce(m.high_topic, 'Other') as high_topic, m.mid_topics, m.copies, p.positive_from, p.negative_to,
    case when not m.has_text then 0e0 when p.crypto_words then m.sentiment else m.plain_sentiment end as sentiment
  from obs.social_message m
  cross join policy.social p
  left join newer n on n.channel = m.channel and n.protocol = m.protocol and n.message_key = m.message_key
  where m.sent_at >= @start and m.sent_at < @end and (m.has_text or p.counts_empty) and not coalesce(m.is_program, false)
    and m.features_version = coalesce(n.features_version, m.features_version)
),
combined as (
  select
    channel, protocol, day, high_topic, mid_topics,
    sum(copies) as messages,
    sum(case when sentiment >= positive_from then copies else 0 end) as positive,
    sum(case when sentiment <= negative_to then copies else 0 end) as negative
  from message
  group by channel, protocol, day, high_topic, mid_topics
),
topical as (
  select channel, protocol, day, 'high' as level, high_topic as topic, messages, positive, negative
  from combined
  union all
  select c.channel, c.protocol, c.day, 'mid' as level, t.topic, c.messages, c.positive, c.negative
  from combined c
  cross join unnest(split(c.mid_topics, '|')) as t(topic)
)
select
  channel, protocol, day, level, topic,
  cast(sum(messages) as bigint) as messages,
  cast(sum(positive) as bigint) as positive,
  cast(sum(negative) as bigint) as negative,
  cast(sum(messages - positive - negative) as bigint) as neutral
from topical
group by channel, protocol, day, level, topic
