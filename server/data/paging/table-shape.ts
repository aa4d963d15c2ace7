// The rows of a list and the columns that a table stores to filter and sort them.
import type { Fields, ListShape } from '../../define/list-shape.ts';
import type { Documents } from '../documents.ts';
import { folded } from './text-search.ts';

export interface Row {
  readonly id: string;
  readonly json: Buffer;
  readonly fields: Fields;
}

const ROWS_PER_TURN = 1_024;
const NOTHING = Buffer.from('{}');

/** Reads every row, yielding to other work in between. */
export async function readRows(shape: ListShape, documents: Documents): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const id of documents.keys()) {
    if (rows.length % ROWS_PER_TURN === ROWS_PER_TURN - 1)
      await new Promise((resolve) => setImmediate(resolve));
    const json = documents.get(id) ?? NOTHING;
    rows.push({ id, json, fields: JSON.parse(json.toString()) as Fields });
  }
  return rows.sort(comparison(shape));
}

const numberOf = (value: unknown): number => (typeof value === 'number' ? value : Number.NaN);

function comparison({ order = {} }: ListShape): (a: Row, b: Row) => number {
  const { by, isNewestFirst = false } = order;
  const sign = isNewestFirst ? -1 : 1;
  const byId = (a: Row, b: Row) => (a.id < b.id ? -sign : a.id > b.id ? sign : 0);
  if (by === undefined) return byId;
  return (a, b) => unknownFirst(numberOf(a.fields[by]), numberOf(b.fields[by])) || byId(a, b);
}

/** Negative if `a` comes before `b`; NaN is unknown. */
function unknownFirst(a: number, b: number): number {
  if (Number.isNaN(a)) return Number.isNaN(b) ? 0 : -1;
  return Number.isNaN(b) ? 1 : a - b;
}

/** Columns of numbers by name; texts are stored as their ranks. */
export function columnsOf(shape: ListShape, rows: readonly Row[]): ReadonlyMap<string, Float64Array> {
  const numbers = shape.numbers.map(
    (name) => [name, Float64Array.from(rows, ({ fields }) => numberOf(fields[name]))] as const,
  );
  const texts = shape.texts.map(
    (name) => [name, ranksOf(rows.map(({ fields }) => folded(String(fields[name]))))] as const,
  );
  return new Map([...numbers, ...texts]);
}

function ranksOf(texts: readonly string[]): Float64Array {
  const ranks = new Map([...new Set(texts)].sort().map((text, rank) => [text, rank]));
  return Float64Array.from(texts, (text) => ranks.get(text) ?? Number.NaN);
}

/** Ordinals of the rows that have a value, ascending, by facet and value. */
export type Postings = ReadonlyMap<string, ReadonlyMap<string, Uint32Array>>;

export function postingsOf(shape: ListShape, rows: readonly Row[]): Postings {
  const facets = Object.entries(shape.facets);
  return new Map(facets.map(([facet, valuesOf]) => [facet, ordinalsBy(rows, valuesOf)]));
}

function ordinalsBy(
  rows: readonly Row[],
  valuesOf: (fields: Fields) => readonly string[],
): ReadonlyMap<string, Uint32Array> {
  const lists = new Map<string, number[]>();
  rows.forEach(({ fields }, ordinal) => {
    for (const value of valuesOf(fields)) {
      const list = lists.get(value);
      if (list === undefined) lists.set(value, [ordinal]);
      else if (list.at(-1) !== ordinal) list.push(ordinal);
    }
  });
  return new Map([...lists].map(([value, list]) => [value, Uint32Array.from(list)]));
}
