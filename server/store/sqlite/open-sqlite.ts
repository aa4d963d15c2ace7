// The store in one SQLite file, for the servers and commands of one machine. Several processes may have it open at once. Every change is on
// disk before it is acknowledged (WAL; synchronous = FULL, or a separate sync).
import { chmodSync, existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type ProcessLock, takeProcessLock } from '../../../platform/storage/process-lock.ts';
import type { Actor } from '../actor.ts';
import { makeOwnFolder } from '../own-folder.ts';
import type { Leadership, Presence } from '../processes.ts';
import type { Sealer } from '../seal.ts';
import { type OpsStore, StoreUnavailableError } from '../store.ts';
import { StoreGuard } from '../store-guard.ts';
import type { Connection } from '../tables/session.ts';
import { tablesOver } from '../tables/tables-over.ts';
import { migrationSteps, type NoteUpgrade } from './migrate.ts';
import { type Connect, connectSqlite, SqliteFile, type SyncFile } from './sqlite-file.ts';
import { type SessionClock, SqliteSession } from './sqlite-session.ts';

export interface StoreOptions extends SessionClock {
  readonly path: string;
  /** Unique name of this process, never reused; claims are made under it. */
  readonly owner: string;
  /** Encrypts data that may contain a secret. */
  readonly sealer: Sealer;
  readonly connect?: Connect;
  readonly sync?: SyncFile;
  /** The actor who accepts the store although its audit log is not the one last seen. */
  readonly accept?: Actor | undefined;
  readonly onUpgraded?: NoteUpgrade | undefined;
}

/**
 * Creates the file, readable only by its owner, if there is none.
 * @throws StoreUnavailableError if it cannot be opened or migrated.
 */
export async function openStore(options: StoreOptions): Promise<OpsStore> {
  const guard = new StoreGuard(options.path, options.sealer);
  const { connect = connectSqlite, sync, onUpgraded } = options;
  const parts = { connect, steps: migrationSteps(), guard, onUpgraded, ...(sync && { sync }) };
  const file = new SqliteFile(options.path, parts);
  const session = new SqliteSession(file, options);
  const presence = new FilePresence(`${options.path}-owners`, options.owner);
  const leadership = new FileLeadership(`${options.path}-dispatcher`);
  const context = { presence, sealer: options.sealer, working: new Set<string>(), leadership };
  const tables = tablesOver(session, context);
  try {
    await guard.establish(session, options.accept);
  } catch (error) {
    await session.close();
    throw error;
  }
  return {
    ...tables,
    transact: (work, sync) => session.transact((inner) => work(tablesOver(inner, context)), sync),
    checkWritable: () => session.write(takeRoom),
    // Changes are found by polling, because SQLite notifies no other process.
    onKeysChanged: () => () => undefined,
    async close() {
      await session.close();
      await presence.leave();
      await leadership.leave();
    },
  };
}

/** Larger than what a page has free, so that a full disk is noticed although small changes still fit. */
const ROOM_BYTES = 16_384;

/** Writes a row and deletes it again in the same transaction. */
async function takeRoom(db: Connection): Promise<void> {
  const filler = 'x'.repeat(ROOM_BYTES);
  await db.run("insert into usage_count values (?, '', 'requests', 0)", filler);
  await db.run('delete from usage_count where org = ?', filler);
}

// Of several processes on one store, the process that holds the lock dispatches.

const OWNER_ONLY_FILE = 0o600;

class FileLeadership implements Leadership {
  readonly #path: string;
  #lock: ProcessLock | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /** Whether this process leads, from now until `leave`. */
  async take(): Promise<boolean> {
    if (this.#lock !== undefined) return true;
    const lock = takeProcessLock(this.#path);
    if (lock === null) return false;
    this.#lock = lock;
    if (existsSync(this.#path)) chmodSync(this.#path, OWNER_ONLY_FILE);
    return true;
  }

  async leave(): Promise<void> {
    this.#lock?.release();
    this.#lock = undefined;
  }
}

// Whether the process that made a claim still runs: each process holds a lock on its own file.

const NAME = /^[A-Za-z0-9-]{1,64}$/;

export class FilePresence implements Presence {
  readonly owner: string;
  readonly #folder: string;
  #lock: ProcessLock | undefined;

  /** `owner`: unique name of this process, never reused. */
  constructor(folder: string, owner: string) {
    if (!NAME.test(owner))
      throw new Error(`${owner}: the name of a process consists of letters, digits and hyphens.`);
    this.owner = owner;
    this.#folder = folder;
  }

  /** Call this before the first claim. Processes without claims leave no file. */
  async enter(): Promise<void> {
    if (this.#lock !== undefined) return;
    makeOwnFolder(this.#folder);
    const lock = takeProcessLock(this.#fileOf(this.owner));
    if (lock === null)
      throw new StoreUnavailableError(`The lock of ${this.owner} is held by another process.`);
    this.#lock = lock;
  }

  async isAlive(owner: string): Promise<boolean> {
    return this.#isAlive(owner);
  }

  #isAlive(owner: string): boolean {
    if (owner === this.owner) return true;
    const file = this.#fileOf(owner);
    if (statSync(file, { throwIfNoEntry: false }) === undefined) return false;
    const lock = takeProcessLock(file);
    lock?.release();
    return lock === null;
  }

  /** Removes old files of ended processes. New files are kept, because a process may have created its file but not locked it yet. */
  sweep(beforeMs: number): void {
    if (this.#lock === undefined) return;
    for (const name of readdirSync(this.#folder)) {
      const facts = statSync(join(this.#folder, name), { throwIfNoEntry: false });
      if (facts !== undefined && facts.mtimeMs < beforeMs && !this.#isAlive(name)) this.#remove(name);
    }
  }

  async leave(): Promise<void> {
    if (this.#lock === undefined) return;
    this.#lock.release();
    this.#lock = undefined;
    this.#remove(this.owner);
  }

  #remove(owner: string): void {
    rmSync(this.#fileOf(owner), { force: true });
  }

  #fileOf(owner: string): string {
    return join(this.#folder, owner);
  }
}
