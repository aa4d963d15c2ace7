// Reads who signed transactions, what they called, and their positions in the block, which logs do not state.
import { ChainFault } from './chain-fault.ts';
import { addressOf, hashOf, numberOf } from './hex.ts';
import type { NodeLog } from './node-log.ts';
import { type Exchange, type Rpc, recordingRpc } from './rpc.ts';

export interface Transaction {
  readonly sender: string;
  /** Address that it called; null if it created a contract. */
  readonly contract: string | null;
  /** Position in its block. */
  readonly index: number;
}

export interface TransactionReading {
  /** Transactions by hash. */
  readonly transactions: ReadonlyMap<string, Transaction>;
  readonly exchanges: readonly Exchange[];
}

/** The transactions of logs, each requested once. @throws ChainFault `moved` if one is in another block by now; RpcError */
export async function readTransactions(node: Rpc, logs: readonly NodeLog[]): Promise<TransactionReading> {
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
