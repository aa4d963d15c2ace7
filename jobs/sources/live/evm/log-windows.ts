// Reads the logs of a filter over a range of final blocks, window by window: each window is complete or an error. The node's hash of the
// last block is compared before and after, so that logs of two versions of the chain never mix.
import { keccak256 } from '../../../../platform/base/contract-abi.ts';
import { type Header, readHeader } from './block.ts';
import { ChainFault } from './chain-fault.ts';
import { toHex } from './hex.ts';
import { type LogFilter, type LogRange, logsOf, type NodeLog } from './node-log.ts';
import {
  type BlockRef,
  type Exchange,
  type Refusal,
  type Rpc,
  RpcError,
  recordingRpc,
  refusalOf,
} from './rpc.ts';

export interface LogPlan {
  readonly filter: LogFilter;
  /** First block. */
  readonly from: number;
  /** Last block, from the same node. */
  readonly head: Header;
  /** The last block of an earlier reading, which must not have changed. */
  readonly checkpoint: BlockRef | null;
  readonly sizes?: RangeSizes;
}

/** One complete range of blocks. */
export interface LogWindow {
  readonly from: number;
  readonly to: Header;
  readonly logs: readonly NodeLog[];
  /** Times of blocks whose logs came without one, Unix seconds. */
  readonly times: ReadonlyMap<number, number>;
  readonly exchanges: readonly Exchange[];
}

export interface LogEntry {
  readonly log: NodeLog;
  /** Time of its block, Unix seconds. */
  readonly time: number;
}

export const logEntries = ({ logs, times }: Pick<LogWindow, 'logs' | 'times'>): LogEntry[] =>
  logs.map((log) => ({ log, time: log.blockTimestamp ?? times.get(log.blockNumber) ?? 0 }));

/** Attempts to read one window before a change of its blocks is an error. */
const TRIES = 3;

/**
 * Windows in ascending order, without holes. While one is processed, the next is already requested.
 * @throws ChainFault, RpcError
 */
export async function* readLogWindows(rpc: Rpc, plan: LogPlan): AsyncGenerator<LogWindow> {
  await checkCheckpoint(rpc, plan);
  const range = new RangeSize(plan.sizes ?? RANGE_SIZES);
  const ask = (from: number) => (from > plan.head.number ? null : readFrom(rpc, { ...plan, from }, range));
  for (let next = ask(plan.from); next !== null; ) {
    const window: LogWindow = await next;
    next = ask(window.to.number + 1);
    // A failure surfaces when the window is awaited, which may never happen.
    next?.catch(() => {});
    yield window;
  }
}

/** The window at the start of the plan, as long as the node allows. */
async function readFrom(rpc: Rpc, plan: LogPlan, range: RangeSize): Promise<LogWindow> {
  for (;;) {
    const last = Math.min(plan.from + range.size - 1, plan.head.number);
    try {
      const window = await steadily(() => readWindow(rpc, plan, last));
      range.succeeded();
      return window;
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      narrow(range, error, { from: plan.from, last });
    }
  }
}

async function checkCheckpoint(rpc: Rpc, { checkpoint }: LogPlan): Promise<void> {
  if (checkpoint === null) return;
  const { hash } = await readHeader(rpc, checkpoint.number);
  if (hash === checkpoint.hash) return;
  throw new ChainFault(
    'rewritten',
    `block ${checkpoint.number} was read as ${checkpoint.hash} and is ${hash} now: rows read below it may belong to replaced blocks. ` +
      'Check the node, then read the range again.',
  );
}

/** @throws the node's refusal if fewer blocks cannot help */
function narrow(range: RangeSize, error: RpcError, { from, last }: { from: number; last: number }): void {
  const refusal = refusalOf(error);
  if (refusal.kind === 'ahead')
    throw new ChainFault('ahead', `the node does not have blocks ${from} to ${last} yet.`, error);
  if (refusal.kind === 'pruned')
    throw new ChainFault(
      'pruned',
      `the node no longer has blocks ${from} to ${last}: ${error.message}.`,
      error,
    );
  if (refusal.kind === 'busy') throw error;
  if (!range.refused(last - from + 1, refusal))
    throw new ChainFault(
      'refused',
      `the node refuses even the logs of block ${from} alone: ${error.message}.`,
      error,
    );
}

async function steadily<T>(read: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof ChainFault) || error.kind !== 'moved' || attempt >= TRIES) throw error;
    }
  }
}

async function readWindow(node: Rpc, { filter, from, head }: LogPlan, last: number): Promise<LogWindow> {
  const { rpc, exchanges } = recordingRpc(node);
  const to = await readHeader(rpc, last);
  if (last === head.number && to.hash !== head.hash)
    throw new ChainFault('moved', `block ${last} is no longer the head that was read.`);
  const logs = await readRange(rpc, { filter, from, to });
  await checkLastBlock(rpc, { filter, to, logs });
  const times = await readTimes(rpc, logs, to);
  const after = await readHeader(rpc, last);
  if (after.hash !== to.hash)
    throw new ChainFault('moved', `block ${last} changed while its logs were read.`);
  return { from, to, logs, times, exchanges };
}

/** One call. To nodes an empty list of addresses means every address, so it is never sent. */
export async function readRange(rpc: Rpc, range: LogRange): Promise<readonly NodeLog[]> {
  const { filter, from, to } = range;
  if (filter.addresses.length === 0) return [];
  const { result } = await rpc('eth_getLogs', [
    { fromBlock: toHex(from), toBlock: toHex(to.number), address: filter.addresses, topics: filter.topics },
  ]);
  return logsOf(result, range);
}

/** Nodes have returned no logs for a block that they had only just received; its bloom filter shows when to request it alone. */
export async function checkLastBlock(
  rpc: Rpc,
  {
    filter,
    to,
    logs,
  }: { readonly filter: LogFilter; readonly to: Header; readonly logs: readonly NodeLog[] },
): Promise<void> {
  if (logs.some(({ blockNumber }) => blockNumber === to.number) || !mayContain(to.logsBloom, filter)) return;
  const { result } = await rpc('eth_getLogs', [
    { blockHash: to.hash, address: filter.addresses, topics: filter.topics },
  ]);
  if (logsOf(result, { filter, from: to.number, to }).length > 0)
    throw new ChainFault('moved', `the node omitted the logs of block ${to.number}.`);
}

async function readTimes(
  rpc: Rpc,
  logs: readonly NodeLog[],
  to: Header,
): Promise<ReadonlyMap<number, number>> {
  const times = new Map<number, number>();
  for (const { blockNumber, blockHash, blockTimestamp } of logs) {
    if (blockTimestamp !== null || times.has(blockNumber)) continue;
    const header = blockNumber === to.number ? to : await readHeader(rpc, blockNumber);
    if (header.hash !== blockHash)
      throw new ChainFault('moved', `block ${blockNumber} changed while its logs were read.`);
    times.set(blockNumber, header.timestamp);
  }
  return times;
}

// The bloom filter of a block header: whether a block can contain logs of a filter. False positives are possible, false negatives are not.

const BITS = 2048;
const BLOOM_CHARACTERS = 2 + BITS / 4;

/** False only if the block has no such log. A header without a bloom can contain anything. */
export function mayContain(bloom: string, { addresses, topics }: LogFilter): boolean {
  if (bloom.length !== BLOOM_CHARACTERS) return true;
  const has = (value: string) => bitsOf(value).every((bit) => isSet(bloom, bit));
  return addresses.some(has) && topics.every((wanted) => wanted === null || [wanted].flat().some(has));
}

/** Three bits: the lowest eleven bits of each of the first three pairs of bytes of the hash. */
function bitsOf(value: string): number[] {
  const hash = keccak256(value);
  return [0, 1, 2].map((pair) => Number.parseInt(hash.slice(2 + pair * 4, 6 + pair * 4), 16) % BITS);
}

/** Bits count from the end of the 256 bytes. */
const isSet = (bloom: string, bit: number) =>
  (Number.parseInt(bloom.charAt(bloom.length - 1 - Math.floor(bit / 4)), 16) & (1 << (bit % 4))) !== 0;

// How many blocks to request at once: doubled after a success, halved after a refusal, never below one block. After a refusal the reduced
// size is the limit for a while, so that a provider with a fixed limit does not refuse every second call.

interface RangeSizes {
  readonly first: number;
  readonly max: number;
}

const RANGE_SIZES: RangeSizes = { first: 2_000, max: 50_000 };

/** Number of successes after which a larger size is tried again. */
const PATIENCE = 32;

export class RangeSize {
  readonly #max: number;
  #size: number;
  #limit: number;
  #successes = 0;

  constructor({ first, max }: RangeSizes) {
    this.#max = Math.max(1, max);
    this.#limit = this.#max;
    this.#size = Math.min(Math.max(1, first), this.#max);
  }

  get size(): number {
    return this.#size;
  }

  succeeded(): void {
    this.#successes += 1;
    if (this.#successes % PATIENCE === 0) this.#limit = Math.min(this.#limit * 2, this.#max);
    this.#size = Math.min(this.#size * 2, this.#limit);
  }

  /** False if fewer blocks than were requested are not possible. */
  refused(asked: number, { size }: Refusal): boolean {
    this.#successes = 0;
    if (asked <= 1) return false;
    const half = Math.floor(asked / 2);
    this.#size = size !== null && size < asked ? size : half;
    this.#limit = this.#size;
    return true;
  }
}
