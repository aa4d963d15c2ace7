// The ops store of the simulation: the tables and statements of the service over SQLite in memory. What a process commits survives its end;
// what was not yet synced is lost when the power fails. The file format of SQLite itself is outside the simulation.
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { serialQueue } from '../../../platform/base/tasks.ts';
import { StoreUnavailableError } from '../../../server/store/store.ts';
import type { OpsTables } from '../../../server/store/store.ts';
import { migrate, migrationSteps } from '../../../server/store/sqlite/migrate.ts';
import type { Connection, Guard, Session } from '../../../server/store/tables/session.ts';
import { tablesOver } from '../../../server/store/tables/tables-over.ts';
import type { Sealer } from '../../../server/store/seal.ts';
import type { Life, Scheduler } from './scheduler.ts';

/** Keys, seals and the audit log are tested elsewhere. */
const GUARD: Guard = {
  headFault: undefined,
  entryMac: (text) => text.slice(0, 64),
  keyMac: (hash) => hash,
  keyedFrom: async () => 0,
  check: async () => undefined,
  recheck: async () => undefined,
  advance: async () => undefined,
};

export interface StoreFlaws {
  /** Changes are acknowledged although they are not on disk. */
  readonly acknowledgesUnsynced?: boolean;
}

let database: DatabaseSync | undefined;
const statements = new Map<string, StatementSync>();

function migrated(): DatabaseSync {
  if (database !== undefined) return database;
  const made = new DatabaseSync(':memory:');
  migrate(made, ':memory:', migrationSteps());
  database = made;
  return made;
}

/** Everything happens in one transaction, which is rolled back in the end; the savepoint `synced` holds what is not yet on disk. */
export class SimulatedStore {
  readonly #db = migrated();
  readonly #scheduler: Scheduler;
  readonly #flaws: StoreFlaws;
  readonly #connection: Connection;
  #leader: Life | undefined;

  constructor(scheduler: Scheduler, flaws: StoreFlaws = {}) {
    this.#scheduler = scheduler;
    this.#flaws = flaws;
    this.#db.exec('begin; savepoint synced');
    const prepared = (sql: string) => {
      const statement = statements.get(sql) ?? this.#db.prepare(sql);
      statements.set(sql, statement);
      return statement;
    };
    this.#connection = {
      guard: GUARD,
      isAuditAhead: false,
      get: async (sql, ...values) => prepared(sql).get(...values),
      all: async (sql, ...values) => prepared(sql).all(...values),
      run: async (sql, ...values) => Number(prepared(sql).run(...values).changes),
    };
  }

  close(): void {
    this.#db.exec('rollback');
  }

  powerFailure(): void {
    this.#db.exec('rollback to synced');
  }

  /** For checks, outside of time. */
  all(sql: string, ...values: readonly string[]): readonly Record<string, unknown>[] {
    return this.#db.prepare(sql).all(...values);
  }

  /** The tables as one process sees them. `isRefused`: whether the store cannot be used now. */
  tablesFor(life: Life, sealer: Sealer, isRefused: () => boolean): OpsTables {
    const presence = {
      owner: life.name,
      enter: async () => undefined,
      isAlive: async () => false,
      sweep: () => undefined,
      leave: async () => undefined,
    };
    const leadership = {
      take: () => this.#scheduler.call(life, 'store lead', () => this.#take(life)),
      leave: async () => undefined,
    };
    const context = { presence, leadership, sealer, working: new Set<string>() };
    return tablesOver(this.#sessionOf(life, isRefused), context);
  }

  #take(life: Life): boolean {
    if (this.#leader?.isAlive !== true) this.#leader = life;
    return this.#leader === life;
  }

  #sessionOf(life: Life, isRefused: () => boolean): Session {
    const inTurn = serialQueue();
    const begin = (name: string) =>
      this.#scheduler.call(life, `store ${name}`, () => {
        if (isRefused()) throw new StoreUnavailableError('simulated: the store is locked');
      });
    const change = <T>(work: (db: Connection) => Promise<T>, isSynced: boolean) =>
      inTurn(async () => {
        await begin('write');
        const result = await this.#transaction(work);
        if (isSynced && this.#flaws.acknowledgesUnsynced !== true) this.#sync();
        return await this.#scheduler.call(life, 'store written', () => result);
      });
    return {
      read: (work) => inTurn(async () => begin('read').then(() => work(this.#connection))),
      write: (work) => change(work, true),
      writeSoon: (work) => change(work, false),
    };
  }

  /** Statements in memory take no turn, so nothing else happens until this resolves. */
  async #transaction<T>(work: (db: Connection) => Promise<T>): Promise<T> {
    this.#db.exec('savepoint work');
    try {
      const result = await work(this.#connection);
      this.#db.exec('release work');
      return result;
    } catch (error) {
      this.#db.exec('rollback to work; release work');
      throw error;
    }
  }

  #sync(): void {
    this.#db.exec('release synced; savepoint synced');
  }
}
