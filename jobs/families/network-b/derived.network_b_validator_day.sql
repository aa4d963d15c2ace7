-- The validators of one network on one UTC day, from the last response of the day; proposals are those of all its responses. If the
-- response lacks a list, the figures based on it are null. Candidates compete for seats: validators of the next epoch and proposers. Every
-- shard has validators in every epoch, so the shards with validators are all shards; their ids have gaps because shards split. The Gini
-- coefficient is that of the validators' stakes.
-- kind: window   grain: network, day   time: day   order: day, network
with answer as (
  select
    network, day, observed_at, num_shards,
    current_validators_entries is not null as has_current,
    next_validators_entries is not null and current_proposals_entries is not null as has_candidates,
    current_fishermen_entries is not null as has_fishermen,
    current_proposals_entries is not null as has_proposals,
    prev_epoch_kickout_entries is not null as has_kickouts,
    row_number() over (partition by network, day order by observed_at desc) as place
  from obs.network_b_validators
  where observed_at >= @start and observed_at < @end
),
last_answer as (
  select * from answer where place = 1
),
entry as (
  select
    v.*,
    row_number() over (partition by v.network, v.day, v.role order by v.stake_yocto, v.account_id) as rank
  from derived.network_b_validator v
  join last_answer l on l.network = v.network and l.observed_at = v.observed_at
),
counted as (
  select
    network, day,
    count(distinct case when role = 'current' then account_id end) as validators,
    count(distinct case when role in ('next', 'proposal') then account_id end) as candidates,
    count(distinct case when role = 'fisherman' then account_id end) as fishermen,
    count(distinct case when role = 'kickout' then account_id end) as kickouts,
    count(distinct case when (role = 'current' and is_slashed) or (role = 'kickout' and lower(reason) like '%slashed%') then account_id end)
      as slashed,
    cast(sum(case when role = 'current' then stake_yocto end) as decimal(38, 0)) as total_stake_yocto,
    cast(sum(case when role = 'current' then stake_yocto * rank end) as decimal(38, 0)) as ranked_stake_yocto
  from entry
  group by network, day
),
shard as (
  select
    network, day,
    count(distinct s.shard) as assigned_shards
  from (select network, day, split(shards, ',') as shard_list from entry where role = 'current' and shards is not null) v
  cross join unnest(v.shard_list) as s(shard)
  group by network, day
),
proposed as (
  select network, day, count(distinct concat(coalesce(cast(epoch_height as varchar), ''), '|', account_id)) as proposals
  from derived.network_b_validator
  where role = 'proposal' and observed_at >= @start and observed_at < @end
  group by network, day
),
asked as (
  select network, day, count(*) filter (where has_proposals) > 0 as has_proposals
  from answer
  group by network, day
)
select
  l.network, l.day, l.observed_at as last_at,
  case when l.has_current then coalesce(c.validators, 0) end as validators,
  case when l.has_candidates then coalesce(c.candidates, 0) end as candidates,
  case when l.has_fishermen then coalesce(c.fishermen, 0) end as fishermen,
  case when a.has_proposals then coalesce(p.proposals, 0) end as proposals,
  case when l.has_kickouts then coalesce(c.kickouts, 0) end as kickouts,
  case when l.has_current and l.has_kickouts then coalesce(c.slashed, 0) end as slashed,
  coalesce(l.num_shards, s.assigned_shards) as shards,
  s.assigned_shards,
  c.total_stake_yocto,
  2 * exact_double(c.ranked_stake_yocto) / nullif(c.validators * exact_double(c.total_stake_yocto), 0)
    - cast(c.validators + 1 as double) / nullif(c.validators, 0) as gini
from last_answer l
join asked a on a.network = l.network and a.day = l.day
left join counted c on c.network = l.network and c.day = l.day
left join shard s on s.network = l.network and s.day = l.day
left join proposed p on p.network = l.network and p.day = l.day
