-- The overall score of one protocol on one UTC day with its six components; unknown values are null.
-- kind: view   grain: protocol, day
with component as (
  select
    protocol, day,
    max(case when component = 'liquidity' then score end) as liquidity,
    max(case when component = 'security' then score end) as security,
    max(case when component = 'decentralization' then score end) as decentralization,
    max(case when component = 'tokenomics' then score end) as tokenomics,
    max(case when component = 'development' then score end) as development,
    max(case when component = 'social' then score end) as social
  from derived.overall_component
  group by protocol, day
)
select
  d.protocol, d.day, d.score, d.gap, c.liquidity, c.security, c.decentralization, c.tokenomics, c.development, c.social
from derived.overall_day d
left join component c on c.protocol = d.protocol and c.day = d.day
