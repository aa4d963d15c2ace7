-- A pool that cannot swap: a reserve is empty, or the price is outside the range of its contract.
select chain, pool, observed_at, reserves_list, sqrt_price_x96
from derived.pool_state
where not is_possible
