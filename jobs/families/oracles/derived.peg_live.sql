-- The price of one live source at one observation of a pegged asset. An observation is an answer of any live source of the asset.
-- Observations in one second are distinguished by the position of the answer among its feed's answers in that second, counted from the
-- last, so that the order of feeds does not matter. A source is live until one heartbeat plus the grace period after its last valid answer;
-- an invalid one ends it at once. If that lapses while its market is closed, it stays live until a heartbeat plus the grace period after the next opening. covers_to is the
-- last second at which it is live. price_e18 is the price times 10^18, exact to 18 decimals, rounded half up, and cut at 29 digits; the
-- price of an inverted pair is rounded to 15 digits. The depth of a pool is what it holds of the asset, at that price, in the quote; null if
-- no state of the pool is known. Its weight grows with its depth up to the full one. Below the minimum, or with an unknown depth (unless
-- configuration gives the feed a weight of its own), the weight is 0: such a source is listed and carries no price. Block, transaction and
-- log are those of an answer at the observation itself.
-- kind: window   grain: chain, symbol, quote, asset_id, observed_at, place, role, feed_address   time: observed_at   order: day, chain, symbol, observed_at, place, role, feed_address
with source as (
  select
    p.*, coalesce(p.heartbeat_s, a.default_heartbeat_s) + o.grace_s as lasts_s, a.pool_min_depth, a.pool_full_depth,
    case when p.role = 'price' then p.symbol else split_part(a.reference_pair, '-', 1) end as pooled_symbol
  from derived.peg_source p
  join derived.peg_asset a on a.chain = p.chain and a.symbol = p.symbol and a.quote = p.quote and a.asset_id = p.asset_id
  cross join policy.oracle o
  where p.speaks_from < @end and p.speaks_to > @start
),
answered as (
  select
    a.chain, a.feed_address, a.observed_at, a.round_id, a.is_valid, case when a.is_valid then a.answer else '0' end as answer, a.decimals,
    a.block_number, a.tx_hash, a.log_index
  from derived.peg_answer a
  where a.known_at >= @start and a.known_at < @end and (not a.is_carried or a.known_at = @start)
),
ordered as (
  select
    *,
    row_number() over (partition by chain, feed_address, observed_at order by length(round_id) desc, round_id desc) as from_last
  from answered
),
numbered as (
  select *, row_number() over (order by chain, feed_address, observed_at, from_last desc) as answer_no
  from ordered
),
digits as (
  select
    *,
    case
      when decimals <= 18 then concat(answer, rpad('', cast(18 - decimals as integer), '0'))
      else substr(answer, 1, cast(greatest(length(answer) - decimals + 18, 0) as integer))
    end as kept,
    decimals > 18 and length(answer) >= decimals - 18
      and substr(answer, cast(length(answer) - decimals + 19 as integer), 1) >= '5' as is_rounded_up,
    lpad(answer, cast(greatest(length(answer), decimals + 1) as integer), '0') as padded
  from numbered
),
whole as (
  select
    *,
    case when length(kept) > 29 then '099999999999999999999999999999' else lpad(kept, 30, '0') end as digits_30
  from digits
),
answer as (
  select
    chain, feed_address, observed_at, round_id, is_valid, from_last, answer_no, block_number, tx_hash, log_index,
    -- In two halves, because DuckDB casts text to a wide decimal slowly.
    cast(cast(substr(digits_30, 1, 12) as bigint) as decimal(38, 0)) * cast(1000000000000000000 as decimal(38, 0))
      + cast(cast(substr(digits_30, 13, 18) as bigint) + case when is_rounded_up then 1 else 0 end as decimal(38, 0)) as price_e18,
    case
      when decimals = 0 then answer
      else concat(
        substr(padded, 1, cast(length(padded) - decimals as integer)), '.',
        substr(padded, cast(length(padded) - decimals + 1 as integer))
      )
    end as price_text
  from whole
),
instant as (
  select distinct s.chain, s.symbol, s.quote, s.asset_id, a.observed_at, a.from_last
  from answer a
  join source s on s.chain = a.chain and s.feed_address = a.feed_address and s.role = 'price'
    and s.speaks_from <= a.observed_at and s.speaks_to > a.observed_at
  where a.is_valid and a.observed_at >= @start
),
member as (
  select distinct chain, symbol, quote, asset_id, role, feed_address from source
),
knot as (
  select m.*, i.observed_at, i.from_last, cast(null as bigint) as answer_no
  from instant i
  join member m on m.chain = i.chain and m.symbol = i.symbol and m.quote = i.quote and m.asset_id = i.asset_id
  union all
  select m.*, a.observed_at, a.from_last, a.answer_no
  from answer a
  join member m on m.chain = a.chain and m.feed_address = a.feed_address
),
held as (
  select
    chain, symbol, quote, asset_id, role, feed_address, observed_at, from_last, answer_no is null as is_instant,
    max(answer_no) over (
      partition by chain, symbol, quote, asset_id, role, feed_address
      order by observed_at, from_last desc, coalesce(answer_no, 9223372036854775807)
      rows between unbounded preceding and current row
    ) as answer_no
  from knot
),
met as (
  select
    s.chain, s.symbol, s.quote, s.asset_id, s.role, s.feed_address, s.source_kind, s.weight, s.is_own_weight, s.pool_address,
    s.pooled_symbol, s.pool_min_depth, s.pool_full_depth, s.heartbeat_s, s.deviation_bps, s.is_inverted, s.lasts_s, case when s.is_market_modelled then s.market_hours else 'crypto' end as market_hours,
    h.observed_at, h.from_last, a.answer_no, a.observed_at as answered_at, a.observed_at = h.observed_at and a.from_last = h.from_last as is_own,
    a.round_id, a.price_e18, a.price_text, a.block_number, a.tx_hash, a.log_index
  from held h
  join answer a on a.answer_no = h.answer_no and a.is_valid
  join source s on s.chain = h.chain and s.symbol = h.symbol and s.quote = h.quote and s.asset_id = h.asset_id
    and s.role = h.role and s.feed_address = h.feed_address and s.speaks_from <= h.observed_at and s.speaks_to > h.observed_at
  where h.is_instant
),
lapse as (
  select distinct answer_no, market_hours, lasts_s, answered_at + lasts_s as lapses_at
  from met
  where market_hours <> 'crypto'
),
-- Seconds from the lapse to the next opening of the market, 0 while it is open; minutes of a week count from Monday.
reopening as (
  select
    l.answer_no, l.market_hours, l.lasts_s,
    min(
      case
        when (l.lapses_at + 259200) % 604800 < h.open_from_minute * 60 then h.open_from_minute * 60 - (l.lapses_at + 259200) % 604800
        when (l.lapses_at + 259200) % 604800 < h.open_to_minute * 60 then 0
        else h.open_from_minute * 60 + 604800 - (l.lapses_at + 259200) % 604800
      end
    ) as wait_s,
    max(case when (l.lapses_at + 259200) % 604800 + 604800 < h.open_to_minute * 60 then 1 else 0 end) as is_over_the_weekend
  from lapse l
  join policy.market_hours h on h.name = l.market_hours
  group by l.answer_no, l.market_hours, l.lasts_s
),
covered as (
  select
    m.*,
    m.answered_at + m.lasts_s
      + case when r.wait_s > 0 and r.is_over_the_weekend = 0 then r.wait_s + m.lasts_s else 0 end as covers_to
  from met m
  left join reopening r
    on r.answer_no = m.answer_no and r.market_hours = m.market_hours and r.lasts_s = m.lasts_s
),
inverted as (
  select
    *,
    case
      when not is_inverted then price_e18
      when price_e18 >= cast(200000000000000 as decimal(38, 0))
        then exact_decimal(round(1e33 / exact_double(price_e18)), 38, 0) * 1000
      when price_e18 >= cast(200000000000 as decimal(38, 0))
        then exact_decimal(round(1e30 / exact_double(price_e18)), 38, 0) * 1000000
      when price_e18 > cast(100000000 as decimal(38, 0))
        then exact_decimal(round(1e26 / exact_double(price_e18)), 38, 0) * 10000000000
    end as value_e18
  from covered
  where covers_to >= observed_at
),
-- What a pool holds of the asset by its last state that is not too old.
pooled as (
  select
    i.chain, i.symbol, i.quote, i.asset_id, i.role, i.feed_address, i.observed_at, i.from_last, max_by(r.units, r.observed_at) as units
  from inverted i
  join derived.pool_reserve r on r.chain = i.chain and r.pool = i.pool_address and r.symbol = i.pooled_symbol
  cross join policy.pools p
  where i.source_kind = 'pool' and r.observed_at <= i.observed_at and r.observed_at > i.observed_at - p.state_max_age_s
    and r.observed_at > @start - p.state_max_age_s and r.observed_at < @end
  group by i.chain, i.symbol, i.quote, i.asset_id, i.role, i.feed_address, i.observed_at, i.from_last
),
weighed as (
  select
    i.*,
    -- Rounded, so that in doubles a pool of exactly the minimum reaches it.
    case when i.source_kind = 'pool' then round(exact_double(i.value_e18) / 1e18 * p.units, 6) end as depth
  from inverted i
  left join pooled p
    on p.chain = i.chain and p.symbol = i.symbol and p.quote = i.quote and p.asset_id = i.asset_id and p.role = i.role
    and p.feed_address = i.feed_address and p.observed_at = i.observed_at and p.from_last = i.from_last
  where i.value_e18 is not null
),
written as (
  select
    *,
    lpad(cast(value_e18 as varchar), cast(greatest(length(cast(value_e18 as varchar)), 19) as integer), '0') as value_digits,
    case
      when source_kind <> 'pool' or (is_own_weight and coalesce(depth, pool_min_depth) >= pool_min_depth) then weight
      when depth is null or depth < pool_min_depth then cast(0 as decimal(18, 6))
      when depth >= pool_full_depth then weight
      else exact_decimal(greatest(exact_double(weight) * depth / pool_full_depth, 1e-6), 18, 6)
    end as own_weight
  from weighed
)
select
  chain, symbol, quote, asset_id, observed_at,
  dense_rank() over (partition by chain, symbol, quote, asset_id, observed_at order by from_last desc) as place,
  observed_at - observed_at % 86400 as day, role, feed_address, source_kind, own_weight as weight, depth,
  case when source_kind = 'pool' then pool_address end as pool_address, heartbeat_s, deviation_bps, is_own, answered_at, round_id,
  value_e18 as price_e18,
  case
    when is_inverted then regexp_replace(
      concat(
        substr(value_digits, 1, cast(length(value_digits) - 18 as integer)), '.',
        substr(value_digits, cast(length(value_digits) - 17 as integer))
      ),
      '\.?0+$', ''
    )
    else price_text
  end as price_text,
  covers_to, case when is_own then block_number end as block_number, case when is_own then tx_hash end as tx_hash,
  case when is_own then log_index end as log_index
from written
