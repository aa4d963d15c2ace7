-- One of the last seven UTC days of one followed protocol on one channel (2.2, decision 57). A day without messages has no record.
-- kind: full   grain: channel, protocol, day
with listed as (
  select
    d.channel, d.protocol, d.day, d.messages, d.users, d.sentiment_sum,
    max(d.day) over (partition by d.channel, d.protocol) as newest_day
  from derived.social_day d
  join policy.social_protocol s on s.channel = d.channel and s.protocol_id = d.protocol
  where d.day >= @now - @now % 86400 - 604800 and d.day <= @now
),
placed as (
  select
    channel, protocol, day, level, topic, messages, neutral, positive, negative,
    row_number() over (partition by channel, protocol, day, level order by messages desc, topic) as place
  from derived.social_topic_day
  where day >= @now - @now % 86400 - 604800 and day <= @now
),
high as (
  select
    channel, protocol, day,
    array_agg(cast(row(topic, messages) as row(topic varchar, frequency bigint)) order by place) as topics
  from placed
  where level = 'high'
  group by channel, protocol, day
),
mid as (
  select
    t.channel, t.protocol, t.day,
    array_agg(
      cast(
        row(t.topic, t.messages, t.neutral, t.positive, t.negative)
        as row(
          topic_name varchar, count bigint,
          neutral_sentiment_count bigint, positive_sentiment_count bigint, negative_sentiment_count bigint
        )
      )
      order by t.place
    ) as topics
  from placed t
  cross join policy.social p
  where t.level = 'mid' and t.place <= p.mid_topics_max
  group by t.channel, t.protocol, t.day
)
select
  d.channel, d.protocol, d.day,
  d.messages as daily_message_count,
  d.users as number_of_unique_users,
  round(exact_double(d.sentiment_sum) / d.messages, 6) as average_sentiment_score,
  h.topics as high_level_topic_frequency,
  coalesce(m.topics, array[]) as mid_level_topic_based_sentiment_distribution,
  replace(cast(cast(from_unixtime(d.day) as timestamp(0)) as varchar), ' ', 'T') as timestamp
from listed d
join high h on h.channel = d.channel and h.protocol = d.protocol and h.day = d.day
left join mid m on m.channel = d.channel and m.protocol = d.protocol and m.day = d.day
where d.day > d.newest_day - 604800
