-- One position of one vault at one block with its amounts as numbers, in the smallest unit of the asset. cap is the absolute one, 1e60 without a limit.
-- is_lacking: the reading does not state supply and cash of the market.
-- kind: view   grain: chain, vault_address, observed_at, holder_address, held
select
  chain, vault_address, observed_at, day, holder_address, held_kind, held, is_liquidity, queue_index, cast(assets as double) as own,
  cast(market_supply as double) as supply, cast(market_cash as double) as cash, cast(penalty as double) / 1e18 as penalty,
  cast(max_in as double) as max_in, cast(max_out as double) as max_out,
  case when absolute_cap = '340282366920938463463374607431768211455' then 1e60 else cast(absolute_cap as double) end as cap,
  held_kind = 'market' and (market_cash is null or market_supply is null) as is_lacking
from obs.vault_position
