-- The oracle of one market as it is now: its last reading of legs, its last price with the market price and the losses that follow, and the
-- worst verdict that these allow. A path without a recent reading of its legs is unknown, whatever it was, and so are losses without a recent
-- price.
-- kind: full   grain: chain, market_id
with reading as (
  select r.*, row_number() over (partition by r.chain, r.market_id order by r.observed_at desc, r.oracle_address) as recency
  from derived.oracle_reading r
  where r.observed_at <= @now
),
point as (
  select o.*, row_number() over (partition by o.chain, o.market_id order by o.observed_at desc) as recency
  from derived.oracle_point o
  cross join policy.oracle_paths p
  where o.observed_at <= @now and o.observed_at > @now - p.path_max_age_s
),
market as (
  select chain, market_id from reading where recency = 1
  union
  select chain, market_id from point where recency = 1
)
select
  m.chain, m.market_id, coalesce(r.oracle_address, o.oracle_address) as oracle_address, r.kind, r.kind_by, r.observed_at as path_at, r.path_hash, r.path_status,
  r.left_over, r.missing, r.failed, r.scale_error, r.sample_error_bps, r.computed_price, r.price as read_price, r.base_symbol, r.quote_symbol,
  r.standby_address, r.leg_count,
  case
    when r.observed_at is null or r.observed_at <= @now - p.path_max_age_s then case when r.verdict = 'wrong' then 'wrong' else 'unknown' end
    else r.verdict
  end as verdict,
  o.observed_at as price_at, o.price_decimal, o.market_price, o.gap_bps, o.doubts,
  case when o.observed_at > @now - p.price_max_age_s then o.bad_debt_low_usd end as bad_debt_low_usd,
  case when o.observed_at > @now - p.price_max_age_s then o.bad_debt_high_usd end as bad_debt_high_usd,
  case when o.observed_at > @now - p.price_max_age_s then o.unjust_usd end as unjust_usd,
  case when o.observed_at > @now - p.price_max_age_s then o.unjust_high_usd end as unjust_high_usd,
  o.sources,
  substr(concat(
    case when r.observed_at is null then ',path_unread' when r.observed_at <= @now - p.path_max_age_s then ',path_old' else '' end,
    case when o.observed_at is null then ',price_unread' when o.observed_at <= @now - p.price_max_age_s then ',price_old' else '' end,
    case when o.gaps <> '' then concat(',', o.gaps) else '' end
  ), 2) as gaps,
  s.borrowed_usd as debt_usd, s.utilization, s.borrow_apr_pct
from market m
cross join policy.oracle_paths p
left join reading r on r.chain = m.chain and r.market_id = m.market_id and r.recency = 1
left join point o on o.chain = m.chain and o.market_id = m.market_id and o.recency = 1
left join derived.market_day s on s.chain = m.chain and s.market_id = m.market_id and s.day = @now - @now % 86400
