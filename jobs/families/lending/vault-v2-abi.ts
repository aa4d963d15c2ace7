// The events of Morpho's version 2 vaults and of their adapters, as morpho-org/vault-v2 declares them, with this project's argument names.
// Events that both versions declare alike are in vault-abi.ts.
import { event, type VaultEvent } from './vault-abi.ts';

const SENDER = { caller: 'address indexed' } as const;
const SELECTOR = { selector: 'bytes4 indexed' } as const;
const CAP = { cap_id: 'bytes32 indexed', id_data: 'bytes' } as const;
const ADAPTER = { adapter: 'address indexed' } as const;
const set = { setsValue: true } as const;
const ofCap = { ...set, kind: 'cap', subject: 'cap_id', scope: 'cap_id' } as const;

const timelocks: readonly VaultEvent[] = [
  event('submit', 'Submit', { ...SELECTOR, data: 'bytes', executable_at: 'uint256' }, { isCall: true }),
  event('accept', 'Accept', { ...SELECTOR, data: 'bytes' }, { isCall: true }),
  event('revoke', 'Revoke', { ...SENDER, ...SELECTOR, data: 'bytes' }, { isCall: true }),
  event(
    'increase_timelock',
    'IncreaseTimelock',
    { ...SELECTOR, new_duration: 'uint256' },
    { ...set, kind: 'timelock', scope: 'selector' },
  ),
  event(
    'decrease_timelock',
    'DecreaseTimelock',
    { ...SELECTOR, new_duration: 'uint256' },
    { ...set, kind: 'timelock', scope: 'selector' },
  ),
  event('abdicate', 'Abdicate', { ...SELECTOR }, { kind: 'timelock' }),
];

const caps: readonly VaultEvent[] = [
  event('increase_absolute_cap', 'IncreaseAbsoluteCap', { ...CAP, new_absolute_cap: 'uint256' }, ofCap),
  event(
    'decrease_absolute_cap',
    'DecreaseAbsoluteCap',
    { ...SENDER, ...CAP, new_absolute_cap: 'uint256' },
    ofCap,
  ),
  event('increase_relative_cap', 'IncreaseRelativeCap', { ...CAP, new_relative_cap: 'uint256' }, ofCap),
  event(
    'decrease_relative_cap',
    'DecreaseRelativeCap',
    { ...SENDER, ...CAP, new_relative_cap: 'uint256' },
    ofCap,
  ),
];

const fees: readonly VaultEvent[] = [
  event(
    'set_performance_fee',
    'SetPerformanceFee',
    { new_performance_fee: 'uint256' },
    { ...set, kind: 'fee' },
  ),
  event('set_management_fee', 'SetManagementFee', { new_management_fee: 'uint256' }, { ...set, kind: 'fee' }),
  event(
    'set_performance_fee_recipient',
    'SetPerformanceFeeRecipient',
    { new_performance_fee_recipient: 'address indexed' },
    { ...set, subject: 'new_performance_fee_recipient' },
  ),
  event(
    'set_management_fee_recipient',
    'SetManagementFeeRecipient',
    { new_management_fee_recipient: 'address indexed' },
    { ...set, subject: 'new_management_fee_recipient' },
  ),
  event(
    'set_force_deallocate_penalty',
    'SetForceDeallocatePenalty',
    { ...ADAPTER, new_penalty: 'uint256' },
    { ...set, subject: 'adapter', scope: 'adapter' },
  ),
  event('set_max_rate', 'SetMaxRate', { new_max_rate: 'uint256' }, set),
];

/** A sentinel is what a guardian is in version 1; the liquidity adapter is where deposits go, as the supply queue is. */
const roles: readonly VaultEvent[] = [
  event(
    'set_owner',
    'SetOwner',
    { new_owner: 'address indexed' },
    { ...set, kind: 'owner', subject: 'new_owner' },
  ),
  event(
    'set_is_sentinel',
    'SetIsSentinel',
    { sentinel: 'address indexed', new_is_sentinel: 'bool' },
    { ...set, kind: 'guardian', subject: 'sentinel', scope: 'sentinel' },
  ),
  event('add_adapter', 'AddAdapter', { ...ADAPTER }, { subject: 'adapter' }),
  event('remove_adapter', 'RemoveAdapter', { ...ADAPTER }, { subject: 'adapter' }),
  event(
    'set_liquidity_adapter',
    'SetLiquidityAdapterAndData',
    { ...SENDER, new_liquidity_adapter: 'address indexed', liquidity_data_hash: 'bytes hashed' },
    { ...set, kind: 'queue', subject: 'new_liquidity_adapter' },
  ),
  event(
    'set_adapter_registry',
    'SetAdapterRegistry',
    { new_adapter_registry: 'address indexed' },
    { ...set, subject: 'new_adapter_registry' },
  ),
];

const gate = (name: string, declared: string): VaultEvent =>
  event(
    `set_${name}_gate`,
    `Set${declared}Gate`,
    { [`new_${name}_gate`]: 'address indexed' },
    { ...set, subject: `new_${name}_gate` },
  );

const gates: readonly VaultEvent[] = [
  gate('receive_shares', 'ReceiveShares'),
  gate('send_shares', 'SendShares'),
  gate('receive_assets', 'ReceiveAssets'),
  gate('send_assets', 'SendAssets'),
];

const MOVED = { assets: 'uint256', cap_ids: ['bytes32'], change: 'int256' } as const;

/** Deposits and withdrawals move the liquidity adapter too, with the depositor as the caller. */
const movements: readonly VaultEvent[] = [
  event('allocate', 'Allocate', { ...SENDER, ...ADAPTER, ...MOVED }, { subject: 'adapter' }),
  event('deallocate', 'Deallocate', { ...SENDER, ...ADAPTER, ...MOVED }, { subject: 'adapter' }),
  event(
    'force_deallocate',
    'ForceDeallocate',
    {
      ...SENDER,
      adapter: 'address',
      assets: 'uint256',
      owner: 'address indexed',
      cap_ids: ['bytes32'],
      penalty_assets: 'uint256',
    },
    { subject: 'adapter' },
  ),
  event(
    'burn_shares',
    'BurnShares',
    { market_id: 'bytes32 indexed', supply_shares: 'uint256' },
    { subject: 'market_id' },
  ),
];

const ofMarket = { subject: 'market_id' } as const;
const MARKET_MOVED = {
  market_id: 'bytes32 indexed',
  allocation: 'uint256',
  shares: 'uint256',
} as const;

/** Not governance: what the contracts book. */
const accounting: readonly VaultEvent[] = [
  event('allocate_in_adapter', 'Allocate', MARKET_MOVED, ofMarket),
  event('deallocate_in_adapter', 'Deallocate', MARKET_MOVED, ofMarket),
  event('accrue_interest_and_fees', 'AccrueInterest', {
    previous_total_assets: 'uint256',
    total_assets: 'uint256',
    performance_fee_shares: 'uint256',
    management_fee_shares: 'uint256',
  }),
];

export const MORPHO_V2_EVENTS: readonly VaultEvent[] = Object.freeze([
  ...timelocks,
  ...caps,
  ...fees,
  ...roles,
  ...gates,
  ...movements,
  ...accounting,
]);
