// Whether the process that made a claim still runs: each process holds a lock on its own file.
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type ProcessLock, takeProcessLock } from '../../../platform/storage/process-lock.ts';
import { makeOwnFolder } from '../own-folder.ts';
import type { Presence } from '../processes.ts';
import { StoreUnavailableError } from '../store.ts';

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
