// Reads logs of contracts over final blocks. The state of a reading is the last block read without a gap: the next reading starts after it,
// and fails if that block has been replaced. Once a day the last two days are read again, because nodes sometimes omit logs; swaps are not.
import { type ChainReading, type ChainTask, lower, type ChainReader, vaultsOf } from './chain-task.ts';
import { blocksOf, firstBlockAfter, type Header, readHeader } from './block.ts';
import { ChainFault } from './chain-fault.ts';
import { GOVERNOR_TOPICS, governorRows } from './governor-rows.ts';
import { vaultLogRow } from './log-rows.ts';
import { type LogWindow, readLogWindows } from './log-windows.ts';
import { readCalls } from './multicall.ts';
import type { LogFilter, NodeLog } from './node-log.ts';
import type { BlockRef, Exchange, Rpc } from './rpc.ts';
import type { MissingSubject } from '../fetch/recording.ts';
import { type AdapterState, readAdapters, withAdded } from './vaults/vault-adapters.ts';

export const readVaultLogs: ChainReader = async (rpc, task) => {
  const { filter, known } = await vaultFilter(rpc, task);
  const { logs, state, exchanges } = await logsOf(rpc, task, filter);
  const { adapters = {} } = known.state;
  const after = withAdded(
    known.state,
    logs.map(({ log }) => log),
  );
  return {
    exchanges: [...known.exchanges, ...exchanges],
    ...(state === undefined ? {} : { state: { ...(state as LogState), vaults: filter.addresses, ...after } }),
    rows: logs.map(({ log, time }) => vaultLogRow(task.name, log, { time, adapters })),
    missing: known.missing,
  };
};

/** Protocol, decimals and seconds between blocks are constants of the mapping. */
export const readGovernorLogs: ChainReader = async (rpc, task) => {
  const filter = { addresses: lower(task.chain.contracts), topics: [GOVERNOR_TOPICS] };
  const { logs, ...reading } = await logsOf(rpc, task, filter);
  const facts = { protocol: '', decimals: 0, blockSeconds: 0 };
  const rows = logs.map(({ log, time }) => governorRows(log, time, facts));
  const missing = logs
    .filter((_, index) => rows[index]?.length === 0)
    .map(({ log }) => ({
      subject: log.transactionHash,
      reason: `log ${log.logIndex} does not match the declaration of its event`,
    }));
  return { ...reading, rows: rows.flat(), missing };
};

/** The vaults and adapters whose logs a reading has read, kept in its state. */
export interface VaultState extends AdapterState {
  readonly vaults?: readonly string[];
}

export interface VaultFilter {
  readonly filter: LogFilter;
  readonly known: KnownAdapters;
}

/**
 * Matches all logs of the vaults and their adapters, or those with the topics of the source. A vault that was listed once is read from then
 * on, because a list may be incomplete, and a vault that was taken off it still has depositors.
 */
export async function vaultFilter(rpc: Rpc, task: ChainTask): Promise<VaultFilter> {
  const { directory, topics } = task.chain;
  const state = task.state as VaultState | null;
  const before = (state?.vaults ?? []).filter((one) => !(one in (state?.adapters ?? {})));
  const vaults = [...new Set([...(directory === undefined ? [] : before), ...(await vaultsOf(task))])];
  const isNew = vaults.some((one) => !before.includes(one));
  const known = await adaptersOf(rpc, { state, head: task.head, vaults, isNew });
  const addresses = [...new Set([...vaults, ...Object.keys(known.state.adapters ?? {})])];
  return { filter: { addresses, topics: topics === undefined ? [] : [topics] }, known };
}

const ADAPTERS_EVERY_S = 86_400;

interface KnownAdapters {
  readonly state: AdapterState;
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
  }: {
    readonly state: AdapterState | null;
    readonly head: Header;
    readonly vaults: readonly string[];
    readonly isNew: boolean;
  },
): Promise<KnownAdapters> {
  const { adapters = {}, adapters_read_at = 0 } = state ?? {};
  if (!isNew && head.timestamp < adapters_read_at + ADAPTERS_EVERY_S)
    return { state: { adapters, adapters_read_at }, exchanges: [], missing: [] };
  try {
    const { value, exchanges } = await readCalls(rpc, { head }, (ask) => readAdapters(ask, vaults));
    const found = [...value].flatMap(([vault, own]) =>
      own.map((adapter): [string, string] => [adapter, vault]),
    );
    const all = { ...adapters, ...Object.fromEntries(found) };
    return { state: { adapters: all, adapters_read_at: head.timestamp }, exchanges, missing: [] };
  } catch (error) {
    // Logs need no Multicall3, which some chains lack.
    if (!(error instanceof ChainFault) || error.kind !== 'pruned') throw error;
    const missing = [{ subject: 'adapters of vaults', reason: error.message }];
    return { state: { adapters, adapters_read_at }, exchanges: [], missing };
  }
}

interface LogState {
  readonly checkpoint: BlockRef & { readonly timestamp: number };
  /** When the last days were last read again, Unix seconds. */
  readonly swept_at: number;
}

const SWEEP_EVERY_S = 86_400;
const SWEEP_S = 172_800;

export interface TimedLog {
  readonly log: NodeLog;
  /** Time of its block, Unix seconds. */
  readonly time: number;
}

type LogReading = Omit<ChainReading, 'rows' | 'missing'> & { readonly logs: readonly TimedLog[] };

/** Logs of the blocks of a window, with their times. */
export async function logsOf(
  rpc: Rpc,
  task: ChainTask,
  filter: LogFilter,
  { isSwept }: { readonly isSwept: boolean } = { isSwept: true },
): Promise<LogReading> {
  const { window, head } = task;
  const before = task.state as LogState | null;
  const plan = await planOf(rpc, task, { state: before, isSwept });
  if (plan === null) return { logs: [], exchanges: [], ...(before === null ? {} : { state: before }) };
  const top = plan.last === head.number ? head : await readHeader(rpc, plan.last);
  const windows: LogWindow[] = await Array.fromAsync(
    readLogWindows(rpc, { filter, from: plan.first, head: top, checkpoint: plan.checkpoint }),
  );
  const state = stateAfter(before, plan, { top, isTip: window.urgency === 'tip' });
  return {
    logs: windows.flatMap(timedLogs),
    exchanges: windows.flatMap(({ exchanges }) => exchanges),
    ...(state === null ? {} : { state }),
  };
}

export const timedLogs = ({ logs, times }: Pick<LogWindow, 'logs' | 'times'>): TimedLog[] =>
  logs.map((log) => ({ log, time: log.blockTimestamp ?? times.get(log.blockNumber) ?? 0 }));

interface Plan {
  readonly first: number;
  readonly last: number;
  readonly checkpoint: BlockRef | null;
  readonly sweptAt: number;
}

/** Null if there is no block to read. */
async function planOf(
  rpc: Rpc,
  { window, head }: ChainTask,
  { state, isSwept }: { readonly state: LogState | null; readonly isSwept: boolean },
): Promise<Plan | null> {
  if (state === null || window.urgency !== 'tip' || state.checkpoint.timestamp < window.from) {
    const range = await blocksOf(rpc, window, head);
    return range === null ? null : { ...range, checkpoint: null, sweptAt: head.timestamp };
  }
  const { checkpoint, swept_at } = state;
  if (!isSwept || head.timestamp < swept_at + SWEEP_EVERY_S) {
    const next = { first: checkpoint.number + 1, last: head.number, sweptAt: swept_at };
    return head.number <= checkpoint.number ? null : { ...next, checkpoint };
  }
  const first = await firstBlockAfter(rpc, head.timestamp - SWEEP_S, head);
  return { first: first?.number ?? head.number, last: head.number, checkpoint, sweptAt: head.timestamp };
}

function stateAfter(
  before: LogState | null,
  { sweptAt }: Plan,
  { top, isTip }: { readonly top: Header; readonly isTip: boolean },
): LogState | null {
  if (!isTip) return before;
  const { number, hash, timestamp } = top;
  return { checkpoint: { number, hash, timestamp }, swept_at: sweptAt };
}
