-- What one observation of derived.assumption_edge_market means over all markets that rest on the assumption: sums, and how severe it is.
-- level: 3 if debt is not covered; 2 if a price is above the market or healthy debt can be liquidated; 1 if neither, or while sources
-- disagree; 0 if too little debt rests on it, or if another assumption of the market explains the price gap of its path. What is stated whole or
-- at most is null if it is not known of one market; what is stated at least is the sum over the others.
-- kind: window   grain: chain, assumption_id, observed_at   time: observed_at   order: observed_at, chain, assumption_id
with summed as (
  select
    chain, assumption_id, observed_at, min(edge) as edge, min(since_at) as since_at, min(zone) as zone, count(*) as markets,
    case when count(debt_usd) = count(*) then exact_double(sum(exact_decimal(debt_usd, 38, 8))) end as debt_usd,
    exact_double(sum(exact_decimal(low_usd, 38, 8))) as low_usd,
    case when count(high_usd) = count(*) then exact_double(sum(exact_decimal(high_usd, 38, 8))) end as high_usd, exact_double(sum(exact_decimal(unjust_usd, 38, 8))) as unjust_usd,
    max(case when share < 1 then 1 else 0 end) = 1 as is_above_market, max(block_number) as block_number,
    count(*) filter (where low_usd is null) as unknown_markets
  from derived.assumption_edge_market
  where observed_at >= @start and observed_at < @end
  group by chain, assumption_id, observed_at
),
-- Other assumptions of the same market that the last observation before has beyond their band.
explained as (
  select distinct s.chain, s.assumption_id, s.observed_at
  from summed s
  join derived.path_assumption a on a.chain = s.chain and a.assumption_id = s.assumption_id and a.kind = 'path'
  join derived.path_assumption x
    on x.chain = a.chain and x.market_id = a.market_id and x.kind <> 'path' and x.valid_from <= s.observed_at and x.valid_to > s.observed_at
  join derived.assumption_observation o on o.chain = x.chain and o.assumption_id = x.assumption_id
  where o.observed_at <= s.observed_at and o.observed_at > s.observed_at - 86400 and o.observed_at >= @start - 86400 and o.observed_at < @end
    and o.zone = 'beyond'
),
stated as (
  select
    s.*, coalesce(o.is_disputed, false) as is_disputed, x.chain is not null as is_explained,
    coalesce(s.debt_usd, p.min_debt_usd) >= p.min_debt_usd as is_large
  from summed s
  cross join policy.oracle_paths p
  left join derived.assumption_observation o on o.chain = s.chain and o.assumption_id = s.assumption_id and o.observed_at = s.observed_at
  left join explained x on x.chain = s.chain and x.assumption_id = s.assumption_id and x.observed_at = s.observed_at
)
select
  chain, assumption_id, observed_at, edge, since_at, zone, markets, debt_usd, low_usd, high_usd, unjust_usd, is_above_market, block_number,
  unknown_markets,
  case
    when not is_large or is_explained then 0
    when is_disputed then 1
    when low_usd > 0 then 3
    when is_above_market or unjust_usd > 0 then 2
    else 1
  end as level
from stated
