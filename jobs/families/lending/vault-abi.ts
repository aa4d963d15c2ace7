// The events of vault contracts, as Solidity declares them: those of MetaMorpho vaults (Morpho's EventsLib and OpenZeppelin's Ownable), with
// this project's argument names, and those of Euler Earn; vault-v2-abi.ts has those of version 2 of Morpho. An `Id` is a bytes32.
import { type ContractEvent, contractEvent, type EventFields } from '../../../platform/base/contract-abi.ts';

/** Kinds of governance; a completely indexed vault has reported each at least once (2.13). */
export type GovernanceKind = 'timelock' | 'guardian' | 'allocator' | 'cap' | 'fee' | 'owner' | 'queue';

export interface VaultEvent {
  readonly action: string;
  readonly abi: ContractEvent<EventFields>;
  /** Hash of the name and types: the first topic of its logs. */
  readonly topic0: string;
  readonly kind: GovernanceKind | null;
  /** Argument that names the target of the action; null for the vault itself. */
  readonly subject: string | null;
  /** The argument `new_<name>` replaces the value that an earlier event of the action set, within the same scope if there is one. */
  readonly change: { readonly name: string; readonly scope: string | null } | null;
  /** The argument `data` is the call of another function, which is decoded too. */
  readonly isCall: boolean;
}

interface Traits {
  readonly kind?: GovernanceKind;
  readonly subject?: string;
  /** Argument that separates changes of one action, for example by market. */
  readonly scope?: string;
  readonly setsValue?: boolean;
  readonly isCall?: boolean;
}

/** `isLastWord`: the value that the event sets applies from then on. */
export function event(action: string, name: string, fields: EventFields, traits: Traits = {}): VaultEvent {
  const abi = contractEvent(name, fields);
  const changed = abi.inputs.find((input) => input.name.startsWith('new_'))?.name.slice('new_'.length);
  return Object.freeze({
    action,
    abi,
    topic0: abi.topic,
    kind: traits.kind ?? null,
    subject: traits.subject ?? null,
    change:
      traits.setsValue === true && changed !== undefined
        ? { name: changed, scope: traits.scope ?? null }
        : null,
    isCall: traits.isCall ?? false,
  });
}

const CALLER = { caller: 'address indexed' } as const;
const MARKET = { market_id: 'bytes32 indexed' } as const;
const market = { subject: 'market_id' } as const;
const set = { setsValue: true } as const;

const changes: readonly VaultEvent[] = [
  event(
    'set_cap',
    'SetCap',
    { ...CALLER, ...MARKET, new_cap: 'uint256' },
    {
      ...market,
      ...set,
      kind: 'cap',
      scope: 'market_id',
    },
  ),
  event('set_fee', 'SetFee', { ...CALLER, new_fee: 'uint256' }, { ...set, kind: 'fee' }),
  event(
    'set_fee_recipient',
    'SetFeeRecipient',
    { new_fee_recipient: 'address indexed' },
    {
      ...set,
      subject: 'new_fee_recipient',
    },
  ),
  event('set_curator', 'SetCurator', { new_curator: 'address indexed' }, { ...set, subject: 'new_curator' }),
  event(
    'set_guardian',
    'SetGuardian',
    { ...CALLER, new_guardian: 'address indexed' },
    {
      ...set,
      kind: 'guardian',
      subject: 'new_guardian',
    },
  ),
  event(
    'set_is_allocator',
    'SetIsAllocator',
    { allocator: 'address indexed', new_is_allocator: 'bool' },
    {
      ...set,
      kind: 'allocator',
      subject: 'allocator',
      scope: 'allocator',
    },
  ),
  event('set_timelock', 'SetTimelock', { ...CALLER, new_timelock: 'uint256' }, { ...set, kind: 'timelock' }),
  event(
    'set_supply_queue',
    'SetSupplyQueue',
    { ...CALLER, new_supply_queue: ['bytes32'] },
    {
      ...set,
      kind: 'queue',
    },
  ),
  event(
    'set_withdraw_queue',
    'SetWithdrawQueue',
    { ...CALLER, new_withdraw_queue: ['bytes32'] },
    {
      ...set,
      kind: 'queue',
    },
  ),
  event('update_lost_assets', 'UpdateLostAssets', { new_lost_assets: 'uint256' }, set),
  event(
    'set_skim_recipient',
    'SetSkimRecipient',
    { new_skim_recipient: 'address indexed' },
    {
      ...set,
      subject: 'new_skim_recipient',
    },
  ),
  event(
    'transfer_ownership',
    'OwnershipTransferred',
    { old_owner: 'address indexed', new_owner: 'address indexed' },
    {
      kind: 'owner',
      subject: 'new_owner',
    },
  ),
];

const movements: readonly VaultEvent[] = [
  event(
    'reallocate_supply',
    'ReallocateSupply',
    { ...CALLER, ...MARKET, supplied_assets: 'uint256', supplied_shares: 'uint256' },
    market,
  ),
  event(
    'reallocate_withdraw',
    'ReallocateWithdraw',
    { ...CALLER, ...MARKET, withdrawn_assets: 'uint256', withdrawn_shares: 'uint256' },
    market,
  ),
];

const announcements: readonly VaultEvent[] = [
  event(
    'submit_cap',
    'SubmitCap',
    { ...CALLER, ...MARKET, pending_cap: 'uint256' },
    { ...market, kind: 'cap' },
  ),
  event(
    'submit_guardian',
    'SubmitGuardian',
    { pending_guardian: 'address indexed' },
    {
      kind: 'guardian',
      subject: 'pending_guardian',
    },
  ),
  event('submit_timelock', 'SubmitTimelock', { pending_timelock: 'uint256' }, { kind: 'timelock' }),
  event('submit_market_removal', 'SubmitMarketRemoval', { ...CALLER, ...MARKET }, market),
  event(
    'start_ownership_transfer',
    'OwnershipTransferStarted',
    { old_owner: 'address indexed', pending_owner: 'address indexed' },
    { kind: 'owner', subject: 'pending_owner' },
  ),
  event('revoke_pending_cap', 'RevokePendingCap', { ...CALLER, ...MARKET }, { ...market, kind: 'cap' }),
  event('revoke_pending_guardian', 'RevokePendingGuardian', { ...CALLER }, { kind: 'guardian' }),
  event('revoke_pending_timelock', 'RevokePendingTimelock', { ...CALLER }, { kind: 'timelock' }),
  event('revoke_pending_market_removal', 'RevokePendingMarketRemoval', { ...CALLER, ...MARKET }, market),
];

/** Not governance: what depositors do, in the same words in both versions, and what the contract books. */
const accounting: readonly VaultEvent[] = [
  event('deposit', 'Deposit', {
    caller: 'address indexed',
    owner: 'address indexed',
    assets: 'uint256',
    shares: 'uint256',
  }),
  event('withdraw', 'Withdraw', {
    caller: 'address indexed',
    receiver: 'address indexed',
    owner: 'address indexed',
    assets: 'uint256',
    shares: 'uint256',
  }),
  event('accrue_interest', 'AccrueInterest', { new_total_assets: 'uint256', fee_shares: 'uint256' }),
  event('update_last_total_assets', 'UpdateLastTotalAssets', { updated_total_assets: 'uint256' }),
];

export const VAULT_EVENTS: readonly VaultEvent[] = Object.freeze([
  ...changes,
  ...movements,
  ...announcements,
]);

export const ACCOUNTING_EVENTS: readonly VaultEvent[] = Object.freeze(accounting);

const OF_VAULT = { ...CALLER, market_id: 'address indexed' } as const;
const cap = { ...market, kind: 'cap' } as const;
const queue = { ...set, kind: 'queue' } as const;

/** Those that euler-xyz/euler-earn declares with the address of a vault where MetaMorpho has the id of a market; all others are the same. */
export const EULER_EVENTS: readonly VaultEvent[] = Object.freeze([
  event('set_cap', 'SetCap', { ...OF_VAULT, new_cap: 'uint256' }, { ...cap, ...set, scope: 'market_id' }),
  event('submit_cap', 'SubmitCap', { ...OF_VAULT, pending_cap: 'uint256' }, cap),
  event('revoke_pending_cap', 'RevokePendingCap', OF_VAULT, cap),
  event('submit_market_removal', 'SubmitMarketRemoval', OF_VAULT, market),
  event('revoke_pending_market_removal', 'RevokePendingMarketRemoval', OF_VAULT, market),
  event('set_supply_queue', 'SetSupplyQueue', { ...CALLER, new_supply_queue: ['address'] }, queue),
  event('set_withdraw_queue', 'SetWithdrawQueue', { ...CALLER, new_withdraw_queue: ['address'] }, queue),
]);
