// Keeps what was made of the rows of large tables between runs, so that a run reads only rows that have changed.
import { literal } from '../../engine/sql-text.ts';
import type { Row } from '../../engine/rows.ts';
import type { Warehouse } from '../../engine/warehouse.ts';

const MIN_ROWS = 500;
const HASH = 'row_hash';

export type RowsWarehouse = Pick<Warehouse, 'rows' | 'stream'> & {
  readonly capabilities?: Pick<Warehouse['capabilities'], 'rowHash'>;
};

interface RowsOf {
  /** Identifies the table together with what `make` does. */
  readonly id: string;
  readonly table: string;
  /** Columns to sort by. */
  readonly order: string;
}

export class RowCache<T> {
  /** By id, then by the hash of the row. Large tables only. */
  readonly #cached = new Map<string, ReadonlyMap<string, T>>();
  readonly #minRows: number;

  /** Tables with fewer rows are read whole, in one query. */
  constructor(minRows = MIN_ROWS) {
    this.#minRows = minRows;
  }

  /** What `make` returns for each row, in order. For a row that was there at the last reading, it is the same object. */
  async *read(
    warehouse: RowsWarehouse,
    { id, table, order }: RowsOf,
    make: (row: Row) => T,
  ): AsyncIterable<readonly T[]> {
    const hash = warehouse.capabilities?.rowHash?.('t');
    const before = this.#cached.get(id);
    if (hash !== undefined && before !== undefined) {
      const now = await readChanged(warehouse, { before, table, order, hash, make });
      if (now.length < this.#minRows) this.#cached.delete(id);
      else this.#cached.set(id, new Map(now));
      yield now.map(([, one]) => one);
      return;
    }
    let count = 0;
    for await (const rows of warehouse.stream(`select * from ${table} order by ${order}`)) {
      count += rows.length;
      yield rows.map(make);
    }
    if (hash !== undefined && count >= this.#minRows) this.#cached.set(id, new Map());
  }
}

interface Change<T> {
  readonly before: ReadonlyMap<string, T>;
  readonly table: string;
  readonly order: string;
  /** SQL of the hash of a row `t`. */
  readonly hash: string;
  readonly make: (row: Row) => T;
}

/** Reads the hashes of all rows, and the rows whose hash is new. */
async function readChanged<T>(
  warehouse: RowsWarehouse,
  { before, table, order, hash, make }: Change<T>,
): Promise<readonly (readonly [hash: string, T])[]> {
  const found = await warehouse.rows(`select ${hash} as ${HASH} from ${table} t order by ${order}`);
  const hashes = found.map((row) => String(row[HASH]));
  const unknown = [...new Set(hashes)].filter((one) => !before.has(one));
  const now = new Map(before);
  if (unknown.length > 0) {
    const where =
      unknown.length * 2 > hashes.length ? '' : ` where ${hash} in (${unknown.map(literal).join(', ')})`;
    for await (const rows of warehouse.stream(`select *, ${hash} as ${HASH} from ${table} t${where}`))
      for (const { [HASH]: key, ...row } of rows) now.set(String(key), make(row));
  }
  return hashes.map((one) => {
    const made = now.get(one);
    if (made === undefined) throw new Error(`${table} changed while it was read`);
    return [one, made];
  });
}
