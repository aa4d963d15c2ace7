// Coverage rows in their published order (worst covered first), as one buffer from which pages are cut.
import { foldAddresses } from '../../define/fold-addresses.ts';
import type { Documents } from '../documents.ts';

export interface CoverageFilter {
  readonly scope?: string | undefined;
  readonly scope_id?: string | undefined;
  /** Percent; above 0, rows whose completeness cannot be computed are left out. */
  readonly min_completeness_pct?: number | undefined;
}

export interface CoveragePage {
  /** A JSON array of rows. */
  readonly rows: Buffer;
  readonly count: number;
  readonly total: number;
}

interface Row {
  readonly id: string;
  readonly scope: string;
  readonly scope_id: string;
  readonly pct: number | null;
  readonly json: Buffer;
}

const COMMA = Buffer.from(',');
const OPEN = Buffer.from('[');
const CLOSE = Buffer.from(']');
const ROWS_PER_TURN = 4_096;

export class CoverageTable {
  /** All rows joined by commas. Row `i` is at `starts[i]`, and its comma, if any, before `starts[i + 1]`. */
  readonly #bytes: Buffer;
  readonly #starts: Uint32Array;
  /** Rows whose completeness is not known come first, then ascending. */
  readonly #unknown: number;
  readonly #pcts: Float64Array;
  readonly #byScope: ReadonlyMap<string, Uint32Array>;
  readonly #byScopeId: ReadonlyMap<string, Uint32Array>;
  readonly #scopes: readonly string[];

  private constructor(rows: readonly Row[]) {
    this.#bytes = Buffer.concat(rows.flatMap((row, index) => (index === 0 ? [row.json] : [COMMA, row.json])));
    this.#starts = new Uint32Array(rows.length + 1);
    this.#pcts = new Float64Array(rows.length);
    let start = 0;
    rows.forEach((row, index) => {
      this.#starts[index] = start;
      this.#pcts[index] = row.pct ?? Number.NEGATIVE_INFINITY;
      start += row.json.length + COMMA.length;
    });
    this.#starts[rows.length] = start;
    this.#unknown = rows.filter((row) => row.pct === null).length;
    this.#scopes = rows.map((row) => row.scope);
    this.#byScope = ordinalsBy(rows, (row) => row.scope);
    this.#byScopeId = ordinalsBy(rows, (row) => foldAddresses(row.scope_id));
  }

  /** Reads every row, giving way to other work in between. */
  static async from(documents: Documents): Promise<CoverageTable> {
    const rows: Row[] = [];
    for (const id of documents.keys()) {
      if (rows.length % ROWS_PER_TURN === ROWS_PER_TURN - 1)
        await new Promise((resolve) => setImmediate(resolve));
      rows.push(readRow(id, documents.get(id) ?? Buffer.from('{}')));
    }
    rows.sort(byCompletenessThenId);
    return new CoverageTable(rows);
  }

  page(filter: CoverageFilter, from: number, limit: number): CoveragePage {
    const chosen = this.#choose(filter);
    const upto = Math.min(chosen.count, from + limit);
    const pieces: Buffer[] = [OPEN];
    for (let at = from; at < upto; ) {
      const first = chosen.ordinal(at);
      let run = 1;
      while (at + run < upto && chosen.ordinal(at + run) === first + run) run++;
      if (at > from) pieces.push(COMMA);
      pieces.push(this.#slice(first, first + run));
      at += run;
    }
    pieces.push(CLOSE);
    return { rows: Buffer.concat(pieces), count: Math.max(0, upto - from), total: chosen.count };
  }

  /** Rows `first` up to `end`, exclusive, with the commas between them. */
  #slice(first: number, end: number): Buffer {
    return this.#bytes.subarray(this.#starts[first], (this.#starts[end] ?? 0) - COMMA.length);
  }

  /** The rows that pass, as a count and a way from place to ordinal. Ascending order makes the least completeness a lower bound. */
  #choose(filter: CoverageFilter): { count: number; ordinal(place: number): number } {
    const least = filter.min_completeness_pct ?? 0;
    const floor = least > 0 ? this.#firstAtLeast(least) : 0;
    const ordinals = this.#ordinalsOf(filter);
    if (ordinals === undefined)
      return { count: this.#pcts.length - floor, ordinal: (place) => floor + place };
    const skipped = lowerBound(ordinals.length, (place) => (ordinals[place] ?? 0) >= floor);
    return { count: ordinals.length - skipped, ordinal: (place) => ordinals[skipped + place] ?? 0 };
  }

  #ordinalsOf({ scope, scope_id }: CoverageFilter): Uint32Array | undefined {
    if (scope_id === undefined)
      return scope === undefined ? undefined : (this.#byScope.get(scope) ?? new Uint32Array());
    const ordinals = this.#byScopeId.get(foldAddresses(scope_id)) ?? new Uint32Array();
    return scope === undefined ? ordinals : ordinals.filter((ordinal) => this.#scopes[ordinal] === scope);
  }

  #firstAtLeast(pct: number): number {
    return Math.max(
      this.#unknown,
      lowerBound(this.#pcts.length, (ordinal) => (this.#pcts[ordinal] ?? 0) >= pct),
    );
  }
}

/** Smallest place of `count` for which `isAtOrAfter` holds; `count` when there is none. */
export function lowerBound(count: number, isAtOrAfter: (place: number) => boolean): number {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isAtOrAfter(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

function readRow(id: string, json: Buffer): Row {
  const { scope, scope_id, history_completeness_pct } = JSON.parse(json.toString('utf8')) as Record<
    string,
    unknown
  >;
  const pct = typeof history_completeness_pct === 'number' ? history_completeness_pct : null;
  return { id, scope: String(scope), scope_id: String(scope_id), pct, json };
}

function byCompletenessThenId(a: Row, b: Row): number {
  const difference = (a.pct ?? Number.NEGATIVE_INFINITY) - (b.pct ?? Number.NEGATIVE_INFINITY);
  if (difference < 0 || difference > 0) return difference;
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}

function ordinalsBy(rows: readonly Row[], keyOf: (row: Row) => string): Map<string, Uint32Array> {
  const lists = new Map<string, number[]>();
  rows.forEach((row, ordinal) => {
    const list = lists.get(keyOf(row));
    if (list === undefined) lists.set(keyOf(row), [ordinal]);
    else list.push(ordinal);
  });
  return new Map([...lists].map(([key, list]) => [key, Uint32Array.from(list)]));
}
