-- The price of one market's oracle at one reading with the market price by independent sources, the price gap, and the debt that the
-- collateral does not cover at the market price, as an interval: exact for tranches of borrowers that are healthy or under water as a whole.
-- Tranches refer to the price at their own time, so the market price (m) and the oracle's (r) are taken as parts of that one. unjust: debt
-- that the oracle liquidates although it is healthy at the market price. Null figures have a reason in gaps.
-- kind: window   grain: chain, market_id, observed_at   time: observed_at   by_hour: observed_at   order: day, chain, market_id, observed_at
with price as (
  select
    o.chain, o.market_id, o.oracle_address, o.observed_at, o.day, o.block_number, o.price_decimal, o.price_number, t.observed as market_price, t.sources,
    t.is_single_source, t.is_disputed, t.gap_bps, m.lltv, m.collateral_symbol, m.chain is not null as is_registered,
    row_number() over (partition by o.chain, o.market_id, o.observed_at order by o.oracle_address) as place
  from obs.oracle_price o
  left join derived.assumption_observation t
    on t.chain = o.chain and t.assumption_id = concat('path:', o.market_id) and t.observed_at = o.observed_at
  left join derived.lending_market m
    on m.chain = o.chain and m.market_id = o.market_id and m.valid_from <= o.observed_at and m.valid_to > o.observed_at
  where o.observed_at >= @start and o.observed_at < @end
),
reported as (
  select
    chain, market_id, observed_at, lead(observed_at, 1, 253402300799) over (partition by chain, market_id order by observed_at) as next_at, price_basis
  from (
    select t.chain, t.market_id, t.observed_at, case when count(t.price_basis) = count(*) and min(t.price_basis) = max(t.price_basis) then min(t.price_basis) end as price_basis
    from obs.borrower_tranche t
    cross join policy.borrowing b
    where t.observed_at > @start - b.tranche_max_age_s - 86400 and t.observed_at < @end
    group by t.chain, t.market_id, t.observed_at
  ) r
),
-- The price that a report of tranches refers to: the last one before it.
based as (
  select
    r.chain, r.market_id, r.observed_at, r.next_at, r.price_basis,
    max_by(o.price_number, o.observed_at) as oracle_price, max_by(t.observed, o.observed_at) as market_price
  from reported r
  cross join policy.oracle_paths p
  left join obs.oracle_price o
    on o.chain = r.chain and o.market_id = r.market_id and o.observed_at <= r.observed_at and o.observed_at > r.observed_at - p.price_max_age_s
    and o.observed_at > @start - 864000
  left join derived.assumption_observation t
    on t.chain = o.chain and t.assumption_id = concat('path:', o.market_id) and t.observed_at = o.observed_at
  group by r.chain, r.market_id, r.observed_at, r.next_at, r.price_basis
),
met as (
  select
    p.*, b.observed_at as tranches_at, b.price_basis,
    case b.price_basis when 'oracle' then b.oracle_price when 'market' then b.market_price end as base_price,
    b.observed_at > p.observed_at - s.tranche_max_age_s as is_recent
  from price p
  cross join policy.borrowing s
  left join based b on b.chain = p.chain and b.market_id = p.market_id and b.observed_at <= p.observed_at and b.next_at > p.observed_at
  where p.place = 1
),
part as (
  select
    m.chain, m.market_id, m.observed_at, m.market_price / m.base_price as m, m.price_number / m.base_price as r, m.lltv as t, d.debt_usd as debt,
    d.collateral_usd as collateral, d.fall_from, d.fall_to
  from met m
  join obs.borrower_tranche d on d.chain = m.chain and d.market_id = m.market_id and d.observed_at = m.tranches_at
  where m.is_recent and m.base_price > 0 and m.market_price > 0 and m.price_number >= 0 and m.lltv > 0 and m.collateral_symbol is not null
    and d.observed_at > @start - 2 * 86400 and d.observed_at < @end
),
judged as (
  select
    chain, market_id, observed_at, debt,
    case
      when fall_to <= 1 - m / t then greatest(debt - m * collateral, 0e0)
      when fall_from >= 1 - m / t then 0e0
      else greatest(debt - m * collateral, 0e0)
    end as low,
    case
      when fall_to <= 1 - m / t then greatest(debt - m * collateral, 0e0)
      when fall_from >= 1 - m / t then 0e0
      -- At most what it would be once the whole tranche is under water, so that a lower price never means less.
      else greatest(least(debt * (1 - m / (t * (1 - fall_from))), debt - t * (1 - fall_to) * collateral), debt - m * collateral, 0e0)
    end as high,
    case when m > r and fall_from > 1 - m and fall_to <= 1 - r then debt else 0e0 end as unjust,
    case when m > r and fall_to > 1 - m and fall_from <= 1 - r then debt else 0e0 end as unjust_high
  from part
),
summed as (
  select
    chain, market_id, observed_at, exact_double(sum(exact_decimal(debt, 38, 6))) as debt, exact_double(sum(exact_decimal(low, 38, 6))) as low,
    exact_double(sum(exact_decimal(high, 38, 6))) as high, exact_double(sum(exact_decimal(unjust, 38, 6))) as unjust, exact_double(sum(exact_decimal(unjust_high, 38, 6))) as unjust_high
  from judged
  group by chain, market_id, observed_at
)
select
  m.chain, m.market_id, m.observed_at, m.day, m.oracle_address, m.block_number, m.price_decimal, m.price_number, m.market_price, m.gap_bps, coalesce(m.sources, 0) as sources,
  s.debt as tranches_debt_usd, s.low as bad_debt_low_usd, s.high as bad_debt_high_usd, s.unjust as unjust_usd, s.unjust_high as unjust_high_usd,
  substr(concat(
    case when m.price_number is null then ',price_unread' else '' end,
    case when m.market_price is null then ',market_price_not_independent' else '' end,
    case when not m.is_registered then ',market_unregistered' when m.collateral_symbol is null then ',pooled_collateral' when m.lltv is null then ',lltv_unknown' else '' end,
    case
      when m.collateral_symbol is null then ''
      when m.tranches_at is null then ',borrowers_unknown'
      when not m.is_recent then ',tranches_old'
      when m.price_basis is null then ',tranche_basis_unknown'
      when coalesce(m.base_price, 0e0) = 0 then ',tranche_price_unknown'
      else ''
    end
  ), 2) as gaps,
  substr(concat(case when m.is_disputed then ',sources_disagree' else '' end, case when m.is_single_source then ',single_source' else '' end), 2) as doubts
from met m
left join summed s on s.chain = m.chain and s.market_id = m.market_id and s.observed_at = m.observed_at
