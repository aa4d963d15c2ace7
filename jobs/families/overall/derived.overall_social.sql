-- Social score of one protocol on one UTC day (decision 2): the mean sentiment of its messages on all channels on which it is followed,
-- shrunk towards .5 when messages are few. A day without messages is a gap.
-- kind: window   grain: protocol, day   time: day   order: day, protocol
with summed as (
  select
    m.protocol, m.day,
    cast(sum(m.messages) as bigint) as messages,
    exact_double(sum(m.sentiment_sum)) / nullif(cast(sum(m.messages) as double), 0) as sentiment
  from derived.social_day m
  join policy.social_protocol f on f.channel = m.channel and f.protocol_id = m.protocol
  where m.day >= @start and m.day < @end
  group by m.protocol, m.day
)
select
  d.protocol, d.day,
  round(0.5e0 + ((s.sentiment + 1) / 2 - 0.5e0) * s.messages / (s.messages + p.damping_messages), 6) as score,
  case when d.social_id is null then 'not_mapped' when s.sentiment is null then 'no_data' end as gap,
  case
    when d.social_id is null then 'the registry names no social channel for it'
    when s.sentiment is null then concat('no messages about ', d.social_id)
  end as reason,
  case
    when s.sentiment is not null then concat(
      'messages=', cast(s.messages as varchar), ';sentiment=', cast(exact_decimal(s.sentiment, 38, 6) as varchar)
    )
  end as inputs
from derived.overall_protocol_day d
cross join policy.overall p
left join summed s on s.protocol = d.social_id and s.day = d.day
where d.day >= @start and d.day < @end
