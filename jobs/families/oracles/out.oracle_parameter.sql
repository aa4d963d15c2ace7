-- One of the last seven UTC days of one feed (decisions 11, 57). The days end with the current day once a feed of the pair has an
-- update on it, and with yesterday before that. A day without updates has 0 updates and no prices. Feeds that never answered have no
-- rows.
-- kind: full   grain: chain, feed_address, day
with day_of_feed as (
  select f.provider, f.pair, f.chain, f.feed_address, t.day
  from derived.feed f
  join derived.feed_coverage c on c.chain = f.chain and c.scope_id = f.feed_address and c.rows_present > 0
  cross join unnest(sequence(@now - @now % 86400 - 604800, @now, 86400)) as t(day)
),
listed as (
  select
    d.provider, d.pair, d.chain, d.feed_address, d.day, p.updates, p.gap_sum_s, p.gaps, p.max_gap_s, p.heartbeat_breaches,
    p.deviation_triggers, p.price_min, p.price_max, p.price_avg, p.price_last, p.max_deviation_bps, p.volatility,
    greatest(
      max(case when p.updates > 0 then d.day else 0 end) over (partition by d.provider, d.pair),
      @now - @now % 86400 - 86400
    ) as newest_day
  from day_of_feed d
  left join derived.feed_day p
    on p.chain = d.chain and p.feed_address = d.feed_address and p.day = d.day
    and p.day >= @now - @now % 86400 - 604800 and p.day <= @now
)
select
  provider, pair, day,
  replace(cast(cast(from_unixtime(day) as timestamp(0)) as varchar), ' ', 'T') || 'Z' as timestamp,
  chain, feed_address,
  coalesce(updates, 0) as updates,
  round(cast(gap_sum_s as double) / nullif(gaps, 0), 3) as avg_interval_s,
  max_gap_s, heartbeat_breaches, deviation_triggers,
  cast(
    row(price_min, price_max, price_avg, price_last)
    as row(min double, max double, avg double, last double)
  ) as price,
  round(max_deviation_bps, 4) as max_deviation_bps,
  round(volatility, 8) as volatility
from listed
where day > newest_day - 604800 and day <= newest_day
