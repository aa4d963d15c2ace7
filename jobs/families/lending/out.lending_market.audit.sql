-- Markets whose state or price is unreliable, or that are in no registry, as a share of all markets; contradictions are named.
-- Caps can be lowered and thresholds changed after the registry was written, so these flags are no contradictions.
-- verdict: warn
with doubt as (
  select
    count(*) as markets,
    count(*) filter (where not has_metadata) as unknown,
    count(*) filter (where state_status = 'stale') as stale,
    count(*) filter (where state_status = 'unknown') as silent,
    count(*) filter (where is_oracle_disputed) as disputed,
    count(*) filter (where oracle_status = 'stale') as unpriced,
    count(*) filter (where oracle_status = 'unverifiable') as unverifiable
  from out.lending_market
),
flagged as (
  select chain, market_id, f.flag
  from out.lending_market
  cross join unnest(state_flags) as f(flag)
  where is_state_contradictory and f.flag not in ('empty', 'utilization_above_one')
  union all
  select chain, market_id, f.flag
  from out.lending_market
  cross join unnest(parameter_flags) as f(flag)
  where f.flag not in ('above_supply_cap', 'above_borrow_cap', 'lltv_contradicts_threshold')
),
contradiction as (
  select chain, market_id, array_join(array_agg(flag order by flag), ', ') as flags
  from flagged
  group by chain, market_id
),
listed as (
  select *, row_number() over (order by chain, market_id) as place from contradiction
),
named as (
  select
    count(*) as contradictory,
    array_join(array_agg(case when place <= 10 then concat(chain, '|', market_id, ' (', flags, ')') end order by place), ', ') as names
  from listed
)
select concat(cast(unknown as varchar), ' of ', cast(markets as varchar), ' markets are in no registry') as reason,
  cast(unknown as double) / markets as weight
from doubt where unknown > 0
union all
select concat(cast(stale as varchar), ' of ', cast(markets as varchar), ' markets have a stale state') as reason,
  cast(stale as double) / markets as weight
from doubt where stale > 0
union all
select concat(cast(silent as varchar), ' of ', cast(markets as varchar), ' markets have no state') as reason,
  cast(silent as double) / markets as weight
from doubt where silent > 0
union all
select concat(cast(disputed as varchar), ' of ', cast(markets as varchar), ' markets have feeds that disagree about a price') as reason,
  cast(disputed as double) / markets as weight
from doubt where disputed > 0
union all
select concat(cast(unpriced as varchar), ' of ', cast(markets as varchar), ' markets have a stale feed behind them') as reason,
  cast(unpriced as double) / markets as weight
from doubt where unpriced > 0
union all
select concat(cast(unverifiable as varchar), ' of ', cast(markets as varchar), ' markets have a feed behind them that cannot be verified') as reason,
  cast(unverifiable as double) / markets as weight
from doubt where unverifiable > 0
union all
select concat(cast(n.contradictory as varchar), ' of ', cast(d.markets as varchar), ' markets have figures that contradict each other: ', n.names,
    case when n.contradictory > 10 then ' and others' else '' end) as reason,
  cast(n.contradictory as double) / d.markets as weight
from doubt d cross join named n where n.contradictory > 0
order by reason
