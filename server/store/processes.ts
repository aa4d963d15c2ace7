// What the processes that have one store open know of each other, whichever database it is.
import type { Connection } from './tables/session.ts';

/** Whether the process that made a claim still runs. */
export interface Presence {
  /** Unique name of this process, never reused. */
  readonly owner: string;
  /** Call before the first claim. @throws StoreUnavailableError when the name is in use. */
  enter(): Promise<void>;
  /** `db`: a connection to the store, for processes that are known by it. */
  isAlive(owner: string, db: Connection): Promise<boolean>;
  /** Removes what ended processes left behind before this time. */
  sweep(beforeMs: number): void;
  leave(): Promise<void>;
}

/** Of several processes on one store, one leads. */
export interface Leadership {
  /** Whether this process leads, now. A leader stays one until it leaves or loses the store. */
  take(): Promise<boolean>;
  leave(): Promise<void>;
}
