// Statements on one connection of the pool. A connection object lives for one read or transaction.
import type pg from 'pg';
import type { Connection, Guard, Row, Value } from '../tables/session.ts';

export class PgConnection implements Connection {
  readonly guard: Guard;
  isAuditAhead = false;
  readonly #client: pg.ClientBase;

  constructor(client: pg.ClientBase, guard: Guard) {
    this.#client = client;
    this.guard = guard;
  }

  async get(sql: string, ...values: readonly Value[]): Promise<Row | undefined> {
    return (await this.#query(sql, values)).rows[0];
  }

  async all(sql: string, ...values: readonly Value[]): Promise<readonly Row[]> {
    return (await this.#query(sql, values)).rows;
  }

  async run(sql: string, ...values: readonly Value[]): Promise<number> {
    return (await this.#query(sql, values)).rowCount ?? 0;
  }

  #query(sql: string, values: readonly Value[]): Promise<pg.QueryResult<Row>> {
    return this.#client.query<Row>(numbered(sql), values.map(sent));
  }
}

const NUMBERED = new Map<string, string>();

/** The statement with `$1`, `$2`, … in place of `?`. Statements are constants, so the cache stays small. */
function numbered(sql: string): string {
  let text = NUMBERED.get(sql);
  if (text === undefined) {
    let count = 0;
    text = sql.replaceAll('?', () => `$${++count}`);
    NUMBERED.set(sql, text);
  }
  return text;
}

/** The driver accepts bytes only as a Buffer. */
const sent = (value: Value) =>
  value instanceof Uint8Array ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : value;
