-- One leg of the oracle of one market at one block. rate: value of one whole unit of what it is of; null without the decimals or the value.
-- kind: append   grain: chain, market_id, oracle_address, observed_at, leg_index   time: observed_at   order: day, chain, market_id, observed_at, leg_index
select
  chain, market_id, oracle_address, observed_at, observed_at - observed_at % 86400 as day, leg_index, parent_index,
  coalesce(is_standby, false) as is_standby, side, role, contract, kind, kind_by, from_symbol, to_symbol, pair_by, decimals, share_decimals,
  sample, value, unread_reason, answered_at, min_value, max_value, cap, parameters, implementation, code_hash, changed_by, changed_how,
  change_delay_s, computed_value,
  case
    when role = 'vault'
      then cast(value as double) / power(10e0, decimals) / nullif(cast(sample as double) / power(10e0, share_decimals), 0e0)
    else cast(value as double) / power(10e0, decimals)
  end as rate,
  source_id, fetched_at
from landing.oracle_leg
