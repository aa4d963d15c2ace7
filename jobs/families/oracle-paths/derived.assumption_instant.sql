-- One instant at which one assumption can be judged, with the value that it assumes then: at an answer of one of its sources or of the feed
-- that it is about, and at a reading of the contract; the price of a market at each reading of its oracle. A source may answer once a day, and
-- holds until then: so that two assets are worth the same is also judged at the first reading of each hour of a market that takes it.
-- uncapped: what a cap holds down; capped: what is left of it, null if the cap is not known.
-- low_bound, high_bound: the bounds of the feed; is_silent: its last answer is older than it may be, as when its reporters may not
-- answer beyond a bound; null if that is not known. standby_sources: contracts that only the standby oracle reads, itself or through
-- others; null if its legs were not read.
-- kind: window   grain: chain, assumption_id, observed_at   time: observed_at   by_hour: observed_at   order: day, chain, assumption_id, observed_at
with assumption as (
  select
    chain, assumption_id, min(kind) as kind, min(contract) as contract, min(market_id) as market_id, min(valid_from) as valid_from,
    max(valid_to) as valid_to
  from derived.path_assumption
  group by chain, assumption_id
),
quote as (
  select
    chain, feed_address, known_at, is_carried, price, holds_to,
    row_number() over (partition by chain, feed_address order by known_at, is_carried desc) as turn
  from derived.path_quote
  where known_at >= @start and known_at < @end and (not is_carried or known_at = @start)
),
leg as (
  select chain, contract, observed_at, max(rate) as rate, max(kind) as kind, max(parameters) as parameters, nullif(max(answered_at), 0) as answered_at,
    max(cast(cap as double)) as cap,
    max(cast(min_value as double) / power(10e0, decimals)) as low_bound,
    max(cast(max_value as double) / power(10e0, decimals)) as high_bound
  from obs.oracle_leg
  where observed_at > @start - 259200 and observed_at < @end
  group by chain, contract, observed_at
),
-- Digits of an adapter's own inputs, as doubles: what it would answer without its cap, and the cap.
limited as (
  select
    chain, contract, observed_at, rate, answered_at, low_bound, high_bound,
    case
      when kind = 'capo_rate' then cast(json_extract_scalar(parameters, '$.ratio') as double)
      when kind in ('capo_stable', 'capo_eur') then cast(json_extract_scalar(parameters, '$.feed_value') as double)
    end as uncapped,
    case kind
      when 'capo_stable' then coalesce(cast(json_extract_scalar(parameters, '$.cap') as double), cap)
      when 'capo_eur' then
        cast(json_extract_scalar(parameters, '$.base_value') as double) * cast(json_extract_scalar(parameters, '$.cap_ratio') as double)
          / power(10e0, cast(json_extract_scalar(parameters, '$.ratio_decimals') as double))
      when 'capo_rate' then
        cast(json_extract_scalar(parameters, '$.snapshot_ratio') as double)
          + cast(json_extract_scalar(parameters, '$.max_growth_per_second_scaled') as double)
            * (observed_at - cast(json_extract_scalar(parameters, '$.snapshot_at') as double)) / 1e6
    end as cap
  from leg
),
reading as (
  select
    l.*, lead(observed_at, 1, 253402300799) over (partition by chain, contract order by observed_at) as next_at
  from limited l
),
-- What an adapter reads is a source, the adapter is none.
source as (
  select
    l.chain, l.oracle_address, l.observed_at, l.contract, count(*) filter (where not l.is_standby) as uses,
    count(*) filter (where l.is_standby and c.chain is null) as standby_uses
  from assumption a
  join obs.oracle_leg l on l.chain = a.chain and l.oracle_address = a.contract and l.observed_at > @start - 259200 and l.observed_at < @end
  left join obs.oracle_leg c
    on c.chain = l.chain and c.market_id = l.market_id and c.oracle_address = l.oracle_address and c.observed_at = l.observed_at
    and c.parent_index = l.leg_index
  where a.kind = 'standby'
  group by l.chain, l.oracle_address, l.observed_at, l.contract
),
standby as (
  select
    chain, oracle_address, observed_at, count(*) filter (where uses = 0 and standby_uses > 0) as sources,
    lead(observed_at, 1, 253402300799) over (partition by chain, oracle_address order by observed_at) as next_at
  from source
  group by chain, oracle_address, observed_at
),
instant as (
  select t.chain, t.assumption_id, q.known_at as observed_at
  from derived.assumption_test t
  join quote q on q.chain = t.feed_chain and q.feed_address = t.feed_address
  where not q.is_carried and q.price > 0 and t.kind <> 'path'
  union
  select a.chain, a.assumption_id, q.known_at
  from assumption a
  join quote q on q.chain = a.chain and q.feed_address = a.contract
  where a.kind in ('feed', 'bound') and not q.is_carried and q.price > 0
  union
  select a.chain, a.assumption_id, r.observed_at
  from assumption a
  join reading r on r.chain = a.chain and r.contract = a.contract
  where a.kind in ('redemption_rate', 'discount', 'cap', 'feed', 'bound', 'twap') and r.observed_at >= @start
  union
  select a.chain, a.assumption_id, o.observed_at
  from assumption a
  join obs.oracle_price o on o.chain = a.chain and o.market_id = a.market_id
  where a.kind in ('path', 'standby') and o.observed_at >= @start and o.observed_at < @end
  union
  select a.chain, a.assumption_id, min(o.observed_at)
  from derived.path_assumption a
  join obs.oracle_price o
    on o.chain = a.chain and o.market_id = a.market_id and o.observed_at >= a.valid_from and o.observed_at < a.valid_to
  where a.kind in ('equality', 'constant') and o.observed_at >= @start and o.observed_at < @end
  group by a.chain, a.assumption_id, o.observed_at - o.observed_at % 3600
),
last_answer as (
  select
    chain, feed_address, seen_at, is_lookup, max(turn) over (
      partition by chain, feed_address order by seen_at, is_lookup rows between unbounded preceding and current row
    ) as turn
  from (
    select chain, feed_address, known_at as seen_at, 0 as is_lookup, turn from quote
    union
    select a.chain, a.contract, i.observed_at, 1, cast(null as bigint)
    from instant i
    join assumption a on a.chain = i.chain and a.assumption_id = i.assumption_id and a.kind in ('feed', 'bound')
  ) t
)
select
  i.chain, i.assumption_id, i.observed_at, i.observed_at - i.observed_at % 86400 as day, a.kind,
  case
    when a.kind in ('equality', 'constant') then 1e0
    when a.kind in ('path', 'standby') then o.price_number
    when q.price > 0 then q.price
    else r.rate
  end as assumed,
  case when a.kind = 'standby' then o.price_number * o.standby_share end as standby_price,
  case when a.kind = 'standby' then o.deviation_threshold end as standby_threshold,
  s.sources as standby_sources,
  case when a.kind = 'cap' then r.uncapped end as uncapped,
  case when a.kind <> 'cap' then null when r.cap < r.uncapped then r.cap when r.cap >= r.uncapped then r.uncapped end as capped,
  r.low_bound, r.high_bound,
  case
    when a.kind <> 'bound' then null
    when q.chain is not null then case when q.price > 0 then false end
    when r.answered_at + coalesce(f.heartbeat_s, p.default_heartbeat_s) + c.grace_s > i.observed_at then false
    -- It may have answered since it was read, unless its rounds are followed.
    when l.turn is not null or r.answered_at + coalesce(f.heartbeat_s, p.default_heartbeat_s) + c.grace_s <= r.observed_at then true
  end as is_silent
from instant i
cross join policy.oracle_paths p
cross join policy.oracle c
join assumption a on a.chain = i.chain and a.assumption_id = i.assumption_id and a.valid_from <= i.observed_at and a.valid_to > i.observed_at
left join last_answer l
  on l.chain = i.chain and l.feed_address = case when a.kind in ('feed', 'bound') then a.contract end and l.seen_at = i.observed_at
  and l.is_lookup = 1
left join quote q on q.chain = l.chain and q.feed_address = l.feed_address and q.turn = l.turn and q.holds_to > i.observed_at
left join reading r on r.chain = i.chain and r.contract = a.contract and r.observed_at <= i.observed_at and r.next_at > i.observed_at
left join derived.feed f on f.chain = i.chain and f.feed_address = case when a.kind = 'bound' then a.contract end
left join standby s
  on s.chain = i.chain and s.oracle_address = case when a.kind = 'standby' then a.contract end and s.observed_at <= i.observed_at
  and s.next_at > i.observed_at
left join obs.oracle_price o
  on o.chain = i.chain and o.market_id = case when a.kind in ('path', 'standby') then a.market_id end and o.observed_at = i.observed_at
