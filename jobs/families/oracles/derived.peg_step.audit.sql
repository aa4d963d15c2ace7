-- A peg whose edges do not alternate: a start while depegged, an end while pegged, or sources that agree on a depeg that has not begun.
with edge as (
  select
    chain, symbol, quote, asset_id, observed_at, edge,
    lag(edge) over (partition by chain, symbol, quote, asset_id order by observed_at, place) as previous_edge
  from derived.peg_step
  where edge is not null and observed_at >= @start and observed_at < @end
)
select chain, symbol, quote, asset_id, observed_at, edge
from edge
where edge = previous_edge or (edge = 'start' and previous_edge = 'agree') or (edge = 'agree' and previous_edge = 'end')
