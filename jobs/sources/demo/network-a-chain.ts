// The chain of network A in the demo world: its blocks with the totals of their transactions, each derived from a hash of its slot. A
// million transactions a day are too many to generate one by one, so they come as summaries.

import type { ColumnsDelivery, Interval } from '../../define/source.ts';
import { BLOCKS_PER_DAY, blockAt, blockBefore, timeOf } from './scenario/block.ts';
import { hash, unit } from './scenario/hash.ts';

export const NETWORK = 'ethereum';
const GAS_LIMIT = 36_000_000;
const TRANSFER_GAS = 21_000;
export const CREATION_GAS = 1_200_000;
const BLOB_GAS = 131_072;
const GWEI = 1e9;
export const BLOB_BASE_FEE_WEI = GWEI / 100;

/** One slot in every this many has no block. */
const SLOTS_PER_MISS = 144;
/** Slots are counted from 1970 here, blocks from the start of the network. */
const SLOTS_BEFORE_FIRST_BLOCK = 122_100_000;
/** The base fee is interpolated between points that are this many slots apart. */
const SLOTS_PER_FEE_POINT = 50;

/** The transactions of one type in one block. */
export interface Batch {
  readonly type: number;
  readonly creations: number;
  readonly calls: number;
  readonly transfers: number;
  readonly gas: number;
  readonly blobGas: number;
}

export interface Block {
  readonly slot: number;
  readonly number: number;
  readonly baseFeeWei: number;
  readonly batches: readonly Batch[];
}

export const transactionsIn = ({
  creations,
  calls,
  transfers,
}: Pick<Batch, 'creations' | 'calls' | 'transfers'>) => creations + calls + transfers;
export const sumOf = <T>(items: readonly T[], of: (item: T) => number) =>
  items.reduce((sum, item) => sum + of(item), 0);

/** The blocks of an interval, none before the start of the demo world. */
export function blocksOf(seed: number, start: number, { from, to }: Interval): readonly Block[] {
  const after = Math.max(blockAt(from), blockBefore(start));
  const count = Math.max(0, blockAt(to) - after);
  return Array.from({ length: count }, (_, index) => after + 1 + index).flatMap(
    (slot) => blockIn(seed, slot) ?? [],
  );
}

function blockIn(seed: number, slot: number): Block | null {
  const group = Math.floor(slot / SLOTS_PER_MISS);
  const missed = group * SLOTS_PER_MISS + (hash(seed, -group) % SLOTS_PER_MISS);
  if (slot === missed) return null;
  return {
    slot,
    number: slot - group - (slot > missed ? 1 : 0) - SLOTS_BEFORE_FIRST_BLOCK,
    baseFeeWei: baseFeeWei(seed, slot),
    batches: batchesOf(seed, slot),
  };
}

/** Rises and falls over half a day each, around 3 gwei; from block to block by less than the 12.5 percent that EIP-1559 allows. */
function baseFeeWei(seed: number, slot: number): number {
  const phase = (slot % BLOCKS_PER_DAY) / BLOCKS_PER_DAY;
  const height = 1 - Math.abs(2 * phase - 1);
  const point = Math.floor(slot / SLOTS_PER_FEE_POINT);
  const along = (slot % SLOTS_PER_FEE_POINT) / SLOTS_PER_FEE_POINT;
  const weather = (1 - along) * unit(seed, -point) + along * unit(seed, -point - 1);
  return Math.floor((1.6 + 2.4 * height) * (0.6 + 0.8 * weather) * GWEI);
}

/** Some 60 to 290 transactions, more on busy days: mostly dynamic fees, some legacy, and a few of the other types. */
function batchesOf(seed: number, slot: number): readonly Batch[] {
  const draw = hash(seed, slot);
  const activity = 0.95 + 0.1 * unit(seed, 1_000_000 + Math.floor(slot / BLOCKS_PER_DAY));
  const all = Math.floor((60 + (draw % 219)) * activity);
  const callGas = 115_000 + (draw % 30_011);
  const legacy = Math.floor(all * 0.12);
  const [accessList, blob, setCode, creations] = [draw % 2, draw % 3, draw % 9, draw % 4];
  const dynamic = all - legacy - accessList - blob - setCode - creations;
  const blobGas = BLOB_GAS * blob * (1 + (draw % 5));
  return [
    batchOf({ type: 0, count: legacy, callShare: 0.55, callGas }),
    batchOf({ type: 1, count: accessList, callShare: 1, callGas }),
    batchOf({ type: 2, count: dynamic, callShare: 0.7, callGas, creations }),
    batchOf({ type: 3, count: blob, callShare: 0.5, callGas, blobGas }),
    batchOf({ type: 4, count: setCode, callShare: 1, callGas }),
  ];
}

interface BatchSize extends Pick<Batch, 'type'>, Partial<Pick<Batch, 'creations' | 'blobGas'>> {
  readonly count: number;
  readonly callShare: number;
  readonly callGas: number;
}

function batchOf({ type, count, callShare, callGas, creations = 0, blobGas = 0 }: BatchSize): Batch {
  const calls = Math.round(count * callShare);
  const transfers = count - calls;
  const gas = creations * CREATION_GAS + calls * callGas + transfers * TRANSFER_GAS;
  return { type, calls, transfers, gas, creations, blobGas };
}

const gasIn = ({ batches }: Block) => sumOf(batches, ({ gas }) => gas);
const blobGasIn = ({ batches }: Block) => sumOf(batches, ({ blobGas }) => blobGas);

/** Amount that a block burns, in native units. */
export const burntIn = (block: Block) =>
  (gasIn(block) * block.baseFeeWei + blobGasIn(block) * BLOB_BASE_FEE_WEI) / GWEI ** 2;

export function blockDelivery(seed: number, blocks: readonly Block[]): ColumnsDelivery {
  return {
    kind: 'columns',
    count: blocks.length,
    columns: {
      block_number: Int32Array.from(blocks, ({ number }) => number),
      observed_at: Float64Array.from(blocks, ({ slot }) => timeOf(slot)),
      base_fee: Float64Array.from(blocks, (block) => block.baseFeeWei),
      gas_used: Int32Array.from(blocks, gasIn),
      transaction_count: Int32Array.from(blocks, ({ batches }) => sumOf(batches, transactionsIn)),
      created_contracts: Int32Array.from(blocks, ({ batches }) =>
        sumOf(batches, ({ creations }) => creations),
      ),
      destroyed_contracts: Int32Array.from(blocks, ({ slot }) => (hash(seed, -slot) % 400 === 0 ? 1 : 0)),
      blob_gas_used: Int32Array.from(blocks, blobGasIn),
    },
    computed: {
      network: `'${NETWORK}'`,
      gas_limit: String(GAS_LIMIT),
      base_fee_per_gas: 'cast(cast(base_fee as bigint) as varchar)',
      blob_base_fee_per_gas: `'${BLOB_BASE_FEE_WEI}'`,
    },
  };
}
