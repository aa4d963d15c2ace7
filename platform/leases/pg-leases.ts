// Leases across hosts: rows in PostgreSQL, renewed by their holder. All waits and clocks use this process's monotonic clock or the clock of
// the database, so clock skew between hosts does not matter. A holder that loses its connection holds nothing from that moment on. A holder
// that was paused finds its lease expired when it resumes. The folder refuses whoever writes under an older term (fence.ts).
import type pg from 'pg';
import { serialQueue } from '../base/tasks.ts';
import { type Lease, type Leases, LeasesUnavailableError } from './leases.ts';
import { DatabaseRefusedError, pgFaultOf } from '../postgres/pg-faults.ts';
import { pgMigrate, pgMigrationSteps } from '../postgres/pg-migrate.ts';
import { checkedAddress, makeClient } from '../postgres/pg-pool.ts';

/** Another process may take a lease that was not renewed for this long. */
const LEASE_MS = 15_000;
/** Number of renewals in that time. */
const RENEWALS = 6;
/** The holder stops this share of the time early, so that it never overlaps with the next holder. */
const SAFETY_SHARE = 1 / 6;
const RETRY_MS = 500;

export interface PgLeasesOptions {
  /** `postgres://user@host:port/database`. The password comes from PGPASSWORD or PGPASSFILE. */
  readonly url: string;
  /** Name of this process: unique and never reused. */
  readonly owner: string;
  /** Monotonic milliseconds. */
  readonly steadyMs: () => number;
  readonly every: (ms: number, work: () => void) => () => void;
  readonly wait: (ms: number) => Promise<void>;
  readonly warn: (message: string) => void;
  /** Lifetime of a lease that is not renewed, the same on all hosts; default 15 s. */
  readonly leaseMs?: number;
}

/** A lease can be taken if it was not renewed in time or its holder's connection is gone. */
const TAKE = `
  with earlier as materialized (select last_holder from lease where name = $1)
  insert into lease as known (name, holder, last_holder, term, renewed_ms)
  values ($1, $2, $2, nextval('lease_term'), clock_ms())
  on conflict (name) do update set
    holder = excluded.holder, last_holder = excluded.holder, term = excluded.term, renewed_ms = excluded.renewed_ms
  where known.holder = '' or abs(clock_ms() - known.renewed_ms) > $3
    or known.holder <> excluded.holder
      and pg_try_advisory_xact_lock(hashtextextended(current_schema() || ' holder ' || known.holder, 0))
  returning term, coalesce((select last_holder from earlier) = $2, false) as is_continued`;
const OWN = `select pg_advisory_lock(hashtextextended(current_schema() || ' holder ' || $1, 0))`;
const RENEW = `update lease set renewed_ms = clock_ms() where holder = $1 returning name, term`;
const RELEASE = `update lease set holder = '' where name = $1 and holder = $2 and term = $3`;

interface LeaseHold {
  readonly name: string;
  readonly holder: string;
  readonly number: number;
  /** Monotonic milliseconds until which the lease is certainly held. */
  untilMs: number;
  readonly end: () => void;
}

export class PgLeases implements Leases {
  readonly #options: PgLeasesOptions;
  readonly #database: string;
  readonly #leaseMs: number;
  /** How long a lease is certainly held after a renewal. */
  readonly #certainMs: number;
  readonly #holds = new Set<LeaseHold>();
  #connection: Promise<Connection> | undefined;
  #connections = 0;
  /** A connection runs one statement at a time. */
  readonly #queue = serialQueue();
  readonly #stopRenewing: () => void;

  private constructor(options: PgLeasesOptions) {
    this.#options = options;
    this.#database = checkedAddress(options.url);
    this.#leaseMs = options.leaseMs ?? LEASE_MS;
    this.#certainMs = this.#leaseMs * (1 - SAFETY_SHARE);
    this.#stopRenewing = options.every(this.#leaseMs / RENEWALS, () => void this.#renew());
  }

  /** @throws DatabaseRefusedError, LeasesUnavailableError */
  static async open(options: PgLeasesOptions): Promise<PgLeases> {
    const leases = new PgLeases(options);
    try {
      await leases.#inTurn(async () => undefined);
    } catch (error) {
      leases.#stopRenewing();
      throw error;
    }
    return leases;
  }

  async take(name: string): Promise<Lease | null> {
    const { steadyMs } = this.#options;
    return this.#inTurn(async ({ client, installation, holder }) => {
      const askedMs = steadyMs();
      const { rows } = await client.query(TAKE, [name, holder, this.#leaseMs]);
      if (rows[0] === undefined) return null;
      const { promise: ended, resolve: end } = Promise.withResolvers<void>();
      const hold: LeaseHold = {
        name,
        holder,
        number: Number(rows[0].term),
        untilMs: askedMs + this.#certainMs,
        end,
      };
      this.#holds.add(hold);
      return {
        term: { installation, number: hold.number },
        isContinued: rows[0].is_continued === true,
        isHeld: () => this.#isHeld(hold),
        ended,
        release: () => this.#release(hold),
      };
    });
  }

  async wait(name: string, stopped: Promise<unknown>): Promise<Lease | null> {
    let isStopping = false;
    const stopping = stopped.then(() => {
      isStopping = true;
    });
    for (let isWarned = false; ; ) {
      try {
        const lease = await this.take(name);
        if (lease !== null && isStopping) await lease.release();
        if (isStopping) return null;
        if (lease !== null) return lease;
      } catch (error) {
        if (!(error instanceof LeasesUnavailableError)) throw error;
        if (!isWarned) this.#options.warn(error.message);
        isWarned = true;
      }
      await Promise.race([this.#options.wait(RETRY_MS), stopping]);
      if (isStopping) return null;
    }
  }

  async close(): Promise<void> {
    this.#stopRenewing();
    for (const hold of this.#holds) await this.#release(hold);
    const connection = this.#connection;
    this.#connection = undefined;
    await connection?.then(({ client }) => client.end()).catch(() => undefined);
  }

  #isHeld(hold: LeaseHold): boolean {
    if (this.#holds.has(hold) && this.#options.steadyMs() >= hold.untilMs) this.#end(hold);
    return this.#holds.has(hold);
  }

  #end(hold: LeaseHold): void {
    this.#holds.delete(hold);
    hold.end();
  }

  async #release(hold: LeaseHold): Promise<void> {
    if (!this.#holds.has(hold)) return;
    this.#end(hold);
    const { name, holder, number } = hold;
    // If the database is unreachable, the lease expires on its own.
    await this.#inTurn(({ client }) => client.query(RELEASE, [name, holder, number])).catch(() => undefined);
  }

  async #renew(): Promise<void> {
    for (const hold of this.#holds) this.#isHeld(hold);
    if (this.#holds.size === 0) return;
    const askedMs = this.#options.steadyMs();
    try {
      const { rows } = await this.#inTurn(({ client, holder }) => client.query(RENEW, [holder]));
      for (const hold of this.#holds) {
        const isOurs = rows.some(({ name, term }) => name === hold.name && Number(term) === hold.number);
        if (isOurs) hold.untilMs = Math.max(hold.untilMs, askedMs + this.#certainMs);
        // A lease taken after this request is renewed by the next one.
        else if (hold.untilMs < askedMs + this.#certainMs) this.#end(hold);
      }
    } catch {
      // The lost connection has ended the leases; otherwise they expire on their own.
    }
  }

  #inTurn<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    return this.#queue(async () => {
      try {
        return await work(await this.#connected());
      } catch (error) {
        throw this.#errorOf(error);
      }
    });
  }

  #connected(): Promise<Connection> {
    this.#connection ??= this.#connect();
    return this.#connection;
  }

  async #connect(): Promise<Connection> {
    const client = makeClient(this.#options.url);
    const lost = () => {
      this.#connection = undefined;
      for (const hold of this.#holds) this.#end(hold);
    };
    client.on('error', lost).on('end', lost);
    try {
      await client.connect();
      await pgMigrate(client, this.#database, pgMigrationSteps());
      const holder = `${this.#options.owner} ${++this.#connections}`;
      await client.query(OWN, [holder]);
      const { rows } = await client.query('select id from lease_installation');
      return { client, holder, installation: String(rows[0]?.id) };
    } catch (error) {
      lost();
      await client.end().catch(() => undefined);
      throw error;
    }
  }

  #errorOf(error: unknown): unknown {
    if (error instanceof DatabaseRefusedError) return error;
    const fault = pgFaultOf(error);
    if (fault === undefined) return error;
    const message = `The database ${this.#database}, which holds the leases, ${fault.message}.`;
    return new LeasesUnavailableError(message, { cause: error });
  }
}

interface Connection {
  readonly client: pg.Client;
  /** Every connection is a separate holder, because the database may notice a lost connection later than this process does. */
  readonly holder: string;
  readonly installation: string;
}
