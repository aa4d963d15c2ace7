-- One observed price of a pegged asset against its reference at that second: a constant, or the last answer of the reference pair on the
-- same chain. The zone compares exact integers: `beyond` from the effective enter on, `inside` up to the exit, `between` otherwise;
-- is_far is beyond the multiple that needs no confirmation. Kinds that count the downside only are inside at any price above.
-- Without a reference (or with one of 10^10 and more) there is no observation.
-- kind: window   grain: chain, symbol, quote, observed_at, round_id   time: observed_at   order: day, chain, symbol, observed_at, round_id
with asset as (
  select
    *,
    concat(symbol, '-', quote) as pair,
    split_part(reference_price, '.', 1) as reference_whole,
    coalesce(split_part(reference_price, '.', 2), '') as reference_fraction
  from obs.peg_asset_policy
),
watched as (
  select p.*, a.symbol, a.quote, false as is_reference
  from derived.peg_price p
  join asset a on a.pair = p.pair
  where p.is_observation and p.observed_at >= @start and p.observed_at < @end
  union all
  select p.*, a.symbol, a.quote, true as is_reference
  from derived.peg_price p
  join asset a on a.reference_pair = p.pair
  where p.observed_at >= @start and p.observed_at < @end
),
placed as (
  select
    *,
    row_number() over (
      partition by chain, symbol, quote
      order by observed_at, case when is_reference then 0 else 1 end, length(round_id), round_id
    ) as place
  from watched
),
referred as (
  select
    *,
    max_by(price_e18, case when is_reference then place end) over so_far as last_e18,
    max_by(price_text, case when is_reference then place end) over so_far as last_text
  from placed
  window so_far as (partition by chain, symbol, quote order by place rows between unbounded preceding and current row)
),
compared as (
  select
    r.chain, r.symbol, r.quote, r.pair, r.feed_address, r.observed_at, r.round_id, r.heartbeat_s, r.sources,
    r.price_text, r.price_e18, a.kind, a.enter_bps, a.exit_bps, a.immediate_multiple, a.is_downside_only,
    greatest(a.enter_bps, coalesce(r.deviation_bps + a.feed_band_margin_bps, 0e0)) as effective_enter_bps,
    coalesce(a.reference_price, r.last_text) as reference_text,
    case
      when a.reference_price is null then r.last_e18
      when length(a.reference_whole) <= 10
        then cast(cast(a.reference_whole as bigint) as decimal(38, 0)) * cast(1000000000000000000 as decimal(38, 0))
          + cast(cast(rpad(a.reference_fraction, 18, '0') as bigint) as decimal(38, 0))
    end as reference_e18
  from referred r
  join asset a on a.symbol = r.symbol and a.quote = r.quote
  where not r.is_reference
),
scaled as (
  select
    *,
    case
      when not is_downside_only then abs(price_e18 - reference_e18)
      when price_e18 < reference_e18 then reference_e18 - price_e18
      else cast(0 as decimal(38, 0))
    end * 100000000 as excursion,
    reference_e18 * cast(round(least(effective_enter_bps, 1e5) * 10000) as decimal(38, 0)) as enter_at,
    reference_e18 * cast(round(least(effective_enter_bps * immediate_multiple, 1e5) * 10000) as decimal(38, 0)) as far_at,
    reference_e18 * cast(round(exit_bps * 10000) as decimal(38, 0)) as exit_at
  from compared
  where reference_e18 > 0 and reference_e18 < cast('10000000000000000000000000000' as decimal(38, 0))
)
select
  chain, symbol, quote, kind, pair, feed_address, observed_at, round_id, observed_at - observed_at % 86400 as day,
  price_text as observed_price, reference_text as reference_price,
  cast(round((cast(price_e18 as double) / cast(reference_e18 as double) - 1) * 10000) as bigint) as deviation_bps,
  enter_bps, effective_enter_bps, exit_bps,
  case when excursion >= enter_at then 'beyond' when excursion <= exit_at then 'inside' else 'between' end as zone,
  excursion >= far_at as is_far,
  sources, heartbeat_s
from scaled
