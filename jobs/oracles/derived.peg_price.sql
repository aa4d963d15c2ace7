-- One answer for a pair that a peg watches or refers to, given by the feed that speaks for the pair at that instant; sources counts the
-- feeds that could have spoken. price_e18 is the price times 10^18, exact to 18 decimals and cut at 29 digits. Every day opens with a row
-- (without a round) that carries the last answer over.
-- kind: window   grain: chain, pair, observed_at, round_id   time: observed_at   order: day, chain, pair, observed_at, round_id
with watched as (
  select concat(symbol, '-', quote) as pair from obs.peg_asset_policy
  union
  select reference_pair as pair from obs.peg_asset_policy where reference_pair is not null
),
speaker as (
  select f.chain, f.pair, f.feed_address, f.heartbeat_s, f.deviation_bps, f.speaks_from, f.speaks_to
  from derived.pair_feed f
  join watched w on w.pair = f.pair
),
spoken as (
  select
    s.chain, s.pair, r.feed_address, r.observed_at, r.round_id, r.answer, r.decimals, s.heartbeat_s, s.deviation_bps,
    count(*) as sources
  from obs.feed_round r
  join speaker s
    on s.chain = r.chain and s.feed_address = r.feed_address
    and s.speaks_from <= r.observed_at and s.speaks_to > r.observed_at
  join speaker other
    on other.chain = s.chain and other.pair = s.pair
    and other.speaks_from <= r.observed_at and other.speaks_to > r.observed_at
  where r.is_valid and r.observed_at >= @start and r.observed_at < @end
  group by
    s.chain, s.pair, r.feed_address, r.observed_at, r.round_id, r.answer, r.decimals, s.heartbeat_s, s.deviation_bps
  having min(other.feed_address) = r.feed_address
),
written as (
  select
    *,
    case
      when decimals <= 18 then concat(answer, rpad('', cast(18 - decimals as integer), '0'))
      else substr(answer, 1, cast(greatest(length(answer) - decimals + 18, 0) as integer))
    end as digits,
    lpad(answer, cast(greatest(length(answer), decimals + 1) as integer), '0') as padded
  from spoken
),
whole as (
  select
    *,
    case
      when length(digits) > 29 then '099999999999999999999999999999'
      else lpad(digits, 30, '0')
    end as digits_30
  from written
),
priced as (
  select
    chain, pair, feed_address, observed_at, round_id,
    -- In two halves: DuckDB takes long over text to a wide decimal.
    cast(cast(substr(digits_30, 1, 12) as bigint) as decimal(38, 0)) * cast(1000000000000000000 as decimal(38, 0))
      + cast(cast(substr(digits_30, 13, 18) as bigint) as decimal(38, 0)) as price_e18,
    case
      when decimals = 0 then answer
      else concat(
        substr(padded, 1, cast(length(padded) - decimals as integer)), '.',
        substr(padded, cast(length(padded) - decimals + 1 as integer))
      )
    end as price_text,
    heartbeat_s, deviation_bps, sources
  from whole
),
before as (
  select
    *, row_number() over (partition by chain, pair order by observed_at desc, length(round_id) desc, round_id desc) as place
  from derived.peg_price
  where day = @start - 86400
),
known as (
  select chain, pair, feed_address, observed_at, round_id, price_e18, price_text, heartbeat_s, deviation_bps, sources
  from before
  where place = 1
  union all
  select chain, pair, feed_address, observed_at, round_id, price_e18, price_text, heartbeat_s, deviation_bps, sources
  from priced
),
followed as (
  select *, lead(observed_at, 1, @end) over (partition by chain, pair order by observed_at, length(round_id), round_id) as until_at
  from known
),
opened as (
  select *, true as is_observation from followed where observed_at >= @start
  union all
  select
    f.chain, f.pair, f.feed_address, t.midnight as observed_at, '' as round_id,
    f.price_e18, f.price_text, f.heartbeat_s, f.deviation_bps, f.sources, f.until_at, false as is_observation
  from followed f
  cross join unnest(sequence(f.observed_at - f.observed_at % 86400, f.until_at, 86400)) as t(midnight)
  where t.midnight > f.observed_at and t.midnight < @end
)
select
  chain, pair, feed_address, observed_at, round_id, observed_at - observed_at % 86400 as day,
  price_e18, price_text, heartbeat_s, deviation_bps, sources, is_observation
from opened
