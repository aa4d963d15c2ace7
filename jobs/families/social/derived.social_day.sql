-- One UTC day of one protocol on one channel: its messages, their authors and their sentiment. Messages of programs are not counted;
-- messages without text are excluded or neutral, depending on the policy; messages of deleted accounts have no user. If a message was
-- scored by several versions of the rules, the newest applies.
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
),
message as (
  select
    m.channel, m.protocol, m.day, m.copies, m.author_hash, m.features_version, p.positive_from, p.negative_to,
    case when not m.has_text then 0e0 when p.crypto_words then m.sentiment else m.plain_sentiment end as sentiment
  from obs.social_message m
  cross join policy.social p
  left join newer n on n.channel = m.channel and n.protocol = m.protocol and n.message_key = m.message_key
  where m.sent_at >= @start and m.sent_at < @end and (m.has_text or p.counts_empty) and not coalesce(m.is_program, false)
    and m.features_version = coalesce(n.features_version, m.features_version)
)
select
  channel, protocol, day,
  cast(sum(copies) as bigint) as messages,
  count(distinct author_hash) as users,
  cast(sum(exact_decimal(sentiment, 38, 10) * copies) as decimal(38, 10)) as sentiment_sum,
  cast(sum(case when sentiment >= positive_from then copies else 0 end) as bigint) as positive,
  cast(sum(case when sentiment <= negative_to then copies else 0 end) as bigint) as negative,
  min(features_version) as features_version
from message
group by channel, protocol, day
