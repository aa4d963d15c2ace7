// The lock by which one of several processes on one store dispatches. The kernel frees it when its holder ends, however it ends.
import { chmodSync, existsSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { lockOf } from './presence.ts';
import { isBusy } from './sqlite-errors.ts';

const OWNER_ONLY_FILE = 0o600;

export class Leadership {
  readonly #path: string;
  #lock: DatabaseSync | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /** Whether this process leads, now and until `leave`. */
  take(): boolean {
    if (this.#lock !== undefined) return true;
    try {
      this.#lock = lockOf(this.#path);
    } catch (error) {
      if (isBusy(error)) return false;
      throw error;
    }
    if (existsSync(this.#path)) chmodSync(this.#path, OWNER_ONLY_FILE);
    return true;
  }

  leave(): void {
    this.#lock?.close();
    this.#lock = undefined;
  }
}
