-- One of the last seven UTC days of one feed, the current day included (decision 11). A day without updates says so: 0 updates, no prices.
-- Feeds that never answered have no rows.
-- kind: full   grain: chain, feed_address, day
with day_of_feed as (
  select f.provider, f.pair, f.chain, f.feed_address, t.day
  from derived.feed f
  join derived.feed_coverage c on c.chain = f.chain and c.scope_id = f.feed_address and c.rows_present > 0
  cross join unnest(sequence(@now - @now % 86400 - 518400, @now, 86400)) as t(day)
)
select
  d.provider, d.pair, d.day,
  replace(cast(cast(from_unixtime(d.day) as timestamp(0)) as varchar), ' ', 'T') || 'Z' as timestamp,
  d.chain, d.feed_address,
  coalesce(p.updates, 0) as updates,
  round(cast(p.gap_sum_s as double) / nullif(p.gaps, 0), 3) as avg_interval_s,
  p.max_gap_s, p.heartbeat_breaches, p.deviation_triggers,
  cast(
    row(p.price_min, p.price_max, p.price_avg, p.price_last)
    as row(min double, max double, avg double, last double)
  ) as price,
  round(p.max_deviation_bps, 4) as max_deviation_bps,
  round(p.volatility, 8) as volatility
from day_of_feed d
left join derived.feed_day p
  on p.chain = d.chain and p.feed_address = d.feed_address and p.day = d.day
  and p.day >= @now - @now % 86400 - 518400
