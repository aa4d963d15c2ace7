// Reads swaps out of the call traces of a block, for a block whose logs are not at hand: calls of Uniswap v2 and v3 pools and of their
// forks, with the token transfers that belong to each. What a failed call did is undone and does not count.
import { readFileSync } from 'node:fs';

interface Trace {
  readonly type: string;
  readonly error: string | null;
  readonly trace_address: readonly number[];
  readonly transaction_hash: string | null;
  readonly transaction_position: number | null;
  readonly action: {
    readonly from: string;
    readonly to: string;
    readonly input: string;
    readonly callType: string;
  };
  readonly result: { readonly output?: string } | null;
}

export interface Swap {
  readonly tx_index: number;
  readonly tx_hash: string;
  readonly swap_index: number;
  readonly pool_id: string;
  readonly protocol: string;
  readonly sender: string;
  readonly contract: string;
  readonly token_in: string;
  readonly token_out: string;
  readonly amount_in: bigint;
  readonly amount_out: bigint;
}

interface Transfer {
  readonly index: number;
  readonly trace: Trace;
  readonly token: string;
  readonly from: string;
  readonly to: string;
  readonly amount: bigint;
}

const SWAP = { '0x022c0d9f': 'uniswap_v2', '0x128acb08': 'uniswap_v3' } as const;
const TRANSFER = '0xa9059cbb';
const TRANSFER_FROM = '0x23b872dd';
const GET_RESERVES = '0x0902f1ac';

const selector = ({ action }: Trace) => action.input.slice(0, 10);
const word = ({ action }: Trace, index: number) => action.input.slice(10 + 64 * index, 74 + 64 * index);
const address = (text: string) => `0x${text.slice(-40)}`;
const isWithin = (inner: Trace, outer: Trace) =>
  outer.trace_address.every((step, index) => inner.trace_address[index] === step);

export interface DecodedBlock {
  readonly block_number: number;
  /** Of the block, Unix seconds: what a pool says of its reserves after a trade in the same block. */
  readonly timestamp: number;
  readonly swaps: readonly Swap[];
}

export function decodeBlock(file: string): DecodedBlock {
  const block = JSON.parse(readFileSync(file, 'utf8')) as {
    readonly block_number: number;
    readonly traces: readonly Trace[];
  };
  const byTransaction = Map.groupBy(
    block.traces.filter(({ transaction_hash }) => transaction_hash !== null),
    ({ transaction_position }) => transaction_position ?? -1,
  );
  const positions = [...byTransaction.keys()].sort((a, b) => a - b);
  const swaps = positions.flatMap((index) => swapsOf(byTransaction.get(index) ?? []));
  const times = block.traces.filter((trace) => trace.type === 'call' && selector(trace) === GET_RESERVES);
  return {
    block_number: block.block_number,
    timestamp: Math.max(...times.map(({ result }) => Number(`0x${result?.output?.slice(130) || '0'}`))),
    swaps: swaps.map((swap, swap_index) => ({ ...swap, swap_index })),
  };
}

function swapsOf(traces: readonly Trace[]): Omit<Swap, 'swap_index'>[] {
  const failed = traces.filter(({ error }) => error !== null);
  const calls = traces.filter(
    (trace) =>
      trace.type === 'call' &&
      trace.action.callType === 'call' &&
      !failed.some((outer) => isWithin(trace, outer)),
  );
  const transfers = calls.flatMap((trace, index) => transferOf(trace, index));
  const [top] = traces;
  return calls.flatMap((trace, index) => {
    const protocol = (SWAP as { readonly [name: string]: string })[selector(trace)];
    const pool_id = trace.action.to;
    const inside = transfers.filter((one) => isWithin(one.trace, trace));
    const taken = inside.find(({ from }) => from === pool_id);
    const before = transfers.filter((one) => one.index < index && one.to === pool_id).at(-1);
    const given = inside.find(({ to }) => to === pool_id) ?? before;
    if (protocol === undefined || given === undefined || taken === undefined || top === undefined) return [];
    return {
      tx_index: trace.transaction_position ?? -1,
      tx_hash: trace.transaction_hash ?? '',
      pool_id,
      protocol,
      sender: top.action.from,
      contract: top.action.to,
      token_in: given.token,
      token_out: taken.token,
      amount_in: given.amount,
      amount_out: taken.amount,
    };
  });
}

function transferOf(trace: Trace, index: number): Transfer[] {
  const token = trace.action.to;
  const amountAt = (position: number) => BigInt(`0x${word(trace, position)}`);
  if (selector(trace) === TRANSFER)
    return [
      { index, trace, token, from: trace.action.from, to: address(word(trace, 0)), amount: amountAt(1) },
    ];
  if (selector(trace) !== TRANSFER_FROM) return [];
  const [from, to] = [address(word(trace, 0)), address(word(trace, 1))];
  return [{ index, trace, token, from, to, amount: amountAt(2) }];
}
