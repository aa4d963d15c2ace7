// Yield opportunities of one version, prepared so that a page of any filters in any order costs little: every filter knows its rows, and
// every order is a list.
import { LRUCache } from 'lru-cache';
import { YIELD_FACETS, YIELD_NUMBERS, YIELD_TEXTS, type YieldFacet } from '../../../schemas/yields.ts';
import type { Documents } from '../documents.ts';
import { SortedOrdinals } from './sorted-ordinals.ts';
import { folded, TextSearch, termsOf } from './text-search.ts';
import type { YieldWanted } from './yield-query.ts';

export interface YieldPage {
  /** A JSON array of opportunities. */
  readonly rows: Buffer;
  readonly count: number;
  readonly total: number;
}

type Fields = Readonly<Record<string, unknown>>;

const COMMA = Buffer.from(',');
const OPEN = '['.charCodeAt(0);
const CLOSE = ']'.charCodeAt(0);
const NOTHING = Buffer.from('{}');
const ROWS_PER_TURN = 1_024;
/** Selections kept for walks over their pages and for what many ask; each is four bytes a row. */
const MAX_SELECTIONS = 64;

export class YieldTable {
  /**
   * All rows in order of id, which also decides between equals, each with a comma after it: row `i`, its comma included, is from
   * `starts[i]` to before `starts[i + 1]`.
   */
  readonly #bytes: Buffer;
  readonly #starts: Uint32Array;
  readonly #columns: ReadonlyMap<string, Float64Array>;
  readonly #facets: ReadonlyMap<YieldFacet, ReadonlyMap<string, Uint32Array>>;
  readonly #search: TextSearch;
  readonly #orders = new Map<string, SortedOrdinals>();
  readonly #selections = new LRUCache<string, Uint32Array>({ max: MAX_SELECTIONS });
  /** How many filters each row has passed so far; used anew by every selection. */
  readonly #passed: Uint8Array;

  private constructor(pieces: readonly Buffer[], rows: readonly Fields[]) {
    this.#bytes = Buffer.concat(pieces.flatMap((piece) => [piece, COMMA]));
    this.#starts = startsOf(pieces);
    this.#columns = columnsOf(rows);
    this.#facets = new Map(YIELD_FACETS.map((facet) => [facet, postingsOf(rows, facet)]));
    this.#search = new TextSearch(rows.map(searchedText));
    this.#passed = new Uint8Array(rows.length);
  }

  /** Reads every row, giving way to other work in between. */
  static async from(documents: Documents): Promise<YieldTable> {
    const ids = [...documents.keys()].sort();
    const pieces: Buffer[] = [];
    const rows: Fields[] = [];
    for (const id of ids) {
      if (rows.length % ROWS_PER_TURN === ROWS_PER_TURN - 1)
        await new Promise((resolve) => setImmediate(resolve));
      const piece = documents.get(id) ?? NOTHING;
      pieces.push(piece);
      rows.push(JSON.parse(piece.toString()) as Fields);
    }
    return new YieldTable(pieces, rows);
  }

  page(wanted: YieldWanted, from: number, limit: number): YieldPage {
    const chosen = this.#selection(wanted);
    const shown = chosen.subarray(from, from + limit);
    return { rows: this.#list(shown), count: shown.length, total: chosen.length };
  }

  /** A JSON array: the bracket takes the place of the last comma. */
  #list(ordinals: Uint32Array): Buffer {
    const size = ordinals.reduce((sum, ordinal) => sum + this.#start(ordinal + 1) - this.#start(ordinal), 1);
    const list = Buffer.allocUnsafe(Math.max(2, size));
    list[0] = OPEN;
    let at = 1;
    for (const ordinal of ordinals)
      at += this.#bytes.copy(list, at, this.#start(ordinal), this.#start(ordinal + 1));
    list[list.length - 1] = CLOSE;
    return list;
  }

  #start(ordinal: number): number {
    return this.#starts[ordinal] ?? 0;
  }

  #selection(wanted: YieldWanted): Uint32Array {
    const key = JSON.stringify(wanted, rangeText);
    return this.#selections.get(key) ?? this.#remember(key, this.#select(wanted));
  }

  #remember(key: string, selection: Uint32Array): Uint32Array {
    this.#selections.set(key, selection);
    return selection;
  }

  #select({ any, between, search, sort }: YieldWanted): Uint32Array {
    const order = this.#order(sort.field);
    const ordered = sort.isDescending ? order.descending : order.ascending;
    const filters: (readonly ArrayLike<number>[])[] = [
      ...any.map(({ facet, values }) => values.map((value) => this.#facets.get(facet)?.get(value) ?? [])),
      ...between.map(({ field, least, most }) => [this.#order(field).between(least, most)]),
      ...termsOf(search ?? '').map((term) => [this.#search.rowsWith(term)]),
    ];
    if (filters.length === 0) return ordered;
    const passed = this.#passed.fill(0);
    filters.forEach((lists, done) => {
      for (const list of lists) pass(passed, list, done);
    });
    return ordered.filter((ordinal) => passed[ordinal] === filters.length);
  }

  #order(field: string): SortedOrdinals {
    let order = this.#orders.get(field);
    if (order === undefined) {
      order = new SortedOrdinals(this.#columns.get(field) ?? new Float64Array(this.#passed.length));
      this.#orders.set(field, order);
    }
    return order;
  }
}

function startsOf(pieces: readonly Buffer[]): Uint32Array {
  const starts = new Uint32Array(pieces.length + 1);
  let start = 0;
  pieces.forEach((piece, ordinal) => {
    starts[ordinal] = start;
    start += piece.length + COMMA.length;
  });
  starts[pieces.length] = start;
  return starts;
}

/** A row that two values of one filter name passes it once. */
function pass(passed: Uint8Array, ordinals: ArrayLike<number>, done: number): void {
  for (let at = 0; at < ordinals.length; at++) {
    const ordinal = ordinals[at] ?? 0;
    if (passed[ordinal] === done) passed[ordinal] = done + 1;
  }
}

/** JSON has no infinity, and two open ranges are not one. */
const rangeText = (_: string, value: unknown) =>
  typeof value === 'number' && !Number.isFinite(value) ? String(value) : value;

function columnsOf(rows: readonly Fields[]): ReadonlyMap<string, Float64Array> {
  const numbers = YIELD_NUMBERS.map((name) => {
    const values = Float64Array.from(rows, (row) => (typeof row[name] === 'number' ? row[name] : Number.NaN));
    return [name, values] as const;
  });
  return new Map<string, Float64Array>([
    ...numbers,
    ...YIELD_TEXTS.map((name) => [name, ranksOf(rows, name)] as const),
  ]);
}

/** Texts as numbers of the same order. */
function ranksOf(rows: readonly Fields[], name: string): Float64Array {
  const texts = rows.map((row) => folded(String(row[name])));
  const ranks = new Map([...new Set(texts)].sort().map((text, rank) => [text, rank]));
  return Float64Array.from(texts, (text) => ranks.get(text) ?? Number.NaN);
}

function postingsOf(rows: readonly Fields[], facet: YieldFacet): ReadonlyMap<string, Uint32Array> {
  const lists = new Map<string, number[]>();
  rows.forEach((row, ordinal) => {
    for (const value of new Set(valuesOf(row, facet))) {
      const list = lists.get(value);
      if (list === undefined) lists.set(value, [ordinal]);
      else list.push(ordinal);
    }
  });
  return new Map([...lists].map(([value, list]) => [value, Uint32Array.from(list)]));
}

const valuesOf = (row: Fields, facet: YieldFacet): readonly string[] =>
  [row[facet], ...(facet === 'asset' ? symbolsOf(row) : [])]
    .filter((value) => value !== null && value !== undefined)
    .map((value) => String(value).toLowerCase());

const symbolsOf = (row: Fields): readonly unknown[] => (Array.isArray(row['assets']) ? row['assets'] : []);

const searchedText = (row: Fields) => [row['name'], row['asset'], ...symbolsOf(row)].join(' ');
