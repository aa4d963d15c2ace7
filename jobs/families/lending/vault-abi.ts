// The governance events of vault contracts, as Solidity declares them: the events of MetaMorpho vaults (Morpho's EventsLib and
// OpenZeppelin's Ownable), with this project's argument names. An `Id` is a bytes32.
import type { AbiEvent } from 'viem';
import { parseAbiItem, toEventSelector } from 'viem/utils';

/** Kinds of governance; a completely indexed vault has reported each at least once (2.13). */
export type GovernanceKind = 'timelock' | 'guardian' | 'allocator' | 'cap' | 'fee' | 'owner' | 'queue';

export interface VaultEvent {
  readonly action: string;
  readonly abi: AbiEvent;
  /** Hash of the name and types: the first topic of its logs. */
  readonly topic0: string;
  readonly kind: GovernanceKind | null;
  /** Argument that names the target of the action; null for the vault itself. */
  readonly subject: string | null;
  /** The argument `new_<name>` replaces the value that an earlier event of the action set, within the same scope if there is one. */
  readonly change: { readonly name: string; readonly scope: string | null } | null;
}

interface Traits {
  readonly kind?: GovernanceKind;
  readonly subject?: string;
  /** Argument that separates changes of one action, for example by market. */
  readonly scope?: string;
  readonly setsValue?: boolean;
}

/** `isLastWord`: the value that the event sets applies from then on. */
function event(action: string, declaration: string, traits: Traits = {}): VaultEvent {
  const abi = parseAbiItem(`event ${declaration}`) as AbiEvent;
  const changed = abi.inputs.find(({ name }) => name?.startsWith('new_'))?.name?.slice('new_'.length);
  return Object.freeze({
    action,
    abi,
    topic0: toEventSelector(abi),
    kind: traits.kind ?? null,
    subject: traits.subject ?? null,
    change:
      traits.setsValue === true && changed !== undefined
        ? { name: changed, scope: traits.scope ?? null }
        : null,
  });
}

const CALLER = 'address indexed caller';
const MARKET = 'bytes32 indexed market_id';
const market = { subject: 'market_id' } as const;
const set = { setsValue: true } as const;

const changes: readonly VaultEvent[] = [
  event('set_cap', `SetCap(${CALLER}, ${MARKET}, uint256 new_cap)`, {
    ...market,
    ...set,
    kind: 'cap',
    scope: 'market_id',
  }),
  event('set_fee', `SetFee(${CALLER}, uint256 new_fee)`, { ...set, kind: 'fee' }),
  event('set_fee_recipient', 'SetFeeRecipient(address indexed new_fee_recipient)', {
    ...set,
    subject: 'new_fee_recipient',
  }),
  event('set_curator', 'SetCurator(address indexed new_curator)', { ...set, subject: 'new_curator' }),
  event('set_guardian', `SetGuardian(${CALLER}, address indexed new_guardian)`, {
    ...set,
    kind: 'guardian',
    subject: 'new_guardian',
  }),
  event('set_is_allocator', 'SetIsAllocator(address indexed allocator, bool new_is_allocator)', {
    ...set,
    kind: 'allocator',
    subject: 'allocator',
    scope: 'allocator',
  }),
  event('set_timelock', `SetTimelock(${CALLER}, uint256 new_timelock)`, { ...set, kind: 'timelock' }),
  event('set_supply_queue', `SetSupplyQueue(${CALLER}, bytes32[] new_supply_queue)`, {
    ...set,
    kind: 'queue',
  }),
  event('set_withdraw_queue', `SetWithdrawQueue(${CALLER}, bytes32[] new_withdraw_queue)`, {
    ...set,
    kind: 'queue',
  }),
  event('update_lost_assets', 'UpdateLostAssets(uint256 new_lost_assets)', set),
  event('set_skim_recipient', 'SetSkimRecipient(address indexed new_skim_recipient)', {
    ...set,
    subject: 'new_skim_recipient',
  }),
  event('transfer_ownership', 'OwnershipTransferred(address indexed old_owner, address indexed new_owner)', {
    kind: 'owner',
    subject: 'new_owner',
  }),
];

const movements: readonly VaultEvent[] = [
  event(
    'reallocate_supply',
    `ReallocateSupply(${CALLER}, ${MARKET}, uint256 supplied_assets, uint256 supplied_shares)`,
    market,
  ),
  event(
    'reallocate_withdraw',
    `ReallocateWithdraw(${CALLER}, ${MARKET}, uint256 withdrawn_assets, uint256 withdrawn_shares)`,
    market,
  ),
];

const announcements: readonly VaultEvent[] = [
  event('submit_cap', `SubmitCap(${CALLER}, ${MARKET}, uint256 pending_cap)`, { ...market, kind: 'cap' }),
  event('submit_guardian', 'SubmitGuardian(address indexed pending_guardian)', {
    kind: 'guardian',
    subject: 'pending_guardian',
  }),
  event('submit_timelock', 'SubmitTimelock(uint256 pending_timelock)', { kind: 'timelock' }),
  event('submit_market_removal', `SubmitMarketRemoval(${CALLER}, ${MARKET})`, market),
  event(
    'start_ownership_transfer',
    'OwnershipTransferStarted(address indexed old_owner, address indexed pending_owner)',
    { kind: 'owner', subject: 'pending_owner' },
  ),
  event('revoke_pending_cap', `RevokePendingCap(${CALLER}, ${MARKET})`, { ...market, kind: 'cap' }),
  event('revoke_pending_guardian', `RevokePendingGuardian(${CALLER})`, { kind: 'guardian' }),
  event('revoke_pending_timelock', `RevokePendingTimelock(${CALLER})`, { kind: 'timelock' }),
  event('revoke_pending_market_removal', `RevokePendingMarketRemoval(${CALLER}, ${MARKET})`, market),
];

export const VAULT_EVENTS: readonly VaultEvent[] = Object.freeze([
  ...changes,
  ...movements,
  ...announcements,
]);
