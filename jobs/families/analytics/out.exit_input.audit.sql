-- Markets with weak inputs for exits, as a share of all markets: too few known hours, or an old state.
-- verdict: warn
with doubt as (
  select
    count(*) as markets,
    count(*) filter (where is_short) as short,
    count(*) filter (where is_stale) as stale
  from out.exit_input
)
select concat(cast(short as varchar), ' of ', cast(markets as varchar), ' markets have a short history') as reason,
  cast(short as double) / markets as weight
from doubt where short > 0
union all
select concat(cast(stale as varchar), ' of ', cast(markets as varchar), ' markets have a stale state') as reason,
  cast(stale as double) / markets as weight
from doubt where stale > 0
order by reason
