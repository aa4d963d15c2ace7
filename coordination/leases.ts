// What processes agree on: of all that ask for a lease, one holds it. On one machine that is a lock on a file, which the kernel releases when
// its holder ends. Over several hosts it is a row in PostgreSQL; a conformance suite says what both must do.
import type { TermMark } from '../snapshots/fence.ts';

export interface Lease {
  /** Null where a holder cannot outlive its lease: a lock of this machine is held until the process has ended. */
  readonly term: TermMark | null;
  /** Whether this process was the last one that held it; false where that is not known. */
  readonly isContinued: boolean;
  /** Whether it is held for certain, now; once false, it stays false. */
  isHeld(): boolean;
  /** Resolves when it is no longer held, for whatever reason. */
  readonly ended: Promise<void>;
  release(): Promise<void>;
}

export interface Leases {
  /** Null while another process holds it. @throws LeasesUnavailableError */
  take(name: string): Promise<Lease | null>;
  /**
   * Waits for a lease where several hosts take turns, and is null when `stopped` resolves first. On one machine a second process is a mistake:
   * it gets null at once.
   */
  wait(name: string, stopped: Promise<unknown>): Promise<Lease | null>;
  /** Releases what is held. */
  close(): Promise<void>;
}

/** It cannot be known who holds a lease. */
export class LeasesUnavailableError extends Error {
  override readonly name = 'LeasesUnavailableError';
}
