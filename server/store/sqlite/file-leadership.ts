// Of several processes on one store, the one that holds the lock dispatches.
import { chmodSync, existsSync } from 'node:fs';
import { type ProcessLock, takeProcessLock } from '../../launch/process-lock.ts';

const OWNER_ONLY_FILE = 0o600;

export class Leadership {
  readonly #path: string;
  #lock: ProcessLock | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /** Whether this process leads, now and until `leave`. */
  take(): boolean {
    if (this.#lock !== undefined) return true;
    const lock = takeProcessLock(this.#path);
    if (lock === null) return false;
    this.#lock = lock;
    if (existsSync(this.#path)) chmodSync(this.#path, OWNER_ONLY_FILE);
    return true;
  }

  leave(): void {
    this.#lock?.release();
    this.#lock = undefined;
  }
}
