// Mutual exclusion between processes: of all that request a lease, one holds it. On one machine a lease is a lock on a file, which the
// kernel releases when its holder ends. Across hosts it is a row in PostgreSQL. One conformance suite covers both.
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { TermMark } from '../storage/fence.ts';
import { takeProcessLock } from '../storage/process-lock.ts';

export interface Lease {
  /** Null if a holder cannot outlive its lease: a lock on this machine is held until the process ends. */
  readonly term: TermMark | null;
  /** Whether this process was also the previous holder; false if unknown. */
  readonly isContinued: boolean;
  /** Whether the lease is certainly held at this moment. Once false, it stays false. */
  isHeld(): boolean;
  /** Resolves when the lease is no longer held, for any reason. */
  readonly ended: Promise<void>;
  release(): Promise<void>;
}

export interface Leases {
  /** Returns null while another process holds the lease. @throws LeasesUnavailableError */
  take(name: string): Promise<Lease | null>;
  /**
   * Waits for the lease where several hosts take turns; returns null if `stopped` resolves first. On one machine a second process is a
   * mistake and gets null at once.
   */
  wait(name: string, stopped: Promise<unknown>): Promise<Lease | null>;
  /** Releases all held leases. */
  close(): Promise<void>;
}

/** The holder of a lease cannot be determined. */
export class LeasesUnavailableError extends Error {
  override readonly name = 'LeasesUnavailableError';
}

// Leases on one machine: locks on files.

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
