// Computes prices of oracles and answers of adapters on their way to landing, because SQL has no 256-bit integers.
import type { Enrichment, RowBatch } from '../../define/raw-table.ts';
import { adapterValue, decimalOf, priceOf } from './oracle-arithmetic.ts';

/** Increment with every change of what is computed. */
const ARITHMETIC_VERSION = 2;
/** Price of a Morpho market: 10^36, moved by the decimals of both tokens. */
const PRICE_DECIMALS = 36;

type Cell = string | number | null;
type Row = (name: string) => Cell;

const DIGITS = /^-?[0-9]{1,78}$/;

const exact = (value: unknown): bigint | undefined =>
  (typeof value === 'string' && DIGITS.test(value)) || Number.isSafeInteger(value)
    ? BigInt(value as string | number)
    : undefined;

function filledBy(fills: readonly string[], rowOf: (row: Row) => readonly Cell[]) {
  return ({ count, columns }: RowBatch) => {
    const rows = Array.from({ length: count }, (_, at) =>
      rowOf((name) => {
        const value = columns[name]?.[at];
        return typeof value === 'string' || typeof value === 'number' ? value : null;
      }),
    );
    return Object.fromEntries(fills.map((name, index) => [name, rows.map((row) => row[index] ?? null)]));
  };
}

const enrichment = (
  fills: readonly string[],
  reads: readonly string[],
  rowOf: (row: Row) => readonly Cell[],
): Enrichment => ({ takes: [], reads, fills, version: ARITHMETIC_VERSION, fill: filledBy(fills, rowOf) });

export const legValues = enrichment(
  ['computed_value', 'unreadable_parameters'],
  ['kind', 'observed_at', 'parameters', 'cap'],
  legOf,
);

function legOf(row: Row): readonly Cell[] {
  const members = membersOf(row('parameters'));
  if (members === null) return [null, 1];
  const unreadable = [...members.values()].filter((value) => exact(value) === undefined).length;
  const at = exact(row('observed_at'));
  if (at === undefined) return [null, unreadable];
  const cap = exact(row('cap'));
  const of = (name: string) => exact(members.get(name)) ?? (name === 'cap' ? cap : undefined);
  const value = adapterValue(String(row('kind')), { at, of });
  return [value === null ? null : value.toString(), unreadable];
}

/** Null for a text that is not a JSON object. */
function membersOf(text: Cell): ReadonlyMap<string, unknown> | null {
  if (text === null) return new Map();
  try {
    const value: unknown = JSON.parse(String(text));
    return typeof value === 'object' && value !== null ? new Map(Object.entries(value)) : null;
  } catch {
    return null;
  }
}

export const oraclePrices = enrichment(
  ['computed_price', 'price_decimal'],
  [
    'price',
    'price_decimals',
    'loan_decimals',
    'collateral_decimals',
    'scale_factor',
    'base_factors',
    'quote_factors',
  ],
  priceRowOf,
);

function priceRowOf(row: Row): readonly Cell[] {
  const scale = exact(row('scale_factor'));
  const [base, quote] = [factorsOf(row('base_factors')), factorsOf(row('quote_factors'))];
  const computed =
    scale === undefined || base === null || quote === null ? null : priceOf({ scale, base, quote });
  const price = exact(row('price'));
  const decimals = priceDecimals(row);
  return [
    computed === null ? null : computed.toString(),
    price === undefined || decimals === null ? null : decimalOf(price, decimals),
  ];
}

function factorsOf(text: Cell): readonly bigint[] | null {
  if (text === null) return null;
  const factors = String(text).split('*').map(exact);
  const complete = factors.filter((factor) => factor !== undefined);
  return complete.length === factors.length ? complete : null;
}

/** Null if unknown, or if the tokens have so many decimals that the price has none. */
function priceDecimals(row: Row): number | null {
  const [stated, loan, collateral] = ['price_decimals', 'loan_decimals', 'collateral_decimals'].map((name) =>
    exact(row(name)),
  );
  if (stated !== undefined) return Number(stated);
  if (loan === undefined || collateral === undefined) return null;
  const decimals = PRICE_DECIMALS + Number(loan) - Number(collateral);
  return decimals < 0 ? null : decimals;
}
