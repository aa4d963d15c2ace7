// Reads logs of vaults and of their adapters, which have timelocks of their own: over final blocks, or up to the newest block. Blocks that are
// final when following begins, or after a long pause, are read by ranges. From there on a ring of blocks follows the chain, and logs of
// replaced blocks are delivered again as removed. The ring is the state of a reading.

import type { MissingSubject } from '../fetch/recording.ts';
import { blocksOf, firstBlockAfter, type Header, readHead, readHeader } from './block.ts';
import { ChainFault } from './chain-fault.ts';
import { type LogState, logsOf } from './chain-logs.ts';
import type { ChainReader, ChainReading, ChainTask } from './chain-task.ts';
import { FOLLOW_DEPTHS, type FollowState, follow, type Orphan, type RingBlock } from './log-ring.ts';
import { vaultLogRow } from './log-rows.ts';
import { type LogEntry, logEntries, readLogWindows } from './log-windows.ts';
import { readCalls } from './multicall.ts';
import type { LogFilter } from './node-log.ts';
import type { Exchange, Rpc } from './rpc.ts';
import { type ListState, listVaults, type VaultList } from './vaults/listed-vaults.ts';
import {
  type AdapterLists,
  type AdapterParents,
  type AdapterState,
  readAdapters,
  withAdded,
} from './vaults/vault-adapters.ts';

interface RingState extends FollowState, VaultState {
  /** First block of the ring when it began; all blocks below it were final. */
  readonly began: number;
}

interface FollowTask extends ChainTask, VaultFilter {}

interface ChainChanges {
  readonly added: LogEntry[];
  readonly removed: { readonly logs: LogEntry[]; readonly removedAt: number }[];
  readonly exchanges: Exchange[];
}

/** Over final blocks alone. */
export const readVaultLogs: ChainReader = async (rpc, task) => {
  const { filter, reading } = await vaultFilter(rpc, task);
  const { logs, state, exchanges } = await logsOf(rpc, task, filter);
  const { adapters = {} } = reading.state;
  const after = withAdded(
    reading.state,
    logs.map(({ log }) => log),
  );
  return {
    exchanges: [...reading.exchanges, ...exchanges],
    ...(state === undefined ? {} : { state: { ...(state as LogState), vaults: filter.addresses, ...after } }),
    rows: logs.map(({ log, time }) => vaultLogRow(task.name, log, { time, adapters })),
    missing: reading.missing,
  };
};

export const followVaultLogs: ChainReader = async (rpc, given) => {
  const task = { ...given, ...(await vaultFilter(rpc, given)) };
  if (task.window.urgency === 'history') return readFinal(rpc, task);
  const changes: ChainChanges = { added: [], removed: [], exchanges: [...task.reading.exchanges] };
  await readPastOfNew(rpc, task, changes);
  const begun = await begin(rpc, task, changes);
  const state = await followTo(rpc, { task, state: begun, head: task.head }, changes);
  const logs = changes.added.map(({ log }) => log);
  const adapters = withAdded(task.reading.state, logs);
  return readingOf(task, changes, { ...state, vaults: task.filter.addresses, ...adapters });
};

/** Reads vaults that have joined as far back as the others, up to where the ring continues. */
async function readPastOfNew(rpc: Rpc, task: FollowTask, changes: ChainChanges): Promise<void> {
  const before = task.state as RingState | null;
  const [known, newest] = [before?.vaults, before?.ring.at(-1)];
  if (known === undefined || newest === undefined) return;
  const addresses = task.filter.addresses.filter((one) => !known.includes(one));
  if (addresses.length === 0) return;
  const first = await firstBlockAfter(rpc, task.window.to - task.historyS, task.head);
  if (first === null || first.number > newest.number) return;
  const joined = { ...task, filter: { ...task.filter, addresses } };
  const to = await readHeader(rpc, newest.number);
  await readRange(rpc, { task: joined, from: first.number, to }, changes);
}

/** Follows the chain step by step, because one step of the ring is limited. */
async function followTo(
  rpc: Rpc,
  { task, state, head }: { readonly task: FollowTask; readonly state: RingState; readonly head: Header },
  changes: ChainChanges,
): Promise<RingState> {
  const plan = { filter: task.filter, head, from: state.began, now: task.now() };
  const step = await follow(rpc, state, plan);
  take(changes, step);
  const next = { ...step.state, began: state.began };
  const isThere = step.added.length === 0 || next.ring.at(-1)?.number === head.number;
  return isThere ? next : followTo(rpc, { task, state: next, head }, changes);
}

/** The ring to continue with: that of the last reading, or a new one above the final block. */
async function begin(rpc: Rpc, task: FollowTask, changes: ChainChanges): Promise<RingState> {
  const before = task.state as RingState | null;
  const newest = before?.ring.at(-1);
  if (before !== null && newest !== undefined && task.head.number - newest.number <= FOLLOW_DEPTHS.ring)
    return before;
  if (before !== null && newest !== undefined) return rejoin(rpc, { task, before, newest }, changes);
  const final = await readHead(rpc, 'finalized');
  const range = await blocksOf(rpc, task.window, final);
  if (range !== null) await readRange(rpc, { task, from: range.first, to: final }, changes);
  return { ring: [], orphans: [], began: final.number + 1 };
}

/** After a pause longer than the ring: settles what the ring left open, then reads by ranges what has since become final. */
async function rejoin(
  rpc: Rpc,
  {
    task,
    before,
    newest,
  }: { readonly task: FollowTask; readonly before: RingState; readonly newest: RingBlock },
  changes: ChainChanges,
): Promise<RingState> {
  const final = await readHead(rpc, 'finalized');
  if (final.number <= newest.number) return before;
  const head = await readHeader(rpc, newest.number);
  const settled = await followTo(rpc, { task, state: before, head }, changes);
  for (const orphan of settled.orphans) {
    if (orphan.isReported) continue;
    const { hash } = await readHeader(rpc, orphan.number);
    if (hash !== orphan.hash) takeRemoved(changes, orphan);
  }
  await readRange(rpc, { task, from: newest.number + 1, to: final }, changes);
  return { ring: [], orphans: [], began: final.number + 1 };
}

async function readRange(
  rpc: Rpc,
  { task, from, to }: { readonly task: FollowTask; readonly from: number; readonly to: Header },
  changes: ChainChanges,
): Promise<void> {
  const plan = { filter: task.filter, from, head: to, checkpoint: null };
  for await (const window of readLogWindows(rpc, plan)) {
    changes.added.push(...logEntries(window));
    changes.exchanges.push(...window.exchanges);
  }
}

const entriesOfBlock = ({ logs, timestamp }: RingBlock): LogEntry[] =>
  logs.map((log) => ({ log, time: timestamp }));

function take(
  changes: ChainChanges,
  { added, removed, exchanges }: Awaited<ReturnType<typeof follow>>,
): void {
  changes.added.push(...added.flatMap(entriesOfBlock));
  for (const orphan of removed) takeRemoved(changes, orphan);
  changes.exchanges.push(...exchanges);
}

const takeRemoved = (changes: ChainChanges, orphan: Orphan) =>
  changes.removed.push({ logs: entriesOfBlock(orphan), removedAt: Math.floor(orphan.goneAt) });

/** Reads a window of the past, below the final block. */
async function readFinal(rpc: Rpc, task: FollowTask): Promise<ChainReading> {
  const changes: ChainChanges = { added: [], removed: [], exchanges: [] };
  const range = await blocksOf(rpc, task.window, task.head);
  const top =
    range === null || range.last === task.head.number ? task.head : await readHeader(rpc, range.last);
  if (range !== null) await readRange(rpc, { task, from: range.first, to: top }, changes);
  return readingOf(task, changes, task.state);
}

function readingOf(
  { name, reading }: FollowTask,
  { added, removed, exchanges }: ChainChanges,
  state: unknown,
): ChainReading {
  const { adapters = {} } = reading.state;
  return {
    rows: [
      ...added.map(({ log, time }) => vaultLogRow(name, log, { time, adapters })),
      ...removed.flatMap(({ logs, removedAt }) =>
        logs.map(({ log, time }) => vaultLogRow(name, log, { time, removedAt, adapters })),
      ),
    ],
    exchanges,
    missing: reading.missing,
    ...(state === null ? {} : { state }),
  };
}

/** The vaults and adapters whose logs a reading has read, kept in its state. */
interface VaultState extends AdapterState, ListState {
  readonly vaults?: readonly string[];
}

interface VaultFilter {
  readonly filter: LogFilter;
  readonly reading: AdapterReading;
}

/**
 * Matches all logs of the vaults and their adapters, or those with the topics of the source. A vault that was listed once is read from then
 * on, because a list may be incomplete, and a vault that was taken off it still has depositors.
 */
async function vaultFilter(rpc: Rpc, task: ChainTask): Promise<VaultFilter> {
  const { directory, topics } = task.chain;
  const state = task.state as VaultState | null;
  const list = await listVaults(rpc, task);
  const before = (state?.vaults ?? []).filter((one) => !(one in (state?.adapters ?? {})));
  const vaults = [...new Set([...(directory === undefined ? [] : before), ...list.vaults])];
  const isNew = vaults.some((one) => !before.includes(one));
  const reading = await adaptersOf(rpc, { state, head: task.head, vaults, isNew, list });
  const addresses = [...new Set([...vaults, ...Object.keys(reading.state.adapters ?? {})])];
  return { filter: { addresses, topics: topics === undefined ? [] : [topics] }, reading };
}

const ADAPTERS_EVERY_S = 86_400;

interface AdapterReading {
  readonly state: AdapterState & ListState;
  readonly exchanges: readonly Exchange[];
  /** Why the adapters could not be read. */
  readonly missing: readonly MissingSubject[];
}

/** Reads adapters when a vault has joined, and once a day. An adapter that was removed stays, because its timelocks still run. */
async function adaptersOf(
  rpc: Rpc,
  {
    state,
    head,
    vaults,
    isNew,
    list,
  }: {
    readonly state: AdapterState | null;
    readonly head: Header;
    readonly vaults: readonly string[];
    readonly isNew: boolean;
    readonly list: VaultList;
  },
): Promise<AdapterReading> {
  const { adapters_read_at = 0 } = state ?? {};
  const adapters = { ...state?.adapters, ...adaptersMade(list, vaults) };
  if (!isNew && head.timestamp < adapters_read_at + ADAPTERS_EVERY_S)
    return { ...list, state: { ...list.state, adapters, adapters_read_at } };
  try {
    const { value, exchanges } = await readCalls(rpc, { head }, (ask) => readAdapters(ask, vaults));
    const missing = value.missing.map(({ id, why }) => ({ subject: id, reason: why }));
    return {
      state: {
        ...list.state,
        adapters: { ...adapters, ...parentsIn(value) },
        // Vaults of which not all can be read are named in every reading until they can.
        adapters_read_at: missing.length === 0 ? head.timestamp : adapters_read_at,
      },
      exchanges: [...list.exchanges, ...exchanges],
      missing: [...list.missing, ...missing],
    };
  } catch (error) {
    // Logs need no Multicall3, which some chains lack.
    if (!(error instanceof ChainFault) || error.kind !== 'pruned') throw error;
    const missing = [...list.missing, { subject: 'adapters of vaults', reason: error.message }];
    return { ...list, state: { ...list.state, adapters, adapters_read_at }, missing };
  }
}

const parentsIn = ({ byVault }: AdapterLists): AdapterParents =>
  Object.fromEntries([...byVault].flatMap(([vault, own]) => own.map((adapter) => [adapter, vault])));

/** Those that a factory made for one of the vaults, whether or not it uses them. */
const adaptersMade = ({ state }: VaultList, vaults: readonly string[]) =>
  Object.fromEntries(
    Object.entries(state.factory_vaults?.adapters ?? {}).filter(([, parent]) => vaults.includes(parent)),
  );
