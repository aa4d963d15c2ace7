-- The stored features of one message by one version of the rules. A message with an id is stored once, however often it is delivered.
-- kind: append   grain: channel, protocol, message_key, features_version   time: sent_at   order: day, channel, protocol, sent_at, message_key
select
  channel, protocol, message_key, sent_at, sent_at - sent_at % 86400 as day,
  author_hash, is_program, content_hash, has_text, sentiment, plain_sentiment, high_topic, mid_topics, features_version,
  case when has_id then 1 else copies end as copies,
  source_id, fetched_at
from landing.social_message
