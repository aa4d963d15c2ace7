-- A period of one day in which no source of a pegged asset was live: from the last covered second to the next observation, or to the end
-- of the day.
-- kind: view   grain: chain, asset_name, day, from_at
with step as (
  select
    s.chain, a.asset_name, s.day, s.covers_to,
    lead(s.observed_at, 1, s.day + 86400) over (
      partition by s.chain, s.symbol, s.quote, s.asset_id, s.day order by s.observed_at, s.place
    ) as next_at
  from derived.peg_step s
  join derived.peg_asset a on a.chain = s.chain and a.symbol = s.symbol and a.quote = s.quote and a.asset_id = s.asset_id
)
select chain, asset_name, day, covers_to as from_at, next_at as to_at, 'no_live_source' as reason
from step
where covers_to < next_at
