-- The tranches of one market, how many there should be, their debt, and the market's debt by its last state at that time; null without a
-- recent enough state.
-- kind: full   grain: chain, market_id
with held as (
  select
    chain, market_id, max(observed_at) as observed_at, sum(debt_usd) as tranches_usd,
    count(*) as tranches, max(tranche_count) as tranches_expected
  from derived.borrower_tranche
  group by chain, market_id
),
state as (
  select
    h.chain, h.market_id, max_by(s.borrowed_usd, s.observed_at) as market_usd
  from held h
  cross join policy.lending l
  cross join policy.borrowing p
  join obs.market_state s
    on s.chain = h.chain and s.market_id = h.market_id and s.observed_at <= h.observed_at
    and s.observed_at > h.observed_at - l.state_max_age_s
  where s.observed_at > @now - p.tranche_max_age_s - l.state_max_age_s and s.borrowed_usd is not null
  group by h.chain, h.market_id
)
select h.chain, h.market_id, h.observed_at, h.tranches, h.tranches_expected, h.tranches_usd, s.market_usd
from held h
left join state s on s.chain = h.chain and s.market_id = h.market_id
