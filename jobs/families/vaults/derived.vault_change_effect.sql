-- What a delayed change of a vault does, how severe it is, and who may revoke it. Judged by the newest state at its submission; assets
-- that are not known are judged as if they were large.
-- kind: full   grain: chain, tx_hash, log_index, block_hash
with change as (
  select distinct
    chain, vault_address, contract_address, submitted_at, tx_hash, log_index, block_hash, change, market_id, cap_id, subject_address, old_value,
    new_value, executable_by, is_v2
  from derived.vault_change
),
stated as (
  select c.chain, c.tx_hash, c.log_index, c.block_hash, max(p.observed_at) as state_at
  from change c
  join derived.vault_point p on p.chain = c.chain and p.vault_address = c.vault_address and p.observed_at <= c.submitted_at
  where p.is_complete
  group by c.chain, c.tx_hash, c.log_index, c.block_hash
),
concerned as (
  select
    c.chain, c.tx_hash, c.log_index, c.block_hash, t.unit, t.total_assets, t.asset_price_usd,
    coalesce(sum(case
      when c.change in ('market_removal', 'burnShares') and o.held = c.market_id and (c.change = 'market_removal' or o.holder_address = c.contract_address)
        or c.change = 'removeAdapter' and o.holder_address = c.subject_address
        then cast(o.assets as double) / t.unit
    end), 0e0) as assets
  from change c
  join stated s on s.chain = c.chain and s.tx_hash = c.tx_hash and s.log_index = c.log_index and s.block_hash = c.block_hash
  join derived.vault_point t on t.chain = c.chain and t.vault_address = c.vault_address and t.observed_at = s.state_at
  left join obs.vault_position o on o.chain = t.chain and o.vault_address = t.vault_address and o.observed_at = t.observed_at
  group by c.chain, c.tx_hash, c.log_index, c.block_hash, t.unit, t.total_assets, t.asset_price_usd
),
named as (
  select
    c.*, n.unit, n.asset_price_usd,
    case when c.change in ('market_removal', 'burnShares', 'removeAdapter') then n.assets end as assets,
    case when c.change in ('market_removal', 'burnShares', 'removeAdapter') and n.total_assets > 0 then n.assets / n.total_assets end as share,
    coalesce(
      m.name,
      case when m.collateral_symbol is not null and m.loan_symbol is not null then concat(m.collateral_symbol, '/', m.loan_symbol) end,
      c.market_id
    ) as market_name, coalesce(v.asset_symbol, 'units') as symbol,
    coalesce(c.new_value = '0x0000000000000000000000000000000000000000', false) as is_none,
    try_cast(c.new_value as double) as new_number, try_cast(c.old_value as double) as old_number
  from change c
  left join concerned n on n.chain = c.chain and n.tx_hash = c.tx_hash and n.log_index = c.log_index and n.block_hash = c.block_hash
  left join derived.lending_market m
    on m.chain = c.chain and m.market_id = c.market_id and m.valid_from <= c.submitted_at and m.valid_to > c.submitted_at
  left join derived.lending_vault v
    on v.chain = c.chain and v.vault_address = c.vault_address and v.valid_from <= c.submitted_at and v.valid_to > c.submitted_at
),
amounts as (
  select
    *,
    case
      when new_value = '340282366920938463463374607431768211455' then 'no limit'
      when new_number / unit < 1e15 then concat(cast(cast(round(new_number / unit) as bigint) as varchar), ' ', symbol)
      else concat(new_value, ' (smallest unit)')
    end as new_amount,
    case
      when old_value is null then 'an unknown one'
      when old_value = '340282366920938463463374607431768211455' then 'no limit'
      when old_number / unit < 1e15 then concat(cast(cast(round(old_number / unit) as bigint) as varchar), ' ', symbol)
      else concat(old_value, ' (smallest unit)')
    end as old_amount,
    case
      when new_number < 1e30 then concat(cast(cast(round(new_number / 1e14) as bigint) as varchar), ' bps')
      else concat(new_value, ' 10^18ths')
    end as new_bps,
    case
      when old_value is null then 'an unknown one'
      when old_number < 1e30 then concat(cast(cast(round(old_number / 1e14) as bigint) as varchar), ' bps')
      else concat(old_value, ' 10^18ths')
    end as old_bps
  from named
)
select
  chain, tx_hash, log_index, block_hash, round(assets * asset_price_usd, 2) as assets_concerned_usd, round(share, 8) as assets_concerned_share,
  case
    when change = 'burnShares' then 'critical'
    when change in ('market_removal', 'removeAdapter') then case when share <= 0.001 then 'info' else 'critical' end
    when change in ('cap', 'increaseAbsoluteCap', 'increaseRelativeCap') then case when old_number > 0 then 'warn' else 'high' end
    when change in ('addAdapter', 'decreaseTimelock', 'guardian', 'owner', 'unknown') then 'high'
    when change = 'timelock' then case when new_number > old_number then 'info' else 'high' end
    when change = 'setAdapterRegistry' then case when is_none then 'high' else 'warn' end
    when change in ('setSendSharesGate', 'setReceiveAssetsGate') then case when is_none then 'info' else 'high' end
    when change in ('setReceiveSharesGate', 'setSendAssetsGate') then case when is_none then 'info' else 'warn' end
    when change = 'setIsAllocator' then case when new_value = 'false' then 'info' else 'warn' end
    when change in ('setPerformanceFee', 'setManagementFee', 'setForceDeallocatePenalty')
      then case when new_number <= old_number then 'info' else 'warn' end
    when change in ('increaseTimelock', 'abdicate') then 'info'
    else 'warn'
  end as severity,
  case
    when is_v2 then 'curator,sentinel'
    when change in ('cap', 'market_removal') then 'curator,guardian,owner'
    when change = 'owner' then 'owner'
    else 'guardian,owner'
  end as can_revoke,
  case change
    when 'cap' then concat('Raises the supply cap of market ', market_name, ' from ', old_amount, ' to ', new_amount)
    when 'market_removal' then concat('Removes market ', market_name, '; what the vault still supplies there is written off')
    when 'timelock' then concat('Changes the timelock from ', coalesce(old_value, 'an unknown one'), ' to ', new_value, ' seconds')
    when 'guardian' then concat('Makes ', new_value, ' the guardian')
    when 'owner' then concat('Makes ', new_value, ' the owner; only that address can accept')
    when 'setIsAllocator' then case
      when new_value = 'false' then concat('Takes the right to allocate from ', subject_address)
      else concat('Lets ', subject_address, ' allocate the assets') end
    when 'setReceiveSharesGate' then case when is_none then 'Lets any address receive shares' else concat('Lets contract ', new_value, ' decide who may receive shares') end
    when 'setSendSharesGate' then case when is_none then 'Lets any address send shares' else concat('Lets contract ', new_value, ' decide who may send shares, and so who may leave') end
    when 'setReceiveAssetsGate' then case when is_none then 'Lets any address receive assets' else concat('Lets contract ', new_value, ' decide who may receive assets, and so who may leave') end
    when 'setSendAssetsGate' then case when is_none then 'Lets any address deposit' else concat('Lets contract ', new_value, ' decide who may deposit') end
    when 'setAdapterRegistry' then case when is_none then 'Lets the curator add any adapter: no registry limits them' else concat('Makes ', new_value, ' the registry of permitted adapters') end
    when 'addAdapter' then concat('Adds adapter ', new_value, ', which may then receive assets')
    when 'removeAdapter' then concat('Removes adapter ', new_value, '; what it still holds no longer counts')
    when 'increaseTimelock' then concat('Lengthens a timelock from ', coalesce(old_value, 'an unknown one'), ' to ', new_value, ' seconds')
    when 'decreaseTimelock' then concat('Shortens a timelock from ', coalesce(old_value, 'an unknown one'), ' to ', new_value, ' seconds')
    when 'abdicate' then concat('Gives up function ', new_value, ' for good')
    when 'setPerformanceFee' then concat('Changes the fee on interest from ', old_bps, ' to ', new_bps)
    when 'setManagementFee' then concat('Changes the fee on total assets from ', coalesce(old_value, 'an unknown one'), ' to ', new_value, ' 10^18ths a second')
    when 'setPerformanceFeeRecipient' then concat('Sends the fee on interest to ', new_value)
    when 'setManagementFeeRecipient' then concat('Sends the fee on total assets to ', new_value)
    when 'increaseAbsoluteCap' then concat('Raises the cap of id ', cap_id, ' from ', old_amount, ' to ', new_amount)
    when 'increaseRelativeCap' then concat('Raises the share that id ', cap_id, ' may have of all assets from ', old_bps, ' to ', new_bps)
    when 'setForceDeallocatePenalty' then concat('Changes the penalty of forced withdrawals from adapter ', subject_address, ' from ', old_bps, ' to ', new_bps)
    when 'setSkimRecipient' then concat('Sends skimmed tokens to ', new_value)
    when 'burnShares' then concat('Writes off what an adapter supplies to market ', market_name)
    else 'Calls a function that is not known'
  end as statement
from amounts
