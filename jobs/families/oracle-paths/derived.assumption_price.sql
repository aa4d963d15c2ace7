-- The price of the left symbol of one assumption in terms of its right one by its independent sources, at one instant: the median of those
-- that are live. A source in another unit is converted at the median of the live prices of both units, of which the feeds that the tested
-- price rests on are no part. A pool counts only if it holds enough of the asset. Without a source there is no row.
-- kind: window   grain: chain, assumption_id, observed_at   time: observed_at   by_hour: observed_at   order: day, chain, assumption_id, observed_at
with quote as (
  select
    chain, feed_address, known_at, price, holds_to, base, quote, source_kind, deviation_bps,
    row_number() over (partition by chain, feed_address order by known_at, is_carried desc) as turn
  from derived.path_quote
  where known_at >= @start and known_at < @end and (not is_carried or known_at = @start)
),
instant as (
  select chain, assumption_id, observed_at, day, assumed
  from derived.assumption_instant
  where observed_at >= @start and observed_at < @end and kind not in ('standby', 'cap')
),
tested as (
  select
    i.chain, i.assumption_id, i.observed_at, i.day, i.assumed, t.feed_chain, t.feed_address, t.left_symbol, t.right_symbol, t.unit, t.is_direct,
    t.source_kind
  from instant i
  join derived.assumption_test t on t.chain = i.chain and t.assumption_id = i.assumption_id
),
-- Units that have to be converted at an instant, other than the dollar.
wanted as (
  select distinct chain, assumption_id, observed_at, unit as symbol from tested where not is_direct and unit <> 'USD'
  union
  select distinct chain, assumption_id, observed_at, right_symbol from tested where not is_direct and right_symbol <> 'USD'
),
-- Many assumptions are judged at one instant: which answer of a feed was live then is found once, as the last one before it.
lookup as (
  select feed_chain as chain, feed_address, observed_at from tested
  union
  select q.chain, q.feed_address, w.observed_at
  from (select distinct symbol, observed_at from wanted) w
  join (select distinct chain, feed_address, base from quote where quote = 'USD' and source_kind <> 'pool') q on q.base = w.symbol
),
last_answer as (
  select
    chain, feed_address, seen_at, is_lookup, max(turn) over (
      partition by chain, feed_address order by seen_at, is_lookup rows between unbounded preceding and current row
    ) as turn
  from (
    select chain, feed_address, known_at as seen_at, 0 as is_lookup, turn from quote
    union all
    select chain, feed_address, observed_at as seen_at, 1 as is_lookup, cast(null as bigint) as turn from lookup
  ) a
),
live as (
  select l.chain, l.feed_address, l.seen_at as observed_at, q.price, q.base, q.quote, q.source_kind, q.deviation_bps
  from last_answer l
  join quote q on q.chain = l.chain and q.feed_address = l.feed_address and q.turn = l.turn
  where l.is_lookup = 1 and q.holds_to > l.seen_at and q.price > 0
),
own as (
  select distinct p.chain, p.assumption_id, l.contract
  from derived.path_assumption p
  join derived.oracle_path_leg l on l.chain = p.chain and l.market_id = p.market_id and l.observed_at = p.valid_from
  where p.kind = 'path'
  union
  select distinct chain, assumption_id, contract from derived.path_assumption where kind in ('feed', 'bound')
),
-- What a pool held of the asset by its last state, unless that was too old.
held as (
  select
    chain, pool, symbol, seen_at, is_lookup, max(state_at) over (
      partition by chain, pool, symbol order by seen_at, is_lookup rows between unbounded preceding and current row
    ) as state_at
  from (
    select r.chain, r.pool, r.symbol, r.observed_at as seen_at, 0 as is_lookup, r.observed_at as state_at
    from derived.pool_reserve r
    cross join policy.pools p
    where r.observed_at > @start - p.state_max_age_s and r.observed_at < @end
    union all
    select distinct v.chain, v.pool_address, t.left_symbol, t.observed_at, 1 as is_lookup, cast(null as bigint) as state_at
    from tested t
    join derived.feed_version v
      on v.chain = t.feed_chain and v.feed_address = t.feed_address and v.valid_from <= t.observed_at and v.valid_to > t.observed_at
    where t.source_kind = 'pool'
  ) s
),
pooled as (
  select h.chain, h.pool, h.symbol, h.seen_at, r.units
  from held h
  cross join policy.pools p
  join derived.pool_reserve r
    on r.chain = h.chain and r.pool = h.pool and r.symbol = h.symbol
    and r.observed_at = case when h.state_at > h.seen_at - p.state_max_age_s then h.state_at end
  where h.is_lookup = 1
),
source as (
  select
    t.chain, t.assumption_id, t.observed_at, t.day, t.assumed, t.feed_address, t.right_symbol, t.unit, t.is_direct, q.price, q.deviation_bps
  from tested t
  join live q on q.chain = t.feed_chain and q.feed_address = t.feed_address and q.observed_at = t.observed_at
  left join derived.feed_version v
    on v.chain = t.feed_chain and v.feed_address = case when t.source_kind = 'pool' then t.feed_address end
    and v.valid_from <= t.observed_at and v.valid_to > t.observed_at
  left join pooled r on r.chain = v.chain and r.pool = v.pool_address and r.symbol = t.left_symbol and r.seen_at = t.observed_at
  cross join policy.oracle_paths p
  where t.source_kind <> 'pool' or r.units * q.price >= p.pool_min_depth
),
dollar as (
  select
    w.chain, w.assumption_id, w.observed_at, w.symbol, q.price,
    row_number() over (partition by w.chain, w.assumption_id, w.observed_at, w.symbol order by q.price, q.chain, q.feed_address) as place,
    count(*) over (partition by w.chain, w.assumption_id, w.observed_at, w.symbol) as sources
  from wanted w
  join live q on q.base = w.symbol and q.observed_at = w.observed_at and q.quote = 'USD' and q.source_kind <> 'pool'
  left join policy.oracle_unit u on u.symbol = w.symbol
  left join own o
    on o.chain = w.chain and o.assumption_id = w.assumption_id and o.contract = case when q.chain = w.chain then q.feed_address end
  where o.contract is null and (u.symbol is not null or q.chain = w.chain)
),
converted as (
  select chain, assumption_id, observed_at, symbol, (min(price) + max(price)) / 2 as usd
  from dollar
  where 2 * place >= sources and 2 * place <= sources + 2
  group by chain, assumption_id, observed_at, symbol
),
valued as (
  select
    s.chain, s.assumption_id, s.observed_at, s.day, s.assumed, s.feed_address, s.deviation_bps,
    case
      when s.is_direct then s.price
      else s.price * case when s.unit = 'USD' then 1e0 else u.usd end / case when s.right_symbol = 'USD' then 1e0 else r.usd end
    end as value
  from source s
  left join converted u on u.chain = s.chain and u.assumption_id = s.assumption_id and u.observed_at = s.observed_at and u.symbol = s.unit
  left join converted r on r.chain = s.chain and r.assumption_id = s.assumption_id and r.observed_at = s.observed_at and r.symbol = s.right_symbol
),
ranked as (
  select
    v.*, b.enter_bps, cast(exact_decimal(least(v.value, 1e19), 38, 12) as varchar) as value_text,
    row_number() over (partition by v.chain, v.assumption_id, v.observed_at order by v.value, v.feed_address) as place,
    count(*) over (partition by v.chain, v.assumption_id, v.observed_at) as sources
  from valued v
  join derived.assumption_band b on b.chain = v.chain and b.assumption_id = v.assumption_id
  where v.value > 0
)
select
  chain, assumption_id, observed_at, day, max(assumed) as assumed,
  (min(case when 2 * place >= sources then value end) + max(case when 2 * place <= sources + 2 then value end)) / 2 as observed,
  max(sources) as sources,
  count(*) filter (where round((assumed / value - 1) * 10000, 6) >= enter_bps) as sources_below_it,
  count(*) filter (where round((assumed / value - 1) * 10000, 6) <= -enter_bps) as sources_above_it,
  -- Sorting costs as much as everything else, and most instants have one source.
  coalesce(array_join(array_agg(feed_address order by value, feed_address) filter (where sources > 1), ','), min(feed_address)) as source_feeds,
  coalesce(array_join(array_agg(value_text order by value, feed_address) filter (where sources > 1), ','), min(value_text)) as source_values
from ranked
group by chain, assumption_id, observed_at, day
