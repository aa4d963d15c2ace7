// The transactions of network A in the demo world, summarised by type and ten minutes. Prices spread around the base fee of each block.

import type { ColumnsDelivery, Interval } from '../../define/source.ts';
import { hash, unit } from './scenario/hash.ts';
import {
  type Batch,
  BLOB_BASE_FEE_WEI,
  type Block,
  blocksOf,
  CREATION_GAS,
  NETWORK,
  sumOf,
  transactionsIn,
} from './network-a-chain.ts';

const STEP_S = 600;
const GWEI = 1e9;
const TRANSFER_GAS = 21_000;
const LEGACY_TYPES = 2;

interface Spread {
  readonly min: number;
  readonly max: number;
  readonly total: number;
}

/** One batch with its prices in gwei and its amounts in native units. */
interface Priced {
  readonly batch: Batch;
  readonly feeCap: Spread;
  readonly tipCap: Spread;
  readonly price: Spread;
  readonly fee: Spread;
  readonly saved: Spread;
}

export interface Summary {
  readonly endedAt: number;
  readonly type: number;
  readonly batches: readonly Priced[];
}

/** Summaries whose own interval ends within the given one. */
export function summariesOf(seed: number, start: number, { from, to }: Interval): readonly Summary[] {
  const ended = (instant: number) => Math.floor((instant + 1) / STEP_S) * STEP_S - 1;
  const span = { from: Math.max(start - 1, ended(from)), to: ended(to) };
  if (span.to <= span.from) return [];
  const groups = Map.groupBy(blocksOf(seed, start, span), ({ slot }) =>
    Math.floor((12 * slot + 11) / STEP_S),
  );
  return [...groups].flatMap(([step, blocks]) => {
    const priced = blocks.flatMap((block) => pricedIn(seed, block));
    const types = Map.groupBy(priced, ({ batch }) => batch.type);
    return [...types].map(([type, batches]) => ({ endedAt: (step + 1) * STEP_S - 1, type, batches }));
  });
}

const pricedIn = (seed: number, block: Block) =>
  block.batches
    .filter((batch) => transactionsIn(batch) > 0)
    .map((batch) => priced(hash(seed, block.slot), block, batch));

/** Tips are mostly small, with a few large ones; a dynamic fee cap allows the base fee to double or triple. */
function priced(draw: number, { baseFeeWei }: Block, batch: Batch): Priced {
  const base = baseFeeWei / GWEI;
  const count = transactionsIn(batch);
  const low = 0.001 + 0.01 * unit(draw, batch.type);
  const mean = 0.3 + 0.9 * unit(draw, batch.type + 10);
  const high = count === 1 ? mean : mean * (2 + 18 * unit(draw, batch.type + 20));
  const min = count === 1 ? mean : low;
  const price = { min: base + min, max: base + high, total: count * (base + mean) };
  const isLegacy = batch.type < LEGACY_TYPES;
  const cap = { min: price.min, max: 3 * base + high, total: count * (2 * base + mean) };
  const largest = batch.creations > 0 ? CREATION_GAS : batch.gas / count;
  const fee = (gwei: number, gas: number) => (gwei * gas) / GWEI;
  const blobFee = (batch.blobGas * BLOB_BASE_FEE_WEI) / GWEI ** 2;
  return {
    batch,
    price,
    feeCap: isLegacy ? price : cap,
    tipCap: isLegacy ? price : { min, max: high, total: count * mean },
    fee: {
      min: fee(price.min, batch.transfers > 0 ? TRANSFER_GAS : batch.gas / count) + blobFee / count,
      max: fee(price.max, largest) + blobFee / count,
      total: fee(base + mean, batch.gas) + blobFee,
    },
    saved: isLegacy
      ? { min: 0, max: 0, total: 0 }
      : { min: 0, max: fee(2 * base, largest), total: fee(base, batch.gas) },
  };
}

const SPREADS = { fee_cap: 'feeCap', tip_cap: 'tipCap', price: 'price', fee: 'fee', saved: 'saved' } as const;

/** Takes one pass over the batches, because there are some 30,000 a day. */
function spreadColumns(
  rows: readonly Summary[],
  name: string,
  member: (typeof SPREADS)[keyof typeof SPREADS],
) {
  const lowest = new Float64Array(rows.length);
  const highest = new Float64Array(rows.length);
  const totals = new Float64Array(rows.length);
  rows.forEach(({ batches }, index) => {
    let [min, max, total] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0];
    for (const { [member]: spread } of batches) {
      if (spread.min < min) min = spread.min;
      if (spread.max > max) max = spread.max;
      total += spread.total;
    }
    lowest[index] = min;
    highest[index] = max;
    totals[index] = total;
  });
  return [
    [`${name}_min`, lowest],
    [`${name}_max`, highest],
    [`${name}_total`, totals],
  ] as const;
}

export function summaryDelivery(rows: readonly Summary[]): ColumnsDelivery {
  const sums = (of: (batch: Batch) => number) =>
    Float64Array.from(rows, ({ batches }) => sumOf(batches, ({ batch }) => of(batch)));
  const spreads = Object.entries(SPREADS).flatMap(([name, member]) => spreadColumns(rows, name, member));
  return {
    kind: 'columns',
    count: rows.length,
    columns: {
      observed_at: Float64Array.from(rows, ({ endedAt }) => endedAt),
      tx_type: Int32Array.from(rows, ({ type }) => type),
      transactions: sums(transactionsIn),
      creations: sums(({ creations }) => creations),
      contract_calls: sums(({ calls }) => calls),
      transfers: sums(({ transfers }) => transfers),
      ...Object.fromEntries(spreads),
    },
    computed: { network: `'${NETWORK}'` },
  };
}
