-- A peg whose edges do not alternate: a start while depegged, or an end while not.
with edge as (
  select
    chain, symbol, quote, observed_at, edge,
    lag(edge) over (partition by chain, symbol, quote order by observed_at, length(round_id), round_id) as previous_edge
  from derived.peg_step
  where edge is not null and observed_at >= @start and observed_at < @end
)
select chain, symbol, quote, observed_at, edge
from edge
where edge = previous_edge
