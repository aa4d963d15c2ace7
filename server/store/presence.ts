// Tells whether the process that made a claim still lives: each holds a lock on a file of its own, which the kernel frees when the
// process ends, however it ends. SQLite's own locks do this on every system.
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { makeOwnFolder } from './own-folder.ts';
import { isBusy } from './sqlite-errors.ts';

const NAME = /^[A-Za-z0-9-]{1,64}$/;

export class Presence {
  readonly owner: string;
  readonly #folder: string;
  #lock: DatabaseSync | undefined;

  /** `owner` is a name that no other process has or ever had. */
  constructor(folder: string, owner: string) {
    if (!NAME.test(owner)) throw new Error(`${owner}: a process is named by letters, digits and hyphens.`);
    this.owner = owner;
    this.#folder = folder;
  }

  /** Before the first claim: processes that claim nothing leave no file. */
  enter(): void {
    if (this.#lock !== undefined) return;
    makeOwnFolder(this.#folder);
    this.#lock = lockOf(this.#fileOf(this.owner));
  }

  isAlive(owner: string): boolean {
    if (owner === this.owner) return true;
    const file = this.#fileOf(owner);
    if (statSync(file, { throwIfNoEntry: false }) === undefined) return false;
    try {
      lockOf(file).close();
      return false;
    } catch (error) {
      if (isBusy(error)) return true;
      throw error;
    }
  }

  /** Removes files of processes that ended. Only old ones: a new process may be between making its file and locking it. */
  sweep(beforeMs: number): void {
    if (this.#lock === undefined) return;
    for (const name of readdirSync(this.#folder)) {
      const facts = statSync(join(this.#folder, name), { throwIfNoEntry: false });
      if (facts !== undefined && facts.mtimeMs < beforeMs && !this.isAlive(name)) this.#remove(name);
    }
  }

  leave(): void {
    if (this.#lock === undefined) return;
    this.#lock.close();
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

/** @throws when another process holds it. */
export function lockOf(path: string): DatabaseSync {
  const db = new DatabaseSync(path, { timeout: 0 });
  try {
    // Nothing is ever written, so no journal needs to lie beside the file.
    db.exec('pragma journal_mode = memory; begin exclusive');
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}
