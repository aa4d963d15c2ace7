// Of several processes on one store, the process that holds the lock dispatches.
import { chmodSync, existsSync } from 'node:fs';
import { type ProcessLock, takeProcessLock } from '../../../platform/storage/process-lock.ts';
import type { Leadership } from '../processes.ts';

const OWNER_ONLY_FILE = 0o600;

export class FileLeadership implements Leadership {
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
