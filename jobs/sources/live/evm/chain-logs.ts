// Reads logs of contracts over final blocks. The state of a reading is the last block read without a gap: the next reading starts after it,
// and fails if that block has been replaced. Once a day the last two days are read again, because nodes sometimes omit logs; swaps are not.

import { blocksOf, firstBlockAfter, type Header, readHeader } from './block.ts';
import { type ChainReader, type ChainReading, type ChainTask, lower } from './chain-task.ts';
import { GOVERNOR_TOPICS, governorRows } from './governor-rows.ts';
import { type LogEntry, type LogWindow, logEntries, readLogWindows } from './log-windows.ts';
import type { LogFilter } from './node-log.ts';
import type { BlockRef, Rpc } from './rpc.ts';

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

export interface LogState {
  readonly checkpoint: BlockRef & { readonly timestamp: number };
  /** When the last days were last read again, Unix seconds. */
  readonly swept_at: number;
}

const SWEEP_EVERY_S = 86_400;
const SWEEP_S = 172_800;

type LogReading = Omit<ChainReading, 'rows' | 'missing'> & { readonly logs: readonly LogEntry[] };

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
    logs: windows.flatMap(logEntries),
    exchanges: windows.flatMap(({ exchanges }) => exchanges),
    ...(state === null ? {} : { state }),
  };
}

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
