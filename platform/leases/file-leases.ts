// Leases on one machine: locks on files.
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { takeProcessLock } from '../storage/process-lock.ts';
import type { Lease, Leases } from './leases.ts';

export class FileLeases implements Leases {
  readonly #fileOf: (name: string) => string;
  readonly #lease = new Set<Lease>();

  constructor(fileOf: (name: string) => string) {
    this.#fileOf = fileOf;
  }

  async take(name: string): Promise<Lease | null> {
    const file = this.#fileOf(name);
    mkdirSync(dirname(file), { recursive: true });
    const lock = takeProcessLock(file);
    if (lock === null) return null;
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    let isHeld = true;
    const lease: Lease = {
      term: null,
      isContinued: false,
      isHeld: () => isHeld,
      ended,
      release: async () => {
        if (!isHeld) return;
        isHeld = false;
        this.#lease.delete(lease);
        lock.release();
        end();
      },
    };
    this.#lease.add(lease);
    return lease;
  }

  wait(name: string): Promise<Lease | null> {
    return this.take(name);
  }

  async close(): Promise<void> {
    for (const lease of this.#lease) await lease.release();
  }
}
