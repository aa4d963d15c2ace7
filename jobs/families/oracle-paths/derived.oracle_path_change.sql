-- A change of the path of one market between two readings, with its price before: the last one read, unless that is too old. Compared is what
-- is known with what was last known of the same contract: that something was not read, or is read for the first time, is no change.
-- kind: full   grain: chain, market_id, valid_from
with leg as (
  select s.valid_from, s.leg_count, l.*
  from derived.oracle_path_span s
  join derived.oracle_path_leg l
    on l.chain = s.chain and l.market_id = s.market_id and l.oracle_address = s.oracle_address and l.observed_at = s.valid_from
),
fact as (
  select l.chain, l.market_id, l.oracle_address, l.valid_from, concat(cast(l.leg_index as varchar), ' ', l.contract) as part, t.fact
  from leg l
  cross join unnest(array[
    'kind ' || l.kind, 'from ' || l.from_symbol, 'to ' || l.to_symbol, 'decimals ' || cast(l.decimals as varchar), 'sample ' || l.sample,
    'implementation ' || l.implementation, 'code ' || l.code_hash, 'settings ' || l.settings
  ]) as t(fact)
  union all
  select
    chain, market_id, oracle_address, valid_from, 'legs',
    concat('legs ', array_join(array_agg(concat(
      side, ' ', role, ' ', contract, ' ', case when is_standby then 'standby' else '-' end, ' ', coalesce(cast(parent_index as varchar), '-')
    ) order by leg_index), '; '))
  from leg
  group by chain, market_id, oracle_address, valid_from, leg_count
  having count(*) = leg_count
  union all
  select s.chain, s.market_id, s.oracle_address, s.valid_from, 'oracle', t.fact
  from derived.oracle_path_span s
  cross join unnest(array[
    'kind ' || s.kind, 'scale ' || s.scale_factor, 'implementation ' || s.implementation, 'code ' || s.code_hash, 'standby ' || s.standby_address,
    'transaction ' || coalesce(s.change_tx_hash, case when s.previous_hash is null then '-' end)
  ]) as t(fact)
),
compared as (
  select
    chain, market_id, valid_from, fact, split_part(fact, ' ', 1) as name,
    lag(fact) over (partition by chain, market_id, oracle_address, part, split_part(fact, ' ', 1) order by valid_from) as previous_fact
  from fact
  where fact is not null
),
changed as (
  select chain, market_id, valid_from, bool_and(name = 'settings') as is_only_settings
  from compared
  where fact <> previous_fact
  group by chain, market_id, valid_from
),
before as (
  select s.chain, s.market_id, s.valid_from, max_by(o.price_number, o.observed_at) as price_before
  from derived.oracle_path_span s
  cross join policy.oracle_paths p
  join obs.oracle_price o
    on o.chain = s.chain and o.market_id = s.market_id and o.observed_at < s.valid_from and o.observed_at > s.valid_from - p.price_max_age_s
  where s.previous_hash is not null
  group by s.chain, s.market_id, s.valid_from
),
lent as (
  select s.chain, s.market_id, s.valid_from, max_by(m.borrowed_usd, m.observed_at) as debt_usd
  from derived.oracle_path_span s
  join obs.market_state m
    on m.chain = s.chain and m.market_id = s.market_id and m.observed_at <= s.valid_from and m.observed_at > s.valid_from - 86400
  where s.previous_hash is not null
  group by s.chain, s.market_id, s.valid_from
)
select
  s.chain, s.market_id, s.valid_from, s.oracle_address, s.previous_oracle_address, s.path_hash, s.previous_hash, s.price_number as price_after, b.price_before,
  round((s.price_number / nullif(b.price_before, 0e0) - 1) * 10000, 2) as change_bps, s.failed <> '' and coalesce(s.previous_failed, '') = '' as is_newly_failed,
  s.failed,
  coalesce(s.change_cause, case when c.is_only_settings and s.oracle_address = s.previous_oracle_address then 'settings' end) as change_cause,
  s.change_tx_hash, s.change_caller, s.block_number, l.debt_usd
from derived.oracle_path_span s
left join changed c on c.chain = s.chain and c.market_id = s.market_id and c.valid_from = s.valid_from
left join before b on b.chain = s.chain and b.market_id = s.market_id and b.valid_from = s.valid_from
left join lent l on l.chain = s.chain and l.market_id = s.market_id and l.valid_from = s.valid_from
where s.previous_hash is not null and (c.chain is not null or s.oracle_address <> s.previous_oracle_address)
