-- Supply, treasury and users at one instant. Digits are read in two halves, because DuckDB casts a whole text more slowly.
-- kind: append   grain: network, observed_at   time: observed_at   order: network, observed_at
with padded as (
  select *, lpad(circulating_supply, 36, '0') as circulating_supply_digits, lpad(treasury_funds, 36, '0') as treasury_funds_digits
  from landing.network_b_state
)
select
  network, observed_at, observed_at - observed_at % 86400 as day, total_users, balance_gini,
  cast(substr(circulating_supply_digits, 1, 18) as bigint) * cast(1000000000000000000 as decimal(38, 0))
    + cast(substr(circulating_supply_digits, 19) as bigint) as circulating_supply_yocto,
  cast(substr(treasury_funds_digits, 1, 18) as bigint) * cast(1000000000000000000 as decimal(38, 0))
    + cast(substr(treasury_funds_digits, 19) as bigint) as treasury_funds_yocto,
  source_id, fetched_at
from padded
