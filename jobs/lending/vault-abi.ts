// What vault contracts write to the chain when they are governed, as they declare it: the events of MetaMorpho vaults (Morpho's EventsLib and
// OpenZeppelin's Ownable), with arguments under our names. An `Id` is a bytes32.

export interface VaultArgument {
  readonly name: string;
  readonly type: 'address' | 'uint256' | 'bool' | 'bytes32' | 'bytes32[]';
  readonly isIndexed: boolean;
}

/** Subjects of which a vault that is indexed completely has told each once (2.13). */
export type GovernanceKind = 'timelock' | 'guardian' | 'allocator' | 'cap' | 'fee' | 'owner' | 'queue';

export interface VaultEvent {
  readonly action: string;
  /** Name and types alone: what the topic is the hash of. */
  readonly signature: string;
  readonly topic0: string;
  readonly arguments: readonly VaultArgument[];
  readonly kind: GovernanceKind | null;
  /** Argument that names what was acted upon; the vault itself without one. */
  readonly subject: string | null;
  /** The argument `new_<name>` replaces what an earlier event of the action set, of the same scope where there is one. */
  readonly change: { readonly name: string; readonly scope: string | null } | null;
}

interface Traits {
  readonly kind?: GovernanceKind;
  readonly subject?: string;
  /** Argument by which changes are told apart. */
  readonly scope?: string;
  readonly isLastWord?: boolean;
}

/** `isLastWord`: what it sets is what holds from then on. */
function event(action: string, declaration: string, topic0: string, traits: Traits = {}): VaultEvent {
  const [, name = '', list = ''] = /^(\w+)\((.*)\)$/.exec(declaration) ?? [];
  const args = list.split(', ').map((one): VaultArgument => {
    const words = one.split(' ');
    const type = words[0] as VaultArgument['type'];
    return { name: words.at(-1) ?? '', type, isIndexed: words.length === 3 };
  });
  const changed = args.find((one) => one.name.startsWith('new_'))?.name.slice('new_'.length);
  return Object.freeze({
    action,
    signature: `${name}(${args.map(({ type }) => type).join(',')})`,
    topic0,
    arguments: args,
    kind: traits.kind ?? null,
    subject: traits.subject ?? null,
    change:
      traits.isLastWord === true && changed !== undefined
        ? { name: changed, scope: traits.scope ?? null }
        : null,
  });
}

const CALLER = 'address indexed caller';
const MARKET = 'bytes32 indexed market_id';
const market = { subject: 'market_id' } as const;
const set = { isLastWord: true } as const;

const changes: readonly VaultEvent[] = [
  event(
    'set_cap',
    `SetCap(${CALLER}, ${MARKET}, uint256 new_cap)`,
    '0xe86b6d3313d3098f4c5f689c935de8fde876a597c185def2cedab85efedac686',
    { ...market, ...set, kind: 'cap', scope: 'market_id' },
  ),
  event(
    'set_fee',
    `SetFee(${CALLER}, uint256 new_fee)`,
    '0x01fe2943baee27f47add82886c2200f910c749c461c9b63c5fe83901a53bdb49',
    { ...set, kind: 'fee' },
  ),
  event(
    'set_fee_recipient',
    'SetFeeRecipient(address indexed new_fee_recipient)',
    '0x2e979f80fe4d43055c584cf4a8467c55875ea36728fc37176c05acd784eb7a73',
    { ...set, subject: 'new_fee_recipient' },
  ),
  event(
    'set_curator',
    'SetCurator(address indexed new_curator)',
    '0xbd0a63c12948fbc9194a5839019f99c9d71db924e5c70018265bc778b8f1a506',
    { ...set, subject: 'new_curator' },
  ),
  event(
    'set_guardian',
    `SetGuardian(${CALLER}, address indexed new_guardian)`,
    '0xcb11cc8aade2f5a556749d1b2380d108a16fac3431e6a5d5ce12ef9de0bd76e3',
    { ...set, kind: 'guardian', subject: 'new_guardian' },
  ),
  event(
    'set_is_allocator',
    'SetIsAllocator(address indexed allocator, bool new_is_allocator)',
    '0x74dc60cbc81a9472d04ad1d20e151d369c41104d655ed3f2f3091166a502cd8d',
    { ...set, kind: 'allocator', subject: 'allocator', scope: 'allocator' },
  ),
  event(
    'set_timelock',
    `SetTimelock(${CALLER}, uint256 new_timelock)`,
    '0xd28e9b90ee9b37c5936ff84392d71f29ff18117d7e76bcee60615262a90a3f75',
    { ...set, kind: 'timelock' },
  ),
  event(
    'set_supply_queue',
    `SetSupplyQueue(${CALLER}, bytes32[] new_supply_queue)`,
    '0x6ce31538fc7fba95714ddc8a275a09252b4b1fb8f33d2550aa58a5f62ad934de',
    { ...set, kind: 'queue' },
  ),
  event(
    'set_withdraw_queue',
    `SetWithdrawQueue(${CALLER}, bytes32[] new_withdraw_queue)`,
    '0xe0c2db6b54586be6d7d49943139fccf0dd315ba63e55364a76c73cd8fdba724d',
    { ...set, kind: 'queue' },
  ),
  event(
    'update_lost_assets',
    'UpdateLostAssets(uint256 new_lost_assets)',
    '0x548669ea9bcc24888e6d74a69c9865fa98d795686853b8aa3eb87814261bbb71',
    set,
  ),
  event(
    'set_skim_recipient',
    'SetSkimRecipient(address indexed new_skim_recipient)',
    '0x2e7908865670e21b9779422cadf5f1cba271a62bb95c71eaaf615c0a1c48ebee',
    { ...set, subject: 'new_skim_recipient' },
  ),
  event(
    'transfer_ownership',
    'OwnershipTransferred(address indexed old_owner, address indexed new_owner)',
    '0x8be0079c531659141344cd1fd0a4f28419497f9722a3daafe3b4186f6b6457e0',
    { kind: 'owner', subject: 'new_owner' },
  ),
];

const movements: readonly VaultEvent[] = [
  event(
    'reallocate_supply',
    `ReallocateSupply(${CALLER}, ${MARKET}, uint256 supplied_assets, uint256 supplied_shares)`,
    '0x89bf199df65bf65155e3e0a8abc4ad4a1be606220c8295840dba2ab5656c1f6d',
    market,
  ),
  event(
    'reallocate_withdraw',
    `ReallocateWithdraw(${CALLER}, ${MARKET}, uint256 withdrawn_assets, uint256 withdrawn_shares)`,
    '0xdd8bf5226dff861316e0fa7863fdb7dc7b87c614eb29a135f524eb79d5a1189a',
    market,
  ),
];

const announcements: readonly VaultEvent[] = [
  event(
    'submit_cap',
    `SubmitCap(${CALLER}, ${MARKET}, uint256 pending_cap)`,
    '0xe851bb5856808a50efd748be463b8f35bcfb5ec74c5bfde776fe0a4d2a26db27',
    { ...market, kind: 'cap' },
  ),
  event(
    'submit_guardian',
    'SubmitGuardian(address indexed pending_guardian)',
    '0x7633313af54753bce8a149927263b1a55eba857ba4ef1d13c6aee25d384d3c4b',
    { kind: 'guardian', subject: 'pending_guardian' },
  ),
  event(
    'submit_timelock',
    'SubmitTimelock(uint256 pending_timelock)',
    '0xb3aa0ade2442acf51d06713c2d1a5a3ec0373cce969d42b53f4689f97bccf380',
    { kind: 'timelock' },
  ),
  event(
    'submit_market_removal',
    `SubmitMarketRemoval(${CALLER}, ${MARKET})`,
    '0x3240fc70754c5a2b4dab10bf7081a00024bfc8491581ee3d355360ec0dd91f16',
    market,
  ),
  event(
    'start_ownership_transfer',
    'OwnershipTransferStarted(address indexed old_owner, address indexed pending_owner)',
    '0x38d16b8cac22d99fc7c124b9cd0de2d3fa1faef420bfe791d8c362d765e22700',
    { kind: 'owner', subject: 'pending_owner' },
  ),
  event(
    'revoke_pending_cap',
    `RevokePendingCap(${CALLER}, ${MARKET})`,
    '0x1026ceca5ed3747eb5edec555732d4a6f901ce1a875ecf981064628cadde1120',
    { ...market, kind: 'cap' },
  ),
  event(
    'revoke_pending_guardian',
    `RevokePendingGuardian(${CALLER})`,
    '0xc40a085ccfa20f5fd518ade5c3a77a7ecbdfbb4c75efcdca6146a8e3c841d663',
    { kind: 'guardian' },
  ),
  event(
    'revoke_pending_timelock',
    `RevokePendingTimelock(${CALLER})`,
    '0x921828337692c347c634c5d2aacbc7b756014674bd236f3cc2058d8e284a951b',
    { kind: 'timelock' },
  ),
  event(
    'revoke_pending_market_removal',
    `RevokePendingMarketRemoval(${CALLER}, ${MARKET})`,
    '0xcbeb8ecdaa5a3c133e62219b63bfc35bce3fda13065d2bed32e3b7dde60a59f4',
    market,
  ),
];

export const VAULT_EVENTS: readonly VaultEvent[] = Object.freeze([
  ...changes,
  ...movements,
  ...announcements,
]);
