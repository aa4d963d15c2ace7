// Reads swaps of pools over final blocks. A log does not state who signed its transaction, and one call per transaction would be too much
// for a public node. So only the swaps of a pool in a block where one may enclose another are delivered: no others can be part of a
// sandwich.
import { contractFunction } from '../../../../platform/base/contract-abi.ts';
import type { MissingSubject } from '../fetch/recording.ts';
import { ChainFault } from './chain-fault.ts';
import { logsOf } from './chain-logs.ts';
import { type ChainReader, lower } from './chain-task.ts';
import { type Ask, readResult } from './contract-call.ts';
import { addressOf, hashOf, numberOf } from './hex.ts';
import type { LogEntry } from './log-windows.ts';
import { readCalls } from './multicall.ts';
import type { NodeLog } from './node-log.ts';
import { type Exchange, type Rpc, recordingRpc } from './rpc.ts';
import { mayEnclose, type PoolSwap, poolSwapOf, SWAP_TOPICS } from './swap-logs.ts';

export const readSwaps: ChainReader = async (rpc, task) => {
  const pools = lower(task.chain.contracts);
  const filter = { addresses: pools, topics: [SWAP_TOPICS] };
  // Reading the last days again would repeat a call for every transaction.
  const { logs, exchanges, ...rest } = await logsOf(rpc, task, filter, { isSwept: false });
  if (logs.length === 0) return { ...rest, rows: [], exchanges, missing: [] };
  const tokens = await readCalls(rpc, task, (ask) => readPoolTokens(ask, pools));
  const { swaps, missing } = decoded(logs, tokens.value);
  const found = enclosing(swaps);
  const read = await readTransactions(
    rpc,
    found.map(({ log }) => log),
  );
  return {
    ...rest,
    rows: found.flatMap((swap) => rowOf(task.name, swap, { tokens: tokens.value, ...read })),
    exchanges: [...exchanges, ...tokens.exchanges, ...read.exchanges],
    missing: [...namelessPools(pools, tokens.value), ...missing],
  };
};

const namelessPools = (
  pools: readonly string[],
  tokens: ReadonlyMap<string, PoolTokens>,
): readonly MissingSubject[] =>
  pools
    .filter((pool) => !tokens.has(pool))
    .map((subject) => ({ subject, reason: 'it does not return two tokens as a pool does' }));

function decoded(logs: readonly LogEntry[], tokens: ReadonlyMap<string, PoolTokens>) {
  const swaps: PoolSwap[] = [];
  const missing: MissingSubject[] = [];
  for (const { log, time } of logs.filter(({ log: { address } }) => tokens.has(address))) {
    try {
      const swap = poolSwapOf(log, time);
      if (swap !== null) swaps.push(swap);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      missing.push({ subject: log.address, reason: error.message });
    }
  }
  return { swaps, missing };
}

const enclosing = (swaps: readonly PoolSwap[]): readonly PoolSwap[] =>
  [...Map.groupBy(swaps, ({ log }) => `${log.blockHash} ${log.address}`).values()].filter(mayEnclose).flat();

interface SwapFacts {
  readonly tokens: ReadonlyMap<string, PoolTokens>;
  /** Transactions by hash. */
  readonly transactions: ReadonlyMap<string, Transaction>;
}

/** A row of the raw table `mev_swap`. */
function rowOf(chain: string, swap: PoolSwap, { tokens, transactions }: SwapFacts): readonly object[] {
  const { log, time, isZeroIn, amountIn, amountOut } = swap;
  const [pair, transaction] = [tokens.get(log.address), transactions.get(log.transactionHash)];
  if (pair === undefined || transaction === undefined) return [];
  const [tokenIn, tokenOut] = isZeroIn ? pair : pair.toReversed();
  const row = {
    chain,
    block_number: log.blockNumber,
    observed_at: time,
    tx_index: transaction.index,
    tx_hash: log.transactionHash,
    swap_index: log.logIndex,
    pool_id: log.address,
    sender: transaction.sender,
    contract: transaction.contract,
    token_in: tokenIn,
    token_out: tokenOut,
    amount_in: amountIn.toString(),
    amount_out: amountOut.toString(),
  };
  return [row];
}

const TOKENS = [
  contractFunction('token0', {}, 'address'),
  contractFunction('token1', {}, 'address'),
] as const;

/** In the order of the pool, in lower case. */
type PoolTokens = readonly [string, string];

/** Tokens by pool address, in which the amounts of its swaps are stated; contracts that do not return both are omitted. */
async function readPoolTokens(ask: Ask, pools: readonly string[]): Promise<ReadonlyMap<string, PoolTokens>> {
  const results = await ask(
    pools.flatMap((target) => TOKENS.map(({ encodeCall }) => ({ target, data: encodeCall() }))),
  );
  const tokens = new Map<string, PoolTokens>();
  pools.forEach((pool, index) => {
    const first = readResult(TOKENS[0], results[index * 2]);
    const second = readResult(TOKENS[1], results[index * 2 + 1]);
    if (first !== null && second !== null) tokens.set(pool, [first, second]);
  });
  return tokens;
}

// Reads who signed transactions, what they called, and their positions in the block, which logs do not state.

interface Transaction {
  readonly sender: string;
  /** Address that it called; null if it created a contract. */
  readonly contract: string | null;
  /** Position in its block. */
  readonly index: number;
}

interface TransactionReading {
  /** Transactions by hash. */
  readonly transactions: ReadonlyMap<string, Transaction>;
  readonly exchanges: readonly Exchange[];
}

/** The transactions of logs, each requested once. @throws ChainFault `moved` if one is in another block by now; RpcError */
async function readTransactions(node: Rpc, logs: readonly NodeLog[]): Promise<TransactionReading> {
  const { rpc, exchanges } = recordingRpc(node);
  const transactions = new Map<string, Transaction>();
  for (const { transactionHash, blockHash } of logs) {
    if (transactions.has(transactionHash)) continue;
    const { result } = await rpc('eth_getTransactionByHash', [transactionHash]);
    transactions.set(transactionHash, transactionOf(result, { transactionHash, blockHash }));
  }
  return { transactions, exchanges };
}

function transactionOf(
  value: unknown,
  { transactionHash, blockHash }: Pick<NodeLog, 'transactionHash' | 'blockHash'>,
): Transaction {
  if (value === null) throw new ChainFault('ahead', `the node has no transaction ${transactionHash}.`);
  const found = value as Readonly<Record<string, unknown>>;
  if (hashOf(found['hash'], 'the hash of a transaction') !== transactionHash)
    throw new ChainFault('shape', `the node returned another transaction when asked for ${transactionHash}.`);
  if (hashOf(found['blockHash'], 'the block of a transaction') !== blockHash)
    throw new ChainFault('moved', `transaction ${transactionHash} is in another block than its logs.`);
  const to = found['to'];
  return {
    sender: addressOf(found['from'], 'the sender'),
    contract: to === null || to === undefined ? null : addressOf(to, 'the receiver'),
    index: numberOf(found['transactionIndex'], 'the index of a transaction'),
  };
}
