-- The counts of the data manifest (2.12) in one row, with the counts of each protocol over all chains. Every market has one verdict, and the
-- rows of the manifest have the gaps that are counted here. A feed is complete if it lacks no expected row and is not stale.
-- kind: full   grain: id
with counted as (
  select
    count(*) filter (where scope = 'lending_market') as markets,
    count(*) filter (where scope = 'lending_market' and classified) as markets_classified,
    count(*) filter (where scope = 'lending_market' and verdict = 'fresh') as markets_fresh,
    count(*) filter (where scope = 'lending_market' and verdict = 'stale') as markets_stale,
    count(*) filter (where scope = 'lending_market' and verdict = 'unverifiable') as markets_unverifiable,
    count(*) filter (where scope = 'lending_market' and verdict = 'unknown') as markets_unknown,
    count(*) filter (where scope = 'oracle_feed') as feeds,
    count(*) filter (where scope = 'oracle_feed' and has_metadata) as feeds_with_metadata,
    count(*) filter (where scope = 'oracle_feed' and rows_present > 0) as feeds_with_history,
    count(*) filter (where scope = 'oracle_feed' and history_completeness_pct = 1e2 and not is_stale) as feeds_complete,
    count(*) filter (where scope = 'lending_vault') as vaults,
    count(*) filter (where scope = 'lending_vault' and rows_present > 0) as vaults_governance_indexed
  from derived.coverage
),
-- A registered protocol without a market or a vault is listed with counts of 0.
member as (
  select protocol, count(*) as markets, 0 as vaults
  from derived.market_coverage where protocol is not null group by protocol
  union all
  select protocol, 0 as markets, count(*) as vaults
  from derived.vault_coverage where protocol is not null group by protocol
  union all
  select protocol, 0 as markets, 0 as vaults from derived.lending_protocol
),
protocol as (
  select
    concat(
      '"', protocol, '":{"markets":', cast(cast(sum(markets) as bigint) as varchar), ',"vaults":',
      cast(cast(sum(vaults) as bigint) as varchar), '}'
    ) as member,
    protocol
  from member
  group by protocol
),
listed as (
  select concat('{', coalesce(array_join(array_agg(member order by protocol), ','), ''), '}') as protocols
  from protocol
)
select
  'summary' as id,
  cast(
    row(markets, markets_classified, markets_fresh, markets_stale, markets_unverifiable, markets_unknown)
    as row(total bigint, classified bigint, fresh bigint, stale bigint, unverifiable bigint, unknown bigint)
  ) as markets,
  cast(
    row(feeds, feeds_with_metadata, feeds_with_history, feeds_complete)
    as row(total bigint, with_metadata bigint, with_history bigint, complete bigint)
  ) as feeds,
  cast(row(vaults, vaults_governance_indexed) as row(total bigint, governance_indexed bigint)) as vaults,
  json_parse(protocols) as protocols
from counted
cross join listed
