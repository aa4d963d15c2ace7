-- One market that rests on an assumption at the observation that confirmed its break or end, or while it is broken (edge `still`): what the
-- oracle's price means there if everything else is right, with the debt that this leaves uncovered, or that is liquidated although it is
-- healthy. share: market price over oracle price. While it is broken, only observations that would confirm a break say anything.
-- kind: window   grain: chain, assumption_id, observed_at, market_id   time: observed_at   order: observed_at, chain, assumption_id, market_id
with edge as (
  select s.chain, s.assumption_id, s.observed_at, coalesce(s.edge, 'still') as edge, s.since_at, s.zone, o.assumed, o.observed
  from derived.assumption_step s
  cross join policy.oracle_paths p
  left join derived.assumption_observation o on o.chain = s.chain and o.assumption_id = s.assumption_id and o.observed_at = s.observed_at
  where s.observed_at >= @start and s.observed_at < @end
    and (
      s.edge is not null or (s.is_active and s.is_observation and s.zone = 'beyond' and (o.is_far or s.run_length >= p.confirm_observations))
    )
),
rested as (
  select
    e.*, a.market_id, a.kind, case when a.is_collateral then e.observed / nullif(e.assumed, 0e0) else e.assumed / e.observed end as share, l.lltv, l.collateral_symbol
  from edge e
  join derived.path_assumption a
    on a.chain = e.chain and a.assumption_id = e.assumption_id and a.valid_from <= e.observed_at and a.valid_to >= e.observed_at
  left join derived.lending_market l
    on l.chain = a.chain and l.market_id = a.market_id and l.valid_from <= e.observed_at and l.valid_to > e.observed_at
),
priced as (
  select
    r.chain, r.assumption_id, r.observed_at, r.market_id, max_by(o.price_number, o.observed_at) as price, max_by(o.oracle_address, o.observed_at) as oracle_address,
    max_by(o.block_number, o.observed_at) as block_number
  from rested r
  join obs.oracle_price o on o.chain = r.chain and o.market_id = r.market_id and o.observed_at <= r.observed_at
  cross join policy.oracle_paths p
  where o.observed_at > r.observed_at - p.path_max_age_s and o.observed_at > @start - 864000 and o.observed_at < @end
  group by r.chain, r.assumption_id, r.observed_at, r.market_id
),
-- An answer of 0 is no part of any price: the market price is that of the path by its last observation.
outside as (
  select r.chain, r.assumption_id, r.observed_at, r.market_id, max_by(o.observed, o.observed_at) as market_price
  from rested r
  cross join policy.oracle_paths p
  join derived.assumption_observation o
    on o.chain = r.chain and o.assumption_id = concat('path:', r.market_id) and o.observed_at <= r.observed_at and o.observed_at > r.observed_at - p.price_max_age_s
  where r.share is null and o.observed_at > @start - 864000 and o.observed_at < @end
  group by r.chain, r.assumption_id, r.observed_at, r.market_id
),
valued as (
  select
    r.chain, r.assumption_id, r.observed_at, r.market_id, r.edge, r.since_at, r.zone, r.share, r.lltv, r.collateral_symbol, p.price, p.oracle_address, p.block_number,
    case when r.kind = 'path' then r.observed when r.share is not null then p.price * r.share else o.market_price end as market_price
  from rested r
  left join priced p on p.chain = r.chain and p.assumption_id = r.assumption_id and p.observed_at = r.observed_at and p.market_id = r.market_id
  left join outside o on o.chain = r.chain and o.assumption_id = r.assumption_id and o.observed_at = r.observed_at and o.market_id = r.market_id
),
lent as (
  select r.chain, r.assumption_id, r.observed_at, r.market_id, max_by(s.borrowed_usd, s.observed_at) as debt_usd, max_by(s.supplied_usd, s.observed_at) as supplied_usd
  from rested r
  join obs.market_state s on s.chain = r.chain and s.market_id = r.market_id and s.observed_at <= r.observed_at
  where s.observed_at > r.observed_at - 86400 and s.observed_at > @start - 86400 and s.observed_at < @end
  group by r.chain, r.assumption_id, r.observed_at, r.market_id
),
reported as (
  select r.chain, r.assumption_id, r.observed_at, r.market_id, max(t.observed_at) as tranches_at
  from rested r
  cross join policy.borrowing b
  join obs.borrower_tranche t on t.chain = r.chain and t.market_id = r.market_id and t.observed_at <= r.observed_at
  where t.observed_at > r.observed_at - b.tranche_max_age_s and t.observed_at > @start - 2 * 86400 and t.observed_at < @end
  group by r.chain, r.assumption_id, r.observed_at, r.market_id
),
based as (
  select e.chain, e.assumption_id, e.observed_at, e.market_id, e.tranches_at, max_by(o.price_number, o.observed_at) as base_price
  from reported e
  cross join policy.oracle_paths p
  join obs.oracle_price o on o.chain = e.chain and o.market_id = e.market_id and o.observed_at <= e.tranches_at and o.observed_at > e.tranches_at - p.price_max_age_s
  where o.observed_at > @start - 864000 and o.observed_at < @end
  group by e.chain, e.assumption_id, e.observed_at, e.market_id, e.tranches_at
),
part as (
  select
    r.chain, r.assumption_id, r.observed_at, r.market_id, r.market_price / b.base_price as m, r.price / b.base_price as r, r.lltv as t,
    d.debt_usd as debt, d.collateral_usd as collateral, d.fall_from, d.fall_to
  from valued r
  join based b on b.chain = r.chain and b.assumption_id = r.assumption_id and b.observed_at = r.observed_at and b.market_id = r.market_id
  join obs.borrower_tranche d on d.chain = r.chain and d.market_id = r.market_id and d.observed_at = b.tranches_at and d.price_basis = 'oracle'
  where r.market_price > 0 and r.lltv > 0 and r.collateral_symbol is not null and r.price >= 0 and b.base_price > 0
    and d.observed_at > @start - 2 * 86400 and d.observed_at < @end
),
judged as (
  select
    chain, assumption_id, observed_at, market_id,
    (case when fall_to <= 1 - m / t then greatest(debt - m * collateral, 0e0) when fall_from >= 1 - m / t then 0e0 else greatest(debt - m * collateral, 0e0) end) as low,
    (
      case
        when fall_to <= 1 - m / t then greatest(debt - m * collateral, 0e0)
        when fall_from >= 1 - m / t then 0e0
        else greatest(least(debt * (1 - m / (t * (1 - fall_from))), debt - t * (1 - fall_to) * collateral), debt - m * collateral, 0e0)
      end
    ) as high,
    case when m > r and fall_from > 1 - m and fall_to <= 1 - r then debt else 0e0 end as unjust
  from part
),
summed as (
  select
    chain, assumption_id, observed_at, market_id, exact_double(sum(exact_decimal(low, 38, 6))) as low, exact_double(sum(exact_decimal(high, 38, 6))) as high,
    exact_double(sum(exact_decimal(unjust, 38, 6))) as unjust
  from judged
  group by chain, assumption_id, observed_at, market_id
)
select
  r.chain, r.assumption_id, r.observed_at, r.market_id, r.edge, r.since_at, r.zone, r.oracle_address, r.price, r.market_price, r.share, r.block_number,
  l.debt_usd, l.supplied_usd, round(s.low, 2) as low_usd, round(s.high, 2) as high_usd, round(s.unjust, 2) as unjust_usd
from valued r
left join lent l on l.chain = r.chain and l.assumption_id = r.assumption_id and l.observed_at = r.observed_at and l.market_id = r.market_id
left join summed s on s.chain = r.chain and s.assumption_id = r.assumption_id and s.observed_at = r.observed_at and s.market_id = r.market_id
