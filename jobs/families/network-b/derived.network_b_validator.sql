-- One entry of one list in a validator response: account, stake, whether slashed, shards (ids separated by commas), and the reason for
-- removal. An account listed twice counts once, with its larger stake.
-- kind: window   grain: network, observed_at, role, account_id   time: observed_at   order: day, network, observed_at, role, account_id
with answer as (
  select * from obs.network_b_validators where observed_at >= @start and observed_at < @end
),
list as (
  select network, day, observed_at, epoch_height, 'current' as role, current_validators_entries as entries from answer
  union all
  select network, day, observed_at, epoch_height, 'next' as role, next_validators_entries as entries from answer
  union all
  select network, day, observed_at, epoch_height, 'fisherman' as role, current_fishermen_entries as entries from answer
  union all
  select network, day, observed_at, epoch_height, 'proposal' as role, current_proposals_entries as entries from answer
  union all
  select network, day, observed_at, epoch_height, 'kickout' as role, prev_epoch_kickout_entries as entries from answer
),
line as (
  select l.network, l.day, l.observed_at, l.epoch_height, l.role, t.entry
  from list l
  cross join unnest(split(l.entries, chr(10))) as t(entry)
  where l.entries <> ''
),
entry as (
  select
    network, day, observed_at, epoch_height, role,
    split_part(entry, '|', 1) as account_id,
    lpad(nullif(split_part(entry, '|', 2), ''), 36, '0') as stake_digits,
    split_part(entry, '|', 3) = 'true' as is_slashed,
    nullif(split_part(entry, '|', 4), '') as shards,
    nullif(split_part(entry, '|', 5), '') as reason
  from line
),
placed as (
  select
    *,
    row_number() over (
      partition by network, observed_at, role, account_id order by stake_digits desc nulls last, is_slashed desc, shards, reason
    ) as place
  from entry
)
select
  network, day, observed_at, epoch_height, role, account_id,
  cast(substr(stake_digits, 1, 18) as bigint) * cast(1000000000000000000 as decimal(38, 0))
    + cast(substr(stake_digits, 19) as bigint) as stake_yocto,
  is_slashed, shards, reason
from placed
where place = 1
