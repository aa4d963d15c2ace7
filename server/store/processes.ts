// How the processes that have one store open learn about each other, whatever the database.
import type { Connection } from './tables/session.ts';

/** Whether the process that made a claim still runs. */
export interface Presence {
  /** Unique name of this process, never reused. */
  readonly owner: string;
  /** Call this before the first claim. @throws StoreUnavailableError if the name is in use. */
  enter(): Promise<void>;
  /** `db`: a connection to the store, for databases that record the processes. */
  isAlive(owner: string, db: Connection): Promise<boolean>;
  /** Removes what ended processes left behind before this time. */
  sweep(beforeMs: number): void;
  leave(): Promise<void>;
}

/** Of several processes on one store, one leads. */
export interface Leadership {
  /** Whether this process leads now. A leader leads until it leaves or loses the store. */
  take(): Promise<boolean>;
  leave(): Promise<void>;
}
