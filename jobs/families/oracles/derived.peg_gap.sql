-- A period of one day in which the price of a pegged asset is not known: from the last covered second, or from the invalid answer after which
-- no source of the price or of its reference had a valid one, to the next observation or the return of the reference, or to the end of the
-- day.
-- kind: view   grain: chain, asset_name, day, from_at
with step as (
  select
    chain, symbol, quote, asset_id, day, covers_to as from_at,
    lead(observed_at, 1, day + 86400) over (partition by chain, symbol, quote, asset_id, day order by observed_at, place) as to_at
  from derived.peg_step
),
silence as (
  select chain, symbol, quote, asset_id, day, from_at, to_at from step where from_at < to_at
  union all
  select chain, symbol, quote, asset_id, day, from_at, to_at from derived.peg_outage
),
-- Silences that overlap or follow each other without a second between them are one gap.
ordered as (
  select
    *,
    max(to_at) over (
      partition by chain, symbol, quote, asset_id, day order by from_at, to_at rows between unbounded preceding and 1 preceding
    ) as reached_to
  from silence
),
numbered as (
  select
    *,
    sum(case when from_at <= reached_to then 0 else 1 end) over (
      partition by chain, symbol, quote, asset_id, day order by from_at, to_at rows between unbounded preceding and current row
    ) as gap_no
  from ordered
),
gap as (
  select chain, symbol, quote, asset_id, day, min(from_at) as from_at, max(to_at) as to_at
  from numbered
  group by chain, symbol, quote, asset_id, day, gap_no
)
select g.chain, a.asset_name, g.day, g.from_at, g.to_at, 'no_live_source' as reason
from gap g
join derived.peg_asset a on a.chain = g.chain and a.symbol = g.symbol and a.quote = g.quote and a.asset_id = g.asset_id
