-- A point of the history of the oracle of one market: derived.oracle_point, and whether an assumption that it rests on was broken then.
-- kind: window   grain: chain, market_id, observed_at   time: observed_at   by_hour: observed_at   order: day, chain, market_id, observed_at
with broken as (
  select
    chain, assumption_id, observed_at as from_at, is_active,
    lead(observed_at, 1, 253402300799) over (partition by chain, assumption_id order by observed_at, is_observation) as to_at
  from derived.assumption_step
  where day >= @start - @start % 86400 and observed_at < @end
)
select
  o.chain, o.market_id, o.observed_at, o.day, max(o.price_number) as price, max(o.market_price) as market_price, max(o.gap_bps) as gap_bps,
  max(o.bad_debt_low_usd) as bad_debt_low_usd, max(o.bad_debt_high_usd) as bad_debt_high_usd,
  max(case when b.is_active then 1 when b.chain is not null then 0 end) = 1 as is_broken
from derived.oracle_point o
left join derived.path_assumption a
  on a.chain = o.chain and a.market_id = o.market_id and a.valid_from <= o.observed_at and a.valid_to > o.observed_at
left join broken b
  on b.chain = a.chain and b.assumption_id = a.assumption_id and b.from_at <= o.observed_at and b.to_at > o.observed_at
where o.observed_at >= @start and o.observed_at < @end
group by o.chain, o.market_id, o.observed_at, o.day
