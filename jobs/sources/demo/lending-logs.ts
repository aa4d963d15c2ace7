// Logs of the vaults of the demo world: the setup of each vault, what happens to some of them in every period, and reallocations between
// markets, three times a day, and every two minutes once a scheduler runs. Logs are encoded as a node returns them; one is removed from
// the chain after it was final.
import { DAY_S } from '../../../platform/base/time.ts';
import { blockAt, blocksIn, timeOf } from './scenario/block.ts';
import { hash, hexDigits } from './scenario/hash.ts';
import { addressOf, curatorAddress, type DemoVault } from './scenario/lending-markets.ts';
import type { Calendar } from './scenario/lending-states.ts';

const REALLOCATION_S = 28_800;
const GENESIS_S = 1_200;
const LIVE_REALLOCATION_S = 120;
/** Live reallocations begin before the first start, so that some are already final by then. */
const LIVE_LEAD_S = 1_800;
const WORD_DIGITS = 64;
const ZERO = `0x${'0'.repeat(40)}`;
const SEED_OF_LOGS = 2_900;
/** Seconds from the block of the removed log to its removal. */
const TAKEN_BACK_AFTER_S = 2_000;
const SILENT_VAULT = 6;
/** The vault whose pending change may be executed so long after the first start. */
const DUE_VAULT = 2;
const DUE_AFTER_S = 600;
/** Vaults from this index on are of another contract, which writes other logs. */
const FIRST_OF_V2 = 8;
const writesLogs = ({ index }: DemoVault) => index !== SILENT_VAULT && index < FIRST_OF_V2;

/** First topics of the events that the demo vaults write. */
const TOPICS = {
  SetCap: '0xe86b6d3313d3098f4c5f689c935de8fde876a597c185def2cedab85efedac686',
  SubmitCap: '0xe851bb5856808a50efd748be463b8f35bcfb5ec74c5bfde776fe0a4d2a26db27',
  RevokePendingCap: '0x1026ceca5ed3747eb5edec555732d4a6f901ce1a875ecf981064628cadde1120',
  SetFee: '0x01fe2943baee27f47add82886c2200f910c749c461c9b63c5fe83901a53bdb49',
  SetCurator: '0xbd0a63c12948fbc9194a5839019f99c9d71db924e5c70018265bc778b8f1a506',
  SetGuardian: '0xcb11cc8aade2f5a556749d1b2380d108a16fac3431e6a5d5ce12ef9de0bd76e3',
  SetIsAllocator: '0x74dc60cbc81a9472d04ad1d20e151d369c41104d655ed3f2f3091166a502cd8d',
  SetTimelock: '0xd28e9b90ee9b37c5936ff84392d71f29ff18117d7e76bcee60615262a90a3f75',
  SubmitTimelock: '0xb3aa0ade2442acf51d06713c2d1a5a3ec0373cce969d42b53f4689f97bccf380',
  SetSupplyQueue: '0x6ce31538fc7fba95714ddc8a275a09252b4b1fb8f33d2550aa58a5f62ad934de',
  SetWithdrawQueue: '0xe0c2db6b54586be6d7d49943139fccf0dd315ba63e55364a76c73cd8fdba724d',
  ReallocateSupply: '0x89bf199df65bf65155e3e0a8abc4ad4a1be606220c8295840dba2ab5656c1f6d',
  ReallocateWithdraw: '0xdd8bf5226dff861316e0fa7863fdb7dc7b87c614eb29a135f524eb79d5a1189a',
  OwnershipTransferred: '0x8be0079c531659141344cd1fd0a4f28419497f9722a3daafe3b4186f6b6457e0',
  UpdateLostAssets: '0x548669ea9bcc24888e6d74a69c9865fa98d795686853b8aa3eb87814261bbb71',
} as const;

interface WrittenLog {
  readonly event: keyof typeof TOPICS;
  readonly indexed: readonly string[];
  readonly data: readonly (string | number | bigint)[];
}

export interface DemoLog extends WrittenLog {
  readonly vault: DemoVault;
  readonly block: number;
  readonly log_index: number;
  readonly removed_at: number | null;
}

const percent = (share: number) => BigInt(share) * 10n ** 16n;
const units = (amount: number) => BigInt(amount) * 10n ** 6n;
/** A list as ABI words: offset, length, members. */
const list = (ids: readonly string[]) => [32, ids.length, ...ids];

function setUp(seed: number, vault: DemoVault): readonly WrittenLog[] {
  const { owner, markets, index } = vault;
  const ids = markets.map(({ market_id }) => market_id);
  return [
    { event: 'OwnershipTransferred', indexed: [ZERO, owner], data: [] },
    { event: 'SetTimelock', indexed: [owner], data: [DAY_S] },
    { event: 'SetCurator', indexed: [curatorAddress(seed, index)], data: [] },
    { event: 'SetGuardian', indexed: [owner, guardian(seed, 0)], data: [] },
    { event: 'SetIsAllocator', indexed: [allocator(seed, index)], data: [1] },
    { event: 'SetFee', indexed: [owner], data: [percent(10)] },
    ...ids.map((id): WrittenLog => ({ event: 'SetCap', indexed: [owner, id], data: [units(1_000_000)] })),
    { event: 'SetSupplyQueue', indexed: [owner], data: list(ids) },
    { event: 'SetWithdrawQueue', indexed: [owner], data: list(ids) },
  ];
}

const guardian = (seed: number, turn: number) => addressOf(seed, SEED_OF_LOGS + 10 + turn);
const allocator = (seed: number, turn: number) => addressOf(seed, SEED_OF_LOGS + 30 + turn);

interface Act {
  /** Position in a period, as a fraction. */
  readonly at: number;
  readonly vault: number;
  readonly isTakenBack?: boolean;
  write(seed: number, vault: DemoVault, period: number): WrittenLog;
}

const firstMarket = ({ markets }: DemoVault) => markets[0]?.market_id ?? ZERO;
const lastMarket = ({ markets }: DemoVault) => markets.at(-1)?.market_id ?? ZERO;

export const ACTS: readonly Act[] = [
  { at: 0.1, vault: 0, write: (_, vault, period) => capOf(vault, 2_000_000 + period) },
  { at: 0.15, vault: 7, write: (_, vault, period) => capOf(vault, 500_000 + period) },
  {
    at: 0.2,
    vault: 2,
    write: (_, { owner }, period) => ({
      event: 'SetFee',
      indexed: [owner],
      data: [percent(11 + (period % 4))],
    }),
  },
  {
    at: 0.45,
    vault: 4,
    write: (seed, { index }, period) => ({
      event: 'SetCurator',
      indexed: [curatorAddress(seed, index + 1 + period)],
      data: [],
    }),
  },
  {
    at: 0.5,
    vault: 1,
    write: (seed, { owner }, period) => ({
      event: 'SetGuardian',
      indexed: [owner, guardian(seed, 1 + (period % 9))],
      data: [],
    }),
  },
  {
    at: 0.52,
    vault: 0,
    write: (seed, { index }, period) => ({
      event: 'SetIsAllocator',
      indexed: [allocator(seed, index)],
      data: [period % 2],
    }),
  },
  { at: 0.53, vault: 3, write: () => ({ event: 'SubmitTimelock', indexed: [], data: [3 * DAY_S] }) },
  {
    at: 0.58,
    vault: 3,
    write: (_, { owner }, period) => ({
      event: 'SetTimelock',
      indexed: [owner],
      data: [(3 + (period % 2)) * DAY_S],
    }),
  },
  { at: 0.6, vault: 0, write: (_, vault) => queueOf('SetSupplyQueue', vault) },
  { at: 0.62, vault: 0, write: (_, vault) => queueOf('SetWithdrawQueue', vault) },
  {
    at: 0.7,
    vault: 5,
    write: (seed, { owner }, period) => ({
      event: 'OwnershipTransferred',
      indexed: [owner, addressOf(seed, SEED_OF_LOGS + 50 + (period % 9))],
      data: [],
    }),
  },
  {
    at: 0.75,
    vault: 2,
    write: (_, __, period) => ({ event: 'UpdateLostAssets', indexed: [], data: [units(12 + period)] }),
  },
  // Delayed changes: one that is executed after its timelock, and one that is revoked.
  { at: 0.01, vault: 0, write: (_, vault, period) => delayedCapOf('SubmitCap', vault, 3_000_000 + period) },
  { at: 0.5, vault: 0, write: (_, vault, period) => delayedCapOf('SetCap', vault, 3_000_000 + period) },
  { at: 0.3, vault: 1, write: (_, vault, period) => delayedCapOf('SubmitCap', vault, 4_000_000 + period) },
  {
    at: 0.4,
    vault: 1,
    write: (_, vault) => ({
      event: 'RevokePendingCap',
      indexed: [vault.owner, lastMarket(vault)],
      data: [],
    }),
  },
  { at: 0.8, vault: 1, isTakenBack: true, write: (_, vault, period) => capOf(vault, 9_000_000 + period) },
];

const capOf = (vault: DemoVault, amount: number): WrittenLog => ({
  event: 'SetCap',
  indexed: [vault.owner, firstMarket(vault)],
  data: [units(amount)],
});

/** Of the last market, about which nothing else happens. */
const delayedCapOf = (event: 'SubmitCap' | 'SetCap', vault: DemoVault, amount: number): WrittenLog => ({
  event,
  indexed: [vault.owner, lastMarket(vault)],
  data: [units(amount)],
});

const queueOf = (
  event: 'SetSupplyQueue' | 'SetWithdrawQueue',
  { owner, markets }: DemoVault,
): WrittenLog => ({
  event,
  indexed: [owner],
  data: list(markets.map(({ market_id }) => market_id).toReversed()),
});

/** Every log whose block, or whose removal, is after `from` and not after `to` (Unix seconds). */
export function* logsIn(
  vaults: readonly DemoVault[],
  calendar: Calendar,
  { from, to }: { readonly from: number; readonly to: number },
): Generator<DemoLog> {
  const isNew = ({ block, removed_at }: DemoLog) =>
    isWithin(timeOf(block)) || (removed_at !== null && isWithin(removed_at));
  const isWithin = (at: number) => at > from && at <= to;
  for (const vault of vaults) {
    if (!writesLogs(vault)) continue;
    const block = blockAt(calendar.start + GENESIS_S * (1 + vault.index));
    const logs = setUp(calendar.seed, vault).map((one, log_index) => ({
      ...one,
      vault,
      block,
      log_index,
      removed_at: null,
    }));
    yield* logs.filter(isNew);
  }
  yield* [...actsIn(vaults, calendar, { from, to })].filter(isNew);
  yield* [...movementsIn(vaults, calendar, { from, to })].filter(isNew);
  yield* [...liveMovementsIn(vaults, calendar, { from, to })].filter(isNew);
  yield* [...dueChange(vaults, calendar)].filter(isNew);
}

type Span = { readonly from: number; readonly to: number };

function* actsIn(vaults: readonly DemoVault[], calendar: Calendar, { from, to }: Span): Generator<DemoLog> {
  const { seed, start, period_s, hasIncidents } = calendar;
  if (!hasIncidents) return;
  const first = Math.max(0, Math.floor((from - start - TAKEN_BACK_AFTER_S) / period_s));
  for (let period = first; start + period * period_s <= to; period++) {
    for (const act of ACTS) {
      const vault = vaults[act.vault];
      if (vault === undefined) continue;
      const block = blockAt(start + (period + act.at) * period_s);
      const removed_at = act.isTakenBack === true ? timeOf(block + blocksIn(TAKEN_BACK_AFTER_S)) : null;
      yield { ...act.write(seed, vault, period), vault, block, log_index: act.vault, removed_at };
    }
  }
}

/** Reallocations of the first vault, three times a day. */
function* movementsIn(
  vaults: readonly DemoVault[],
  { seed, start }: Calendar,
  { from, to }: Span,
): Generator<DemoLog> {
  const [vault] = vaults;
  if (vault === undefined || vault.markets.length < 2) return;
  const first = Math.max(1, Math.floor((from - start) / REALLOCATION_S));
  for (let turn = first; start + turn * REALLOCATION_S <= to; turn++)
    yield* movement(seed, vault, { at: start + turn * REALLOCATION_S, turn, log_index: 40 });
}

/** Reallocations every two minutes since the first start, on each vault in turn. */
function* liveMovementsIn(
  vaults: readonly DemoVault[],
  { seed, liveFrom }: Calendar,
  { from, to }: Span,
): Generator<DemoLog> {
  const movable = vaults.filter((vault) => writesLogs(vault) && vault.markets.length > 1);
  if (liveFrom === null || movable.length === 0) return;
  const first = Math.floor(Math.max(from, liveFrom - LIVE_LEAD_S) / LIVE_REALLOCATION_S);
  for (let turn = first; turn * LIVE_REALLOCATION_S <= to; turn++) {
    const vault = movable[turn % movable.length];
    if (vault !== undefined)
      yield* movement(seed, vault, { at: turn * LIVE_REALLOCATION_S, turn, log_index: 60 });
  }
}

/** A cap submitted so that it may be executed ten minutes after the first start. */
function* dueChange(vaults: readonly DemoVault[], { liveFrom }: Calendar): Generator<DemoLog> {
  const vault = vaults[DUE_VAULT];
  if (liveFrom === null || vault === undefined) return;
  const block = blockAt(liveFrom + DUE_AFTER_S - DAY_S);
  yield { ...delayedCapOf('SubmitCap', vault, 5_000_000), vault, block, log_index: 80, removed_at: null };
}

/** Moves an amount out of one market and into the next, in one transaction. */
function* movement(
  seed: number,
  vault: DemoVault,
  {
    at,
    turn,
    log_index,
  }: {
    /** Unix seconds. */
    readonly at: number;
    readonly turn: number;
    /** Index of the first of its two logs. */
    readonly log_index: number;
  },
): Generator<DemoLog> {
  const amount = units(1_000 + (hash(seed, SEED_OF_LOGS + turn) % 90_000));
  for (const [step, event] of (['ReallocateWithdraw', 'ReallocateSupply'] as const).entries()) {
    const market = vault.markets[(turn + step) % vault.markets.length]?.market_id ?? ZERO;
    yield {
      event,
      indexed: [allocator(seed, vault.index), market],
      data: [amount, amount * 1_000_000n],
      vault,
      block: blockAt(at),
      log_index: log_index + step,
      removed_at: null,
    };
  }
}

const word = (value: string | number | bigint): string =>
  (typeof value === 'string' ? value.slice(2) : value.toString(16)).padStart(WORD_DIGITS, '0');

/** The four topics, null if absent. */
export const topicsOf = ({ event, indexed }: WrittenLog): readonly (string | null)[] => {
  const topics = [TOPICS[event], ...indexed.map((value) => `0x${word(value)}`)];
  return [0, 1, 2, 3].map((index) => topics[index] ?? null);
};

export const dataOf = ({ data }: WrittenLog): string => `0x${data.map(word).join('')}`;

export const blockHash = (seed: number, block: number): string =>
  `0x${hexDigits(hash(hash(seed, SEED_OF_LOGS), block), WORD_DIGITS)}`;

/** All logs of one block and vault come from one transaction. */
export const txHash = (seed: number, { block, vault }: DemoLog): string =>
  `0x${hexDigits(hash(hash(seed, SEED_OF_LOGS + 1 + vault.index), block), WORD_DIGITS)}`;
