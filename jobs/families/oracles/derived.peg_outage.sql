-- A period of one day in which the price of a pegged asset could not be known although its sources had not lapsed. role `price`: from the
-- invalid answer after which no source of an observation had a valid one, to the next row of derived.peg_step. role `reference`: from the
-- invalid answer after which no source of the reference had a valid one, to the first valid one; the price is known again at that second.
-- A period that lasts beyond its day goes on in the next one, from its first second.
-- kind: window   grain: chain, symbol, quote, asset_id, role, from_at, to_at   time: from_at   order: day, chain, symbol, quote, asset_id, role, from_at, to_at
with step as (
  select
    chain, symbol, quote, asset_id, observed_at, place, day, is_observation, live_set,
    lead(observed_at, 1, day + 86400) over (partition by chain, symbol, quote, asset_id order by observed_at, place) as until_at
  from derived.peg_step
  where day >= @start and observed_at < @end
),
-- The first invalid answer of each source after a row. A row that opens a day starts with what its sources said last.
failed as (
  select s.chain, s.symbol, s.quote, s.asset_id, s.observed_at, s.place, s.day, s.until_at, m.feed_address, min(a.known_at) as fails_at
  from step s
  cross join unnest(split(s.live_set, ',')) as m(feed_address)
  left join derived.peg_answer a
    on a.chain = s.chain and a.feed_address = m.feed_address and not a.is_valid and a.known_at < s.until_at
    and a.known_at > case when s.is_observation then s.observed_at else s.observed_at - 1 end
    and a.known_at >= @start and a.known_at < @end
  group by s.chain, s.symbol, s.quote, s.asset_id, s.observed_at, s.place, s.day, s.until_at, m.feed_address
),
-- What each source of the reference said last in a second.
said as (
  select
    p.chain, p.symbol, p.quote, p.asset_id, p.feed_address, a.known_at, a.known_at - a.known_at % 86400 as day,
    case when a.is_valid then 1 else 0 end as is_valid,
    row_number() over (
      partition by p.chain, p.symbol, p.quote, p.asset_id, p.feed_address, a.known_at
      order by a.is_carried, length(a.round_id) desc, a.round_id desc
    ) as recency
  from derived.peg_source p
  join derived.peg_answer a
    on a.chain = p.chain and a.feed_address = p.feed_address and a.known_at >= p.speaks_from and a.known_at < p.speaks_to
  where p.role = 'reference' and a.known_at >= @start and a.known_at < @end
),
changed as (
  select
    chain, symbol, quote, asset_id, day, known_at,
    is_valid - coalesce(lag(is_valid) over (partition by chain, symbol, quote, asset_id, feed_address, day order by known_at), 0) as more
  from said
  where recency = 1
),
counted as (
  select
    chain, symbol, quote, asset_id, day, known_at,
    sum(sum(more)) over (
      partition by chain, symbol, quote, asset_id, day order by known_at rows between unbounded preceding and current row
    ) as valid_sources
  from changed
  group by chain, symbol, quote, asset_id, day, known_at
),
spanned as (
  select
    *,
    lag(valid_sources) over in_order as sources_before,
    min(case when valid_sources > 0 then known_at end) over (
      partition by chain, symbol, quote, asset_id, day order by known_at rows between 1 following and unbounded following
    ) as returns_at
  from counted
  window in_order as (partition by chain, symbol, quote, asset_id, day order by known_at)
)
select chain, symbol, quote, asset_id, 'price' as role, day, max(fails_at) as from_at, until_at as to_at
from failed
group by chain, symbol, quote, asset_id, observed_at, place, day, until_at
having count(*) = count(fails_at)
union all
select chain, symbol, quote, asset_id, 'reference' as role, day, known_at as from_at, coalesce(returns_at, day + 86400) as to_at
from spanned
where valid_sources = 0 and coalesce(sources_before, 1) > 0
