-- The price of one live source at one observation of a pegged asset. An observation is an answer of any live source of the asset.
-- Observations in one second are distinguished by the position of the answer among its feed's answers in that second, counted from the
-- last, so that the order of feeds does not matter. A source is live until one heartbeat plus the grace period after its last valid answer;
-- if that lapses while its market is closed, it stays live until a heartbeat plus the grace period after the next opening. covers_to is the
-- last second at which it is live. price_e18 is the price times 10^18, exact to 18 decimals, rounded half up, and cut at 29 digits; the
-- price of an inverted pair is rounded to 15 digits.
-- kind: window   grain: chain, symbol, quote, asset_id, observed_at, place, role, feed_address   time: observed_at   order: day, chain, symbol, observed_at, place, role, feed_address
with source as (
  select p.*, coalesce(p.heartbeat_s, a.default_heartbeat_s) + o.grace_s as lasts_s
  from derived.peg_source p
  join derived.peg_asset a on a.chain = p.chain and a.symbol = p.symbol and a.quote = p.quote and a.asset_id = p.asset_id
  cross join policy.oracle o
  where p.speaks_from < @end and p.speaks_to > @start
),
answered as (
  select
    a.chain, a.feed_address, a.observed_at, a.round_id, a.answer, a.decimals, a.block_number, a.tx_hash, a.log_index
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
    chain, feed_address, observed_at, round_id, from_last, answer_no, block_number, tx_hash, log_index,
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
  where a.observed_at >= @start
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
    s.chain, s.symbol, s.quote, s.asset_id, s.role, s.feed_address, s.source_kind, s.weight, s.heartbeat_s, s.deviation_bps, s.is_inverted,
    s.lasts_s, case when s.is_market_modelled then s.market_hours else 'crypto' end as market_hours,
    h.observed_at, h.from_last, a.answer_no, a.observed_at as answered_at, a.observed_at = h.observed_at and a.from_last = h.from_last as is_own,
    a.round_id, a.price_e18, a.price_text, a.block_number, a.tx_hash, a.log_index
  from held h
  join answer a on a.answer_no = h.answer_no
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
written as (
  select *, lpad(cast(value_e18 as varchar), cast(greatest(length(cast(value_e18 as varchar)), 19) as integer), '0') as value_digits
  from inverted
  where value_e18 is not null
)
select
  chain, symbol, quote, asset_id, observed_at,
  dense_rank() over (partition by chain, symbol, quote, asset_id, observed_at order by from_last desc) as place,
  observed_at - observed_at % 86400 as day, role, feed_address, source_kind, weight, heartbeat_s, deviation_bps, is_own, answered_at, round_id,
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
  covers_to, block_number, tx_hash, log_index
from written
