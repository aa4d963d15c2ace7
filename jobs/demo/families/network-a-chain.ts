// The chain of network A in the demo world: its blocks and their transactions, each a hash of its block and place.
import type { ColumnsDelivery, Interval } from '../../define.ts';
import { BLOCKS_PER_DAY, blockAt } from '../block.ts';
import { hash, unit } from '../hash.ts';
import { blockBefore } from '../schedule.ts';

export const NETWORK = 'ethereum';
/** Blocks are numbered from here on, so that numbers look like those of a chain. */
const FIRST_BLOCK = 120_000_000;
const GAS_LIMIT = 36_000_000;
const TRANSFER_GAS = 21_000;
const BLOB_GAS = 131_072;
const GWEI = 1e9;

interface Block {
  readonly block: number;
  readonly baseFeeWei: number;
  readonly transactionCount: number;
}

/** Of eight blocks drawn, so many have so many transactions. */
const TRANSACTIONS = [0, 0, 0, 0, 0, 1, 1, 2] as const;

export function blocksOf(seed: number, start: number, { from, to }: Interval): readonly Block[] {
  const after = Math.max(blockAt(from), blockBefore(start));
  const count = Math.max(0, blockAt(to) - after);
  return Array.from({ length: count }, (_, place) => {
    const block = after + 1 + place;
    const transactionCount = TRANSACTIONS[hash(seed, block) % TRANSACTIONS.length] ?? 0;
    return { block, baseFeeWei: baseFeeWei(seed, block), transactionCount };
  });
}

/** Up over half a day and down again between 12 and 32 gwei, a little off at every block. */
function baseFeeWei(seed: number, block: number): number {
  const phase = (block % BLOCKS_PER_DAY) / BLOCKS_PER_DAY;
  const height = 1 - Math.abs(2 * phase - 1);
  return Math.floor((12 + 20 * height + unit(seed, -block)) * GWEI);
}

interface Transaction {
  readonly block: number;
  readonly place: number;
  readonly type: number;
  readonly isCreation: boolean;
  readonly isCall: boolean;
  readonly isFailed: boolean;
  readonly gas: number;
  readonly priceWei: number;
  readonly capWei: number;
  readonly tipWei: number;
  readonly blobGas: number;
}

/** Of ten types drawn: legacy twice, access list, blob and set code once, dynamic fee the rest. */
const TYPES = [0, 0, 1, 2, 2, 2, 2, 2, 3, 4] as const;

export function transactionsOf(
  seed: number,
  { block, baseFeeWei: base, transactionCount }: Block,
): Transaction[] {
  return Array.from({ length: transactionCount }, (_, place) => {
    const draw = hash(seed, block * 4 + place);
    const type = TYPES[draw % TYPES.length] ?? 2;
    const isCreation = type < 3 && draw % 97 === 0;
    const isCall = !isCreation && draw % 3 > 0;
    const tipWei = Math.floor(unit(draw, 1) * 2 * GWEI);
    const capWei = type < 2 ? base + tipWei : base + Math.floor(unit(draw, 2) * base);
    return {
      block,
      place,
      type,
      isCreation,
      isCall,
      isFailed: isCall && draw % 41 === 0,
      gas: TRANSFER_GAS + (isCreation ? 900_000 : isCall ? 1 + (draw % 240_000) : 0),
      priceWei: Math.min(capWei, base + tipWei),
      capWei,
      tipWei: type < 2 ? capWei : tipWei,
      blobGas: type === 3 ? BLOB_GAS * (1 + (draw % 6)) : 0,
    };
  });
}

const FROM_BLOCK = {
  network: `'${NETWORK}'`,
  block_number: `cast(block as bigint) - ${FIRST_BLOCK}`,
  observed_at: '12 * cast(block as bigint) + 11',
} as const;

const digest = (text: string) => `lower(to_hex(sha256(to_utf8(${text}))))`;
const digits = (column: string) => `cast(cast(${column} as bigint) as varchar)`;

export function blockDelivery(seed: number, blocks: readonly Block[]): ColumnsDelivery {
  const sums = blocks.map((block) => {
    const transactions = transactionsOf(seed, block);
    return {
      gas: transactions.reduce((sum, { gas }) => sum + gas, 0),
      blobGas: transactions.reduce((sum, { blobGas }) => sum + blobGas, 0),
    };
  });
  return {
    kind: 'columns',
    count: blocks.length,
    columns: {
      block: Int32Array.from(blocks, ({ block }) => block),
      base_fee: Float64Array.from(blocks, (block) => block.baseFeeWei),
      gas_used: Int32Array.from(sums, ({ gas }) => gas),
      transaction_count: Int32Array.from(blocks, ({ transactionCount }) => transactionCount),
      destroyed_contracts: Int32Array.from(blocks, ({ block }) => (hash(seed, -block) % 400 === 0 ? 1 : 0)),
      blob_gas_used: Int32Array.from(sums, ({ blobGas }) => blobGas),
    },
    computed: {
      ...FROM_BLOCK,
      gas_limit: String(GAS_LIMIT),
      base_fee_per_gas: digits('base_fee'),
      blob_base_fee_per_gas: `'${GWEI / 2}'`,
    },
  };
}

export function transactionDelivery(seed: number, rows: readonly Transaction[]): ColumnsDelivery {
  return {
    kind: 'columns',
    count: rows.length,
    columns: {
      block: Int32Array.from(rows, ({ block }) => block),
      place: Int32Array.from(rows, ({ place }) => place),
      tx_type: Int32Array.from(rows, ({ type }) => type),
      is_creation: Int32Array.from(rows, ({ isCreation }) => (isCreation ? 1 : 0)),
      has_input: Int32Array.from(rows, ({ isCall, isCreation }) => (isCall || isCreation ? 1 : 0)),
      status: Int32Array.from(rows, ({ isFailed }) => (isFailed ? 0 : 1)),
      gas_used: Int32Array.from(rows, ({ gas }) => gas),
      price: Float64Array.from(rows, ({ priceWei }) => priceWei),
      cap: Float64Array.from(rows, ({ capWei }) => capWei),
      tip: Float64Array.from(rows, ({ tipWei }) => tipWei),
      blob_gas_used: Int32Array.from(rows, ({ blobGas }) => blobGas),
    },
    computed: {
      ...FROM_BLOCK,
      tx_hash: `'0x' || ${digest(`'${seed}/' || block || '/' || place`)}`,
      to_address: `case when is_creation = 0 then '0x' || substr(${digest("'to/' || block || '/' || place")}, 1, 40) end`,
      input: `case when has_input = 1 then '0xa9059cbb' else '0x' end`,
      gas_price: digits('price'),
      effective_gas_price: digits('price'),
      max_fee_per_gas: `case when tx_type >= 2 then ${digits('cap')} end`,
      max_priority_fee_per_gas: `case when tx_type >= 2 then ${digits('tip')} end`,
    },
  };
}
