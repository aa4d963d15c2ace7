-- The last state of one pool, unless it is too old. is_possible: the pool is not empty, and its price is one that the contract can have.
-- kind: full   grain: chain, pool
with ranked as (
  select s.*, row_number() over (partition by s.chain, s.pool order by s.observed_at desc) as place
  from obs.amm_pool_state s
  cross join policy.pools p
  where s.observed_at <= @now and s.observed_at > @now - p.state_max_age_s
)
select
  chain, pool, venue, observed_at, block_number, kind, fee_pips, symbols_list, decimals_list, reserves_list,
  case when kind = 'stable' then amplification end as amplification,
  case when kind = 'ticks' then sqrt_price_x96 end as sqrt_price_x96,
  case when kind = 'ticks' then liquidity end as liquidity,
  case
    when kind = 'ticks' then cast(sqrt_price_x96 as double) between 4295128739 and 1.4614467034852102e48
    else not regexp_like(concat(',', reserves_list, ','), ',0+,')
  end as is_possible
from ranked
where place = 1
