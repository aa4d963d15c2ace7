// Files with odd amounts in every amount of a raw table, and what must land of them, computed with integers of any length.
import type { RawTable } from '../../../jobs/define/raw-table.ts';
import type { FieldMapping } from '../../../jobs/define/source.ts';
import {
  governanceElectorate,
  governanceProposal,
  governanceVote,
} from '../../../jobs/families/governance/raw.ts';
import { governorEvent } from '../../../jobs/families/governance/raw-governor.ts';
import { mevSwap } from '../../../jobs/families/mev/raw.ts';
import { networkABlock } from '../../../jobs/families/network-a/raw.ts';
import { networkBBlock } from '../../../jobs/families/network-b/raw.ts';
import { feedRound } from '../../../jobs/families/oracles/raw.ts';
import { seededRandom } from '../../support/seeded-random.ts';

export interface AmountTable {
  readonly table: RawTable;
  /** The fields that hold amounts; odd ones come into all of them. */
  readonly amounts: readonly string[];
  /** The field that distinguishes rows, and its value in each. */
  readonly id: readonly [field: string, value: (row: number) => string];
  readonly constants: Readonly<Record<string, string | number>>;
}

const AT = 1_600_000_000;
const ADDRESS = `0x${'a'.repeat(40)}`;

export const AMOUNT_TABLES: readonly AmountTable[] = [
  {
    table: governanceVote,
    amounts: ['power'],
    id: ['vote_id', (row) => `v${row}`],
    constants: { protocol: 'p', proposal_id: '1', voter: '0x1', support: 'for', vote_end_at: AT },
  },
  {
    table: governanceProposal,
    amounts: ['for_votes', 'against_votes'],
    id: ['proposal_id', (row) => `p${row}`],
    constants: { protocol: 'p', state: 'active', created_at: AT },
  },
  {
    table: governorEvent,
    amounts: ['power'],
    id: ['tx_hash', (row) => `0x${row}`],
    constants: {
      protocol: 'p',
      event: 'vote',
      block_number: 1,
      log_index: 1,
      event_at: AT,
      proposal_id: '1',
      voter: '0x1',
      support: 'for',
      block_s: 12,
    },
  },
  {
    table: governanceElectorate,
    amounts: ['supply'],
    id: ['observed_at', (row) => String(AT + row)],
    constants: { protocol: 'p' },
  },
  {
    table: feedRound,
    amounts: ['answer'],
    id: ['round_id', (row) => String(row + 1)],
    constants: { chain: 'ethereum', feed_address: '0xf', updated_at: AT },
  },
  {
    table: mevSwap,
    amounts: ['amount_in', 'amount_out'],
    id: ['swap_index', (row) => String(row)],
    constants: {
      chain: 'ethereum',
      block_number: 1,
      observed_at: AT,
      tx_index: 1,
      tx_hash: '0x1',
      pool_id: '0x2',
      sender: ADDRESS,
      token_in: ADDRESS,
      token_out: ADDRESS,
    },
  },
  {
    table: networkABlock,
    amounts: ['base_fee_per_gas', 'blob_base_fee_per_gas'],
    id: ['block_number', (row) => String(row)],
    constants: {
      network: 'ethereum',
      observed_at: AT,
      gas_limit: 30_000_000,
      gas_used: 0,
      transaction_count: 0,
    },
  },
  {
    table: networkBBlock,
    amounts: ['gas_price', 'total_supply', 'fees', 'validator_reward'],
    id: ['height', (row) => String(row)],
    constants: { network: 'near', block_time: `${AT}000000000` },
  },
];

const ODD = [
  '',
  ' ',
  'x',
  'NaN',
  '-inf',
  '-1',
  '-0.5',
  '+5',
  '.5',
  '5.',
  '.',
  '-',
  'e5',
  '1e',
  '1_000',
  '０',
  '1,5',
  '0x10',
  '1e-05',
  '1E+3',
  '2.50e1',
  '1e-19',
  '1e999',
  '1e1000',
  '0e0',
  '000',
  '1.000000000000000001',
  '1.0000000000000000001',
  '1.0000000000000000000',
  '9'.repeat(19),
  '9'.repeat(20),
  '9'.repeat(21),
  '9'.repeat(25),
  '9'.repeat(26),
  '9'.repeat(34),
  '9'.repeat(35),
  '9'.repeat(38),
  '9'.repeat(39),
  '9'.repeat(40),
  '9'.repeat(60),
  '9'.repeat(61),
  '9'.repeat(78),
  '9'.repeat(79),
  `${'9'.repeat(20)}.${'9'.repeat(18)}`,
  `${'9'.repeat(20)}.${'9'.repeat(19)}`,
  `0.${'0'.repeat(17)}1`,
  `${'1'.repeat(20)}e-18`,
  `${'1'.repeat(20)}e18`,
];

/** One text in ten is odd; the others are such as tables contain. */
export function textsOf(rows: number, seed: number): string[] {
  const random = seededRandom(seed);
  return Array.from({ length: rows }, (_, row) => {
    if (random() < 0.1) return ODD[Math.floor(random() * ODD.length)] ?? '';
    return random() < 0.5 ? String(row * 7_919) : `${row + 20}.43119023496814${row % 10}`;
  });
}

/** A number as its digits and a power of ten; null for other texts. */
interface Decimal {
  readonly digits: bigint;
  readonly power: number;
}

export function decimalOf(text: string): Decimal | null {
  const found = /^([+-]?)([0-9]*)(?:\.([0-9]*))?(?:[eE]([+-]?[0-9]{1,3}))?$/.exec(text);
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = found ?? [];
  if (whole + fraction === '') return null;
  let digits = BigInt(whole + fraction);
  let power = Number(exponent) - fraction.length;
  if (digits === 0n) return { digits: 0n, power: 0 };
  while (digits % 10n === 0n) {
    digits /= 10n;
    power += 1;
  }
  return { digits: sign === '-' ? -digits : digits, power };
}

/** `digits × 10^(power + shift)` if that is whole, else null. */
export const wholeOf = ({ digits, power }: Decimal, shift: number): bigint | null => {
  if (power + shift >= 0) return digits * 10n ** BigInt(power + shift);
  return digits === 0n ? 0n : null;
};

/** Whether a value fits an amount of a table. */
function fits(
  { digits, power }: Decimal,
  amount: NonNullable<RawTable['fields'][number]['amount']>,
): boolean {
  const magnitude = digits < 0n ? -digits : digits;
  const before = magnitude === 0n ? 0 : Math.max(0, String(magnitude).length + power);
  return (
    Math.max(0, -power) <= amount.decimals &&
    before <= amount.digits &&
    (digits >= 0n || amount.isSigned === true)
  );
}

/** The value that lands, `refused`, or null where nothing is delivered. */
export function expected(
  one: AmountTable,
  field: string,
  given: string,
  decimals: number,
): Decimal | 'refused' | null {
  const text = given.trim();
  const rule = one.table.fields.find(({ name }) => name === field);
  if (rule?.amount === undefined) throw new Error(`${field} is no amount`);
  const needed = one.table.fields.some(
    ({ name, required }) => required && [field, `${field}_e18`].includes(name),
  );
  if (text === '') return needed ? 'refused' : null;
  const value = decimalOf(text);
  if (value === null || !fits(value, rule.amount)) return 'refused';
  const isTally = one.table.fields.some(({ name }) => name === `${field}_e18`);
  const tally = isTally ? wholeOf(value, 18 - decimals) : 0n;
  // A double next to the amount has limits of its own.
  const limit = field === 'answer' ? 1e20 * 10 ** decimals : limitOf(one, `${field}_scaled`);
  const isBeyond = Math.abs(Number(`${value.digits}e${value.power}`)) > limit;
  return isBeyond || tally === null || String(tally).length > 38 ? 'refused' : value;
}

const limitOf = ({ table }: AmountTable, field: string): number =>
  table.fields.find(({ name }) => name === field)?.max ?? Number.POSITIVE_INFINITY;

export interface AmountFile {
  readonly csv: string;
  readonly fields: { readonly [field: string]: FieldMapping };
  /** By amount, the text of each row. */
  readonly texts: Readonly<Record<string, readonly string[]>>;
}

export function amountFile(one: AmountTable, rows: number, decimals: number): AmountFile {
  const texts = Object.fromEntries(one.amounts.map((name, index) => [name, textsOf(rows, index + rows)]));
  const [idField, idOf] = one.id;
  const lines = Array.from({ length: rows }, (_, row) =>
    [idOf(row), ...one.amounts.map((name) => JSON.stringify(texts[name]?.[row] ?? ''))].join(','),
  );
  const hasDecimals = one.table.fields.some(({ name }) => name === 'decimals');
  const constants = { ...one.constants, ...(hasDecimals ? { decimals } : {}) };
  return {
    csv: `${['id', ...one.amounts].join(',')}\n${lines.join('\n')}\n`,
    fields: {
      ...Object.fromEntries(Object.entries(constants).map(([name, value]) => [name, { value }])),
      [idField]: { from: 'id' },
      ...Object.fromEntries(one.amounts.map((name) => [name, { from: name }])),
    },
    texts,
  };
}
