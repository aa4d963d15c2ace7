// The rows of one dataset of one version, prepared so that pages for any filters and order are cheap: each filter value has a list of its
// rows, and each order is a list.
import type { ListShape } from '../../define/list-shape.ts';
import { LRUCache } from 'lru-cache';
import type { Documents } from '../documents.ts';
import { lowerBound } from '../../../platform/base/lower-bound.ts';
import { type NumberRange, type Selection, selectionKey } from './selection.ts';
import { columnsOf, type Postings, postingsOf, type Row, readRows } from './table-shape.ts';
import { TextSearch, termsOf } from './text-search.ts';

export interface TablePage {
  /** A JSON array. */
  readonly rows: Buffer;
  readonly count: number;
  readonly hasMore: boolean;
  /** Number of rows in the selection. */
  readonly total: number;
  /** Id of the last row on the page; undefined for an empty page. */
  readonly lastId: string | undefined;
}

/** Number of cached selections, for paging and frequent requests. Each takes at most four bytes per row. */
const MAX_SELECTIONS = 64;

/** Lists of ordinals; a row must be in one of them. */
type Filter = readonly ArrayLike<number>[];

export class PagedTable {
  readonly #orderedBy: string | undefined;
  readonly #ids: readonly string[];
  readonly #json: JsonRows;
  readonly #columns: ReadonlyMap<string, Float64Array>;
  readonly #postings: Postings;
  readonly #search: TextSearch;
  /** All rows in the table's own order. */
  readonly #all: Uint32Array;
  readonly #orders = new Map<string, SortedOrdinals>();
  readonly #selections = new LRUCache<string, Uint32Array>({ max: MAX_SELECTIONS });
  /** Number of filters that each row has passed so far; reused by every selection. */
  readonly #passed: Uint8Array;

  private constructor(shape: ListShape, rows: readonly Row[]) {
    this.#orderedBy = shape.order?.by;
    this.#ids = rows.map(({ id }) => id);
    this.#json = new JsonRows(rows.map(({ json }) => json));
    this.#columns = columnsOf(shape, rows);
    this.#postings = postingsOf(shape, rows);
    this.#search = new TextSearch(rows.map(({ fields }) => shape.searched?.(fields) ?? ''));
    this.#all = Uint32Array.from(rows, (_, ordinal) => ordinal);
    this.#passed = new Uint8Array(rows.length);
  }

  static async from(shape: ListShape, documents: Documents): Promise<PagedTable> {
    return new PagedTable(shape, await readRows(shape, documents));
  }

  /** Whether any row has this value of a facet. */
  has(facet: string, value: string): boolean {
    return this.#postings.get(facet)?.has(value) === true;
  }

  /** Every value of a facet that some row has. */
  valuesOf(facet: string): Iterable<string> {
    return this.#postings.get(facet)?.keys() ?? [];
  }

  page(selection: Selection, from: number, limit: number): TablePage {
    const chosen = this.#choose(selection);
    const { ordinals, hasMore } = cutPage(chosen, from, limit);
    const rows = this.#json.arrayOf(ordinals);
    const lastId = this.#ids[ordinals.at(-1) ?? -1];
    return { rows, count: ordinals.length, hasMore, total: chosen.length, lastId };
  }

  /** For a table with the newest row first: the page after the row with this id, whether or not that row still exists. */
  pageAfter(selection: Selection, id: string, limit: number): TablePage {
    const chosen = this.#choose(selection);
    const from = lowerBound(chosen.length, (index) => (this.#ids[chosen[index] ?? 0] ?? '') < id);
    return this.page(selection, from, limit);
  }

  #choose({ between, ...others }: Selection): Uint32Array {
    const isOwnOrder = others.sort === undefined;
    const isCut = ({ field }: NumberRange) => isOwnOrder && field === this.#orderedBy;
    const kept = { ...others, between: between.filter((range) => !isCut(range)) };
    const key = selectionKey(kept);
    let chosen = this.#selections.get(key);
    if (chosen === undefined) {
      chosen = this.#select(kept);
      this.#selections.set(key, chosen);
    }
    return between.filter(isCut).reduce((list, range) => this.#cut(list, range), chosen);
  }

  /** A range of the number that the table is sorted by. */
  #cut(list: Uint32Array, { field, min, max }: NumberRange): Uint32Array {
    const values = this.#column(field);
    const valueAt = (index: number) => values[list[index] ?? 0] ?? Number.NaN;
    const from = lowerBound(list.length, (index) => valueAt(index) >= min);
    return list.subarray(
      from,
      Math.max(
        from,
        lowerBound(list.length, (index) => valueAt(index) > max),
      ),
    );
  }

  #select({ any, between, search, sort }: Selection): Uint32Array {
    const filters: readonly Filter[] = [
      ...any.map(({ facet, values }) => values.map((value) => this.#postings.get(facet)?.get(value) ?? [])),
      ...between.map(({ field, min, max }) => [this.#order(field).between(min, max)]),
      ...termsOf(search ?? '').map((term) => [this.#search.rowsWith(term)]),
    ];
    if (sort === undefined && between.length === 0 && filters.every((lists) => lists.length === 1))
      return this.#inAll(filters.map(([list = []]) => list));
    const order = sort && this.#order(sort.field);
    const ordered = (sort?.isDescending ? order?.descending : order?.ascending) ?? this.#all;
    return filters.length === 0 ? ordered : this.#passing(ordered, filters);
  }

  /** The ordinals that are in all of the lists, which ascend. */
  #inAll(lists: readonly ArrayLike<number>[]): Uint32Array {
    const [shortest, ...others] = lists.toSorted((a, b) => a.length - b.length);
    if (shortest === undefined) return this.#all;
    const ordinals = shortest instanceof Uint32Array ? shortest : Uint32Array.from(shortest);
    if (others.length === 0) return ordinals;
    return ordinals.filter((ordinal) => others.every((list) => isIn(list, ordinal)));
  }

  #passing(ordered: Uint32Array, filters: readonly Filter[]): Uint32Array {
    const passed = this.#passed.fill(0);
    filters.forEach((lists, done) => {
      for (const list of lists) pass(passed, list, done);
    });
    return ordered.filter((ordinal) => passed[ordinal] === filters.length);
  }

  #order(field: string): SortedOrdinals {
    let order = this.#orders.get(field);
    if (order === undefined) {
      order = new SortedOrdinals(this.#column(field));
      this.#orders.set(field, order);
    }
    return order;
  }

  #column(field: string): Float64Array {
    const column = this.#columns.get(field);
    if (column === undefined) throw new Error(`The table has no column ${field}.`);
    return column;
  }
}

function isIn(list: ArrayLike<number>, ordinal: number): boolean {
  return list[lowerBound(list.length, (index) => (list[index] ?? 0) >= ordinal)] === ordinal;
}

/** A row that has two values of one filter passes it only once. */
function pass(passed: Uint8Array, ordinals: ArrayLike<number>, done: number): void {
  for (let index = 0; index < ordinals.length; index++) {
    const ordinal = ordinals[index] ?? 0;
    if (passed[ordinal] === done) passed[ordinal] = done + 1;
  }
}

// JSON rows in one buffer, from which any selection is copied without parsing.

const COMMA = Buffer.from(',');
const OPEN = '['.charCodeAt(0);
const CLOSE = ']'.charCodeAt(0);

class JsonRows {
  /** Each row is followed by a comma: row `i` and its comma extend from `starts[i]` up to `starts[i + 1]`. */
  readonly #bytes: Buffer;
  readonly #starts: Uint32Array;

  constructor(rows: readonly Buffer[]) {
    this.#bytes = Buffer.concat(rows.flatMap((row) => [row, COMMA]));
    this.#starts = new Uint32Array(rows.length + 1);
    let start = 0;
    rows.forEach((row, ordinal) => {
      this.#starts[ordinal] = start;
      start += row.length + COMMA.length;
    });
    this.#starts[rows.length] = start;
  }

  /** A JSON array. Adjacent rows are copied together; the bracket replaces the last comma. */
  arrayOf(ordinals: readonly number[]): Buffer {
    const size = ordinals.reduce((sum, ordinal) => sum + this.#start(ordinal + 1) - this.#start(ordinal), 1);
    const array = Buffer.allocUnsafe(Math.max(2, size));
    array[0] = OPEN;
    let at = 1;
    for (let index = 0; index < ordinals.length; ) {
      const first = ordinals[index] ?? 0;
      let end = first + 1;
      while (ordinals[++index] === end) end++;
      at += this.#bytes.copy(array, at, this.#start(first), this.#start(end));
    }
    array[array.length - 1] = CLOSE;
    return array;
  }

  #start(ordinal: number): number {
    return this.#starts[ordinal] ?? 0;
  }
}

// Rows sorted by one of their numbers, in both directions, as lists of ordinals. Unknown numbers (NaN) come last in both, and equal numbers
// keep the order of their ordinals, so both orders are total.

class SortedOrdinals {
  readonly ascending: Uint32Array;
  /** Number of rows whose number is known; they come first. */
  readonly known: number;
  readonly #values: Float64Array;
  #descending: Uint32Array | undefined;

  constructor(values: Float64Array) {
    const known: number[] = [];
    const unknown: number[] = [];
    values.forEach((value, ordinal) => {
      (Number.isNaN(value) ? unknown : known).push(ordinal);
    });
    known.sort((a, b) => (values[a] ?? 0) - (values[b] ?? 0) || a - b);
    this.ascending = Uint32Array.from([...known, ...unknown]);
    this.known = known.length;
    this.#values = values;
  }

  get descending(): Uint32Array {
    this.#descending ??= this.#reversed();
    return this.#descending;
  }

  /** Ordinals of the rows from `min` to `max`, inclusive. */
  between(min: number, max: number): Uint32Array {
    const from = this.#firstPlace((value) => value >= min);
    return this.ascending.subarray(
      from,
      Math.max(
        from,
        this.#firstPlace((value) => value > max),
      ),
    );
  }

  #valueAt(index: number): number {
    return this.#values[this.ascending[index] ?? 0] ?? Number.NaN;
  }

  #firstPlace(isAtOrAfter: (value: number) => boolean): number {
    return lowerBound(this.known, (index) => isAtOrAfter(this.#valueAt(index)));
  }

  /** Reverses the order of groups of equal numbers, but not the order inside each group. */
  #reversed(): Uint32Array {
    const reversed = this.ascending.slice();
    let at = 0;
    for (let end = this.known; end > 0; ) {
      let start = end - 1;
      while (start > 0 && this.#valueAt(start - 1) === this.#valueAt(start)) start--;
      reversed.set(this.ascending.subarray(start, end), at);
      at += end - start;
      end = start;
    }
    return reversed;
  }
}

/** Ordinals in list order. */
interface Ordinals {
  readonly length: number;
  at(index: number): number | undefined;
}

interface CutPage {
  readonly ordinals: readonly number[];
  /** Whether more rows follow the page. */
  readonly hasMore: boolean;
}

/** At most `limit` ordinals from a position on, none at or after the position `end`. */
function cutPage(list: Ordinals, from: number, limit: number, end = list.length): CutPage {
  const ordinals: number[] = [];
  const upTo = Math.min(end, from + limit);
  for (let index = from; index < upTo; index++) ordinals.push(list.at(index) ?? 0);
  return { ordinals, hasMore: upTo < end };
}
