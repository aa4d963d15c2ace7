-- One period within reach of the window in which one market is certainly open; a market that never closes has one row.
-- kind: full   grain: market_hours, opened_at
with week as (
  select t.monday_at
  from unnest(sequence(@start - (@start + 259200) % 604800 - 604800, @end, 604800)) as t(monday_at)
),
opening as (
  select
    p.name as market_hours,
    w.monday_at + p.open_from_minute * 60 as opened_at,
    w.monday_at + p.open_to_minute * 60 as closes_at
  from policy.market_hours p
  cross join week w
  where p.open_to_minute - p.open_from_minute < 10080
  union all
  select name as market_hours, 0 as opened_at, 253402300799 as closes_at
  from policy.market_hours
  where open_to_minute - open_from_minute >= 10080
)
select market_hours, opened_at, closes_at
from opening
where opened_at < @end and closes_at > @start
