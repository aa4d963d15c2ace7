// Reads whole blocks of a chain with their receipts: two calls per block and one for the blob fees of all of them. Reads only final blocks,
// because their tables cannot withdraw a block.
import { type Header, headerOf } from './block.ts';
import { ChainFault } from './chain-fault.ts';
import { addressOf, bytesOf, hashOf, numberOf, quantityOf, toHex } from './hex.ts';
import { type BlockRef, type Exchange, recordingRpc, resultOf, type Rpc, RpcError } from './rpc.ts';

type Fields = Readonly<Record<string, unknown>>;

export interface BlockPlan {
  readonly from: number;
  /** Last block to read, itself included; final. */
  readonly to: number;
  /** The block before `from`, if known: the first block must follow it. */
  readonly before: BlockRef | null;
  /** Reads traces too, for contracts that contracts create; not every node has them. */
  readonly withTraces?: boolean;
}

export interface BlockReading {
  readonly last: Header;
  readonly exchanges: readonly Exchange[];
}

/** @throws ChainFault, RpcError */
export async function readBlocks(node: Rpc, plan: BlockPlan): Promise<BlockReading> {
  const { from, to, before, withTraces = false } = plan;
  const { rpc, exchanges } = recordingRpc(node);
  let last: Header | null = null;
  let hasBlobs = false;
  for (let number = from; number <= to; number++) {
    const { header, block } = await readBlock(rpc, number);
    const parent = last ?? before;
    if (parent !== null && header.parentHash !== parent.hash)
      throw new ChainFault(
        'rewritten',
        `block ${number} does not follow ${parent.hash}, the block read before it.`,
      );
    if (withTraces) await readTraces(rpc, number);
    hasBlobs ||= block['excessBlobGas'] !== undefined;
    last = header;
  }
  if (last === null) throw new RangeError(`There are no blocks from ${from} to ${to}.`);
  if (hasBlobs) await rpc('eth_feeHistory', [toHex(to - from + 1), toHex(to), []]);
  return { last, exchanges };
}

async function readBlock(rpc: Rpc, number: number) {
  const { result } = await rpc('eth_getBlockByNumber', [toHex(number), true]);
  if (result === null) throw new ChainFault('ahead', `the node has no block ${number}.`);
  const [header, block] = [headerOf(result), result as Fields];
  const receipts = (await rpc('eth_getBlockReceipts', [toHex(number)])).result;
  if (receipts === null) throw new ChainFault('ahead', `the node has no receipts of block ${number}.`);
  checkReceipts(header, transactionsOf(block), receipts);
  return { header, block };
}

function transactionsOf(block: Fields): readonly Fields[] {
  const transactions = block['transactions'];
  if (!Array.isArray(transactions) || transactions.some((one) => typeof one !== 'object' || one === null))
    throw new ChainFault('shape', 'a block has no list of whole transactions.');
  return transactions as readonly Fields[];
}

function checkReceipts(header: Header, transactions: readonly Fields[], receipts: unknown): void {
  if (!Array.isArray(receipts))
    throw new ChainFault('shape', 'the response to eth_getBlockReceipts is not a list.');
  if (receipts.length !== transactions.length)
    throw new ChainFault(
      'incomplete',
      `block ${header.number} has ${transactions.length} transactions and ${receipts.length} receipts.`,
    );
  for (const [index, receipt] of (receipts as readonly Fields[]).entries()) {
    if (hashOf(receipt['blockHash'], 'the block of a receipt') !== header.hash)
      throw new ChainFault('moved', `block ${header.number} changed while it was read.`);
    if (receipt['transactionHash'] !== transactions[index]?.['hash'])
      throw new ChainFault(
        'shape',
        `receipt ${index} of block ${header.number} does not belong to its transaction.`,
      );
  }
}

type Row = { readonly [field: string]: string | number | null };

export interface BlockRows {
  readonly network_a_block: readonly Row[];
  readonly network_a_transaction: readonly Row[];
}

/** Rows of the raw tables from the exchanges of a reading. Amounts are wei in digits. */
export function blockRows(network: string, exchanges: readonly Exchange[]): BlockRows {
  const facts = { blobFees: blobFeesIn(exchanges), created: createdByBlock(exchanges) };
  const receipts = new Map(
    exchanges
      .filter(({ method }) => method === 'eth_getBlockReceipts')
      .flatMap((exchange) =>
        (resultOf(exchange) as readonly Fields[]).map((one) => [one['transactionHash'], one]),
      ),
  );
  const blocks = exchanges
    .filter(({ method }) => method === 'eth_getBlockByNumber')
    .map((exchange) => resultOf(exchange) as Fields);
  return {
    network_a_block: blocks.map((block) => blockRow(network, block, facts)),
    network_a_transaction: blocks.flatMap((block) =>
      transactionsOf(block).map((one) =>
        transactionRow(network, { block, transaction: one, receipt: receipts.get(one['hash']) ?? {} }),
      ),
    ),
  };
}

/** Digits of a quantity; null if the node omits the field. */
const digits = (value: unknown, what: string): string | null =>
  value === undefined || value === null ? null : quantityOf(value, what).toString();
const count = (value: unknown, what: string): number | null =>
  value === undefined || value === null ? null : numberOf(value, what);

function blobFeesIn(exchanges: readonly Exchange[]): ReadonlyMap<number, string> {
  const fees = new Map<number, string>();
  for (const exchange of exchanges.filter(({ method }) => method === 'eth_feeHistory')) {
    const history = resultOf(exchange) as Fields;
    const first = numberOf(history['oldestBlock'], 'the oldest block of the fee history');
    const list = history['baseFeePerBlobGas'];
    if (!Array.isArray(list)) continue;
    list.forEach((fee, index) => {
      fees.set(first + index, quantityOf(fee, 'a blob fee').toString());
    });
  }
  return fees;
}

function blockRow(
  network: string,
  block: Fields,
  {
    blobFees,
    created,
  }: { readonly blobFees: ReadonlyMap<number, string>; readonly created: ReadonlyMap<number, number> },
): Row {
  const { number, timestamp } = headerOf(block);
  const isWithBlobs = block['excessBlobGas'] !== undefined;
  return {
    network,
    block_number: number,
    observed_at: timestamp,
    gas_limit: count(block['gasLimit'], 'the gas limit'),
    gas_used: count(block['gasUsed'], 'the gas used'),
    base_fee_per_gas: digits(block['baseFeePerGas'], 'the base fee'),
    transaction_count: transactionsOf(block).length,
    created_contracts: created.get(number) ?? null,
    blob_gas_used: count(block['blobGasUsed'], 'the blob gas used'),
    blob_base_fee_per_gas: isWithBlobs ? (blobFees.get(number) ?? null) : null,
  };
}

/** `0x` and the four bytes that select a function. */
const SELECTOR_CHARACTERS = 10;

function transactionRow(
  network: string,
  {
    block,
    transaction,
    receipt,
  }: { readonly block: Fields; readonly transaction: Fields; readonly receipt: Fields },
): Row {
  const { number, timestamp } = headerOf(block);
  const to = transaction['to'];
  return {
    network,
    tx_hash: hashOf(transaction['hash'], 'the hash of a transaction'),
    block_number: number,
    observed_at: timestamp,
    tx_type: count(transaction['type'], 'the type of a transaction') ?? 0,
    from_address: addressOf(transaction['from'], 'the sender'),
    to_address: to === null || to === undefined ? null : addressOf(to, 'the receiver'),
    value: digits(transaction['value'], 'the value'),
    input: bytesOf(transaction['input'], 'the call data').slice(0, SELECTOR_CHARACTERS),
    status: count(receipt['status'], 'the status'),
    gas_used: count(receipt['gasUsed'], 'the gas used'),
    gas_price: digits(transaction['gasPrice'], 'the gas price'),
    max_fee_per_gas: digits(transaction['maxFeePerGas'], 'the fee cap'),
    max_priority_fee_per_gas: digits(transaction['maxPriorityFeePerGas'], 'the tip cap'),
    effective_gas_price: digits(receipt['effectiveGasPrice'], 'the price paid'),
    blob_gas_used: count(receipt['blobGasUsed'], 'the blob gas used'),
  };
}

// Counts the contracts that a block created, from its traces: those created by contracts are in no transaction and in no receipt.

const METHOD = 'trace_block';

/** @throws ChainFault if the node has no traces */
async function readTraces(rpc: Rpc, number: number): Promise<void> {
  try {
    const { result } = await rpc(METHOD, [toHex(number)]);
    createdIn(result);
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    throw new ChainFault(
      'refused',
      `the node returns no traces of block ${number}: ${error.message}.`,
      error,
    );
  }
}

/** Contracts created in each block whose traces are among the exchanges, by its number. */
const createdByBlock = (exchanges: readonly Exchange[]): ReadonlyMap<number, number> =>
  new Map(
    exchanges
      .filter(({ method }) => method === METHOD)
      .map((exchange) => [
        numberOf(exchange.params[0], 'the block of a trace'),
        createdIn(resultOf(exchange)),
      ]),
  );

interface Trace {
  readonly type?: unknown;
  readonly error?: unknown;
  readonly transactionHash?: unknown;
  /** Position in the call tree of the transaction. */
  readonly traceAddress?: unknown;
}

/** Number of creations, without those that were undone because their call, or one above it, failed. */
function createdIn(result: unknown): number {
  if (!Array.isArray(result)) throw new ChainFault('shape', 'the traces of a block are not a list.');
  const traces = result as readonly Trace[];
  const failed = new Set(traces.filter(({ error }) => error !== undefined && error !== null).map(positionOf));
  return traces.filter(
    (trace) => trace.type === 'create' && !above(trace).some((location) => failed.has(location)),
  ).length;
}

const pathOf = ({ traceAddress }: Trace): readonly unknown[] => {
  if (!Array.isArray(traceAddress)) throw new ChainFault('shape', 'a trace has no traceAddress.');
  return traceAddress;
};
const positionOf = (trace: Trace): string => `${String(trace.transactionHash)} ${pathOf(trace).join('.')}`;

/** Positions of the trace and of all calls above it. */
const above = (trace: Trace): string[] =>
  [...pathOf(trace), null].map(
    (_, length) => `${String(trace.transactionHash)} ${pathOf(trace).slice(0, length).join('.')}`,
  );
