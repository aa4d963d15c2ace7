-- Oracles whose path is wrong or not known, whose market price is not, or is doubted, as a share of all.
-- verdict: warn
with counted as (
  select
    count(*) as oracles,
    count(*) filter (where verdict = 'wrong') as wrong,
    count(*) filter (where verdict = 'unknown') as unknown,
    count(*) filter (where market_price is null) as untested,
    count(*) filter (where array_join(doubts, ',') <> '') as doubted
  from out.oracle_path
)
select concat(cast(wrong as varchar), ' of ', cast(oracles as varchar), ' oracles fail a check of their path') as reason,
  cast(wrong as double) / oracles as weight
from counted where wrong > 0
union all
select concat(cast(unknown as varchar), ' of ', cast(oracles as varchar), ' oracles have a path that is not known') as reason,
  cast(unknown as double) / oracles as weight
from counted where unknown > 0
union all
select concat(cast(untested as varchar), ' of ', cast(oracles as varchar), ' oracles have no independent market price to compare with') as reason,
  cast(untested as double) / oracles as weight
from counted where untested > 0
union all
select concat(cast(doubted as varchar), ' of ', cast(oracles as varchar), ' oracles are compared with one source, or with sources that disagree') as reason,
  0e0 as weight
from counted where doubted > 0
order by reason
