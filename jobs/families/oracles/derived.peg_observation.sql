-- One observed price of a pegged asset (decision 20) against its reference at that second: a constant, or the price of the reference
-- pair by the live sources of the same chain. The zone compares exact integers: `beyond` at the effective enter threshold or farther,
-- `inside` up to the exit threshold, `between` otherwise, and also if fewer sources are beyond than the policy requires; is_far means
-- beyond the multiple that needs no confirmation. Kinds that count only the downside are inside at any price above the reference. Sources
-- disagree if some are beyond and some are not; the farthest of them decides the zone and the deviation of the `worst` source. Pools too
-- thin to carry a price are counted apart, as those that contradict the centre are. A price is contested if its sources disagree, or if it is
-- that of a single source and a pool that may be deep, because its depth is unknown, contradicts it. The observation is named after the source that made it: among several, the one with the
-- highest weight, then the one nearest the centre. Without a reference (or with one of 10^10 or more) there is no observation.
-- kind: window   grain: chain, symbol, quote, asset_id, observed_at, place   time: observed_at   order: day, chain, symbol, observed_at, place
with asset as (
  select
    *,
    split_part(reference_price, '.', 1) as reference_whole,
    coalesce(split_part(reference_price, '.', 2), '') as reference_fraction
  from derived.peg_asset
),
compared as (
  select
    p.chain, p.symbol, p.quote, p.asset_id, p.observed_at, p.place, p.day, p.sources, p.is_pools_only, p.observed_at - r.answered_at as reference_age_s, p.heartbeat_s, p.covers_to, p.spread_bps,
    p.price_text, p.price_e18, a.asset_name, a.kind, a.enter_bps, a.exit_bps, a.immediate_multiple, a.is_downside_only, a.agreement,
    case
      when a.is_feed_deviation_floor then greatest(a.enter_bps, coalesce(p.deviation_bps + a.feed_band_margin_bps, 0e0))
      else a.enter_bps
    end as effective_enter_bps,
    coalesce(a.reference_price, r.price_text) as reference_text,
    case
      when a.reference_price is null then r.price_e18
      when length(a.reference_whole) <= 10
        then cast(cast(a.reference_whole as bigint) as decimal(38, 0)) * cast(1000000000000000000 as decimal(38, 0))
          + cast(cast(rpad(a.reference_fraction, 18, '0') as bigint) as decimal(38, 0))
    end as reference_e18
  from derived.peg_price p
  join asset a on a.chain = p.chain and a.symbol = p.symbol and a.quote = p.quote and a.asset_id = p.asset_id
  left join derived.peg_price r
    on r.chain = p.chain and r.symbol = p.symbol and r.quote = p.quote and r.asset_id = p.asset_id
    and r.observed_at = p.observed_at and r.place = p.place and r.role = 'reference'
    and r.observed_at >= @start and r.observed_at < @end
  where p.role = 'price' and p.observed_at >= @start and p.observed_at < @end
),
bounded as (
  select
    *,
    reference_e18 * exact_decimal(round(least(effective_enter_bps, 1e5) * 10000), 38, 0) as enter_at,
    reference_e18 * exact_decimal(round(least(effective_enter_bps * immediate_multiple, 1e5) * 10000), 38, 0) as far_at,
    reference_e18 * exact_decimal(round(exit_bps * 10000), 38, 0) as exit_at
  from compared
  where reference_e18 > 0 and reference_e18 < cast('10000000000000000000000000000' as decimal(38, 0))
),
source as (
  select
    b.*, l.feed_address, l.round_id, l.price_e18 as own_e18, l.weight, l.depth,
    l.block_number, l.tx_hash, l.log_index,
    case
      when not b.is_downside_only then abs(l.price_e18 - b.reference_e18)
      when l.price_e18 < b.reference_e18 then b.reference_e18 - l.price_e18
      else cast(0 as decimal(38, 0))
    end * 100000000 as own_excursion,
    case
      when not b.is_downside_only then abs(b.price_e18 - b.reference_e18)
      when b.price_e18 < b.reference_e18 then b.reference_e18 - b.price_e18
      else cast(0 as decimal(38, 0))
    end * 100000000 as centre_excursion,
    row_number() over (
      partition by b.chain, b.symbol, b.quote, b.asset_id, b.observed_at, b.place
      order by
        case when l.weight > 0 then 0 else 1 end, case when l.is_own then 0 else 1 end, l.weight desc,
        case l.source_kind when 'oracle' then 0 when 'venue' then 1 else 2 end,
        abs(l.price_e18 - b.price_e18), l.price_e18, length(l.round_id),
        l.round_id, l.feed_address
    ) as speaks
  from bounded b
  join derived.peg_live l
    on l.chain = b.chain and l.symbol = b.symbol and l.quote = b.quote and l.asset_id = b.asset_id
    and l.observed_at = b.observed_at and l.place = b.place and l.role = 'price'
  where l.observed_at >= @start and l.observed_at < @end
),
agreed as (
  select
    chain, symbol, quote, asset_id, observed_at, place,
    count(*) filter (where weight > 0 and own_excursion >= enter_at) as beyond_sources,
    max(case when weight > 0 then own_excursion end) as worst_excursion,
    min(case when weight > 0 then own_e18 end) as lowest_e18,
    max(case when weight > 0 then own_e18 end) as highest_e18,
    count(*) filter (where weight = 0) as thin_sources,
    count(*) filter (where weight = 0 and (own_excursion >= enter_at) <> (centre_excursion >= enter_at)) as thin_doubters,
    count(*) filter (
      where weight = 0 and depth is null and (own_excursion >= enter_at) <> (centre_excursion >= enter_at)
    ) as unknown_doubters,
    min(case when weight > 0 then feed_address end) as only_one
  from source
  group by chain, symbol, quote, asset_id, observed_at, place
),
-- A separate step, because an ordered list costs ten times as much as the other aggregates of a group.
listed as (
  select chain, symbol, quote, asset_id, observed_at, place, array_join(array_agg(feed_address order by feed_address), ',') as live_set
  from source
  where sources > 1 and weight > 0
  group by chain, symbol, quote, asset_id, observed_at, place
),
excursion as (
  select
    s.*, g.beyond_sources, g.worst_excursion, g.thin_sources, g.thin_doubters, g.unknown_doubters, coalesce(t.live_set, g.only_one) as live_set,
    case
      when s.is_downside_only or s.reference_e18 - g.lowest_e18 >= g.highest_e18 - s.reference_e18 then g.lowest_e18
      else g.highest_e18
    end as worst_e18,
    case when s.agreement = 'any' then g.worst_excursion else s.centre_excursion end as excursion
  from source s
  join agreed g
    on g.chain = s.chain and g.symbol = s.symbol and g.quote = s.quote and g.asset_id = s.asset_id
    and g.observed_at = s.observed_at and g.place = s.place
  left join listed t
    on t.chain = s.chain and t.symbol = s.symbol and t.quote = s.quote and t.asset_id = s.asset_id
    and t.observed_at = s.observed_at and t.place = s.place
  where s.speaks = 1
)
select
  chain, symbol, quote, asset_id, observed_at, place, day, asset_name, kind, concat(symbol, '-', quote) as pair, feed_address, round_id,
  block_number, tx_hash, log_index,
  price_text as observed_price, reference_text as reference_price,
  cast(round((exact_double(price_e18) / exact_double(reference_e18) - 1) * 10000) as bigint) as deviation_bps,
  enter_bps, effective_enter_bps, exit_bps,
  case
    when excursion <= exit_at then 'inside'
    when excursion < enter_at then 'between'
    when agreement = 'all' and beyond_sources < sources then 'between'
    when agreement = 'majority' and 2 * beyond_sources <= sources then 'between'
    else 'beyond'
  end as zone,
  excursion >= far_at as is_far,
  case when worst_excursion <= exit_at then 'inside' when worst_excursion < enter_at then 'between' else 'beyond' end as worst_zone,
  cast(round((exact_double(worst_e18) / exact_double(reference_e18) - 1) * 10000) as bigint) as worst_deviation_bps,
  sources, is_pools_only, thin_sources, thin_doubters, beyond_sources, beyond_sources > 0 and beyond_sources < sources as is_disputed,
  (beyond_sources > 0 and beyond_sources < sources) or (sources = 1 and unknown_doubters > 0) as is_contested,
  live_set, spread_bps, reference_age_s,
  heartbeat_s, covers_to, reference_e18, enter_at, is_downside_only
from excursion
