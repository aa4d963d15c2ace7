// Counts shared by several servers in PostgreSQL, by its clock, so clock skew between servers does not matter. Each call is one statement,
// so no lock is held between statements.
import type pg from 'pg';
import { RATE_WINDOW_MS } from '../../../schemas/plans.ts';
import type { CountedRequests, CountRequest, JointCounts, StreamCount } from '../joint-counts.ts';
import type { ErrorOf } from '../tables/open-transaction.ts';

/** A server that has not reported for this long counts as ended, and its streams no longer count. */
const ALIVE_MS = 15_000;
const KEPT_MS = 2 * RATE_WINDOW_MS;

/**
 * Rows are locked in the order of their names, so that two servers never deadlock. A window that seems to start in the future was started
 * by another server while this statement waited; a clock that was set back by more than a window starts a new window.
 */
const TAKE = `
  with clock as materialized (select clock_ms() as now_ms)
  insert into rate_window as known (subject, started_ms, allowed, used_before, used)
  select subject, now_ms, allowed, 0, least(wanted, allowed)
  from unnest($1::text[], $2::bigint[], $3::bigint[]) as asked (subject, allowed, wanted), clock
  order by subject
  on conflict (subject) do update set
    started_ms = case when abs(excluded.started_ms - known.started_ms) < ${RATE_WINDOW_MS} then known.started_ms else excluded.started_ms end,
    allowed = excluded.allowed,
    used_before = case when abs(excluded.started_ms - known.started_ms) < ${RATE_WINDOW_MS} then known.used else 0 end,
    used = case when abs(excluded.started_ms - known.started_ms) < ${RATE_WINDOW_MS}
      then greatest(known.used, least(excluded.allowed, known.used + excluded.used)) else excluded.used end
  returning subject, used - used_before as passed, used,
    least(${RATE_WINDOW_MS}, greatest(0, started_ms + ${RATE_WINDOW_MS} - clock_ms())) as reset_ms`;

const SET_STREAM = `
  insert into open_streams (server, owner, open) values ($1, $2, $3)
  on conflict (owner, server) do update set open = excluded.open`;
const REMOVE_STREAM = 'delete from open_streams where server = $1 and owner = $2';

const SET_STREAMS = `
  with gone as (delete from open_streams where server = $1 and owner <> all ($2::text[]))
  insert into open_streams (owner, server, open)
  select owner, $1, open from unnest($2::text[], $3::bigint[]) as counted (owner, open)
  order by owner
  on conflict (owner, server) do update set open = excluded.open`;

const BEAT = `
  with own as (
    insert into live_server values ($1, clock_ms()) on conflict (name) do update set seen_ms = excluded.seen_ms)
  select count(*) as others from live_server where name <> $1 and seen_ms > clock_ms() - ${ALIVE_MS}`;

export class PgCounts implements JointCounts {
  readonly #pool: pg.Pool;
  readonly #server: string;
  readonly #errorOf: ErrorOf;

  /** `server`: unique name of this process, never reused. */
  constructor(pool: pg.Pool, server: string, errorOf: ErrorOf) {
    this.#pool = pool;
    this.#server = server;
    this.#errorOf = errorOf;
  }

  async take(requests: readonly CountRequest[]): Promise<readonly CountedRequests[]> {
    const rows = await this.#query(TAKE, [
      requests.map(({ subject }) => subject),
      requests.map(({ limit }) => limit),
      requests.map(({ wanted }) => wanted),
    ]);
    return rows.map(({ subject, passed, used, reset_ms }) => ({ subject, passed, used, resetMs: reset_ms }));
  }

  async addStream({ owner, open }: StreamCount, limit: number): Promise<boolean> {
    const values = [owner, this.#server, open, limit, ALIVE_MS];
    const [row] = await this.#query('select add_stream($1, $2, $3, $4, $5) as is_added', values);
    return row?.is_added === true;
  }

  async setStream({ owner, open }: StreamCount): Promise<void> {
    await this.#query(open === 0 ? REMOVE_STREAM : SET_STREAM, [
      this.#server,
      owner,
      ...(open === 0 ? [] : [open]),
    ]);
  }

  async setStreams(counts: readonly StreamCount[]): Promise<void> {
    const owners = counts.map(({ owner }) => owner);
    await this.#query(SET_STREAMS, [this.#server, owners, counts.map(({ open }) => open)]);
  }

  async beat(): Promise<number> {
    const [row] = await this.#query(BEAT, [this.#server]);
    return 1 + Number(row?.others ?? 0);
  }

  async sweep(): Promise<void> {
    await this.#query(`delete from rate_window where subject in (
      select subject from rate_window where started_ms < clock_ms() - ${KEPT_MS} limit 10000 for update skip locked)`);
    await this.#query(`delete from live_server where seen_ms < clock_ms() - ${KEPT_MS}`);
    await this.#query('delete from open_streams where server not in (select name from live_server)');
  }

  /** Frees this server's streams and its share at once. */
  async close(): Promise<void> {
    try {
      await this.#query('delete from live_server where name = $1', [this.#server]);
      await this.#query('delete from open_streams where server = $1', [this.#server]);
    } catch {
      // They stop counting once the server is no longer alive.
    }
    await this.#pool.end();
  }

  async #query(sql: string, values: readonly unknown[] = []): Promise<readonly CountRow[]> {
    try {
      return (await this.#pool.query<CountRow>(sql, [...values])).rows;
    } catch (error) {
      throw this.#errorOf(error);
    }
  }
}

/** A row returned by any of the statements above. */
interface CountRow {
  readonly subject: string;
  readonly passed: number;
  readonly used: number;
  readonly reset_ms: number;
  readonly is_added?: boolean;
  readonly others?: number;
}
