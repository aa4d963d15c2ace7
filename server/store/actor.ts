// The actor of a change to the store.

/** Who changes something, and by which request. Every change is written to the audit log in the same transaction. */
export interface Actor {
  /** `key:<id>`, or `cli:<user>` for the command line. */
  readonly who: string;
  readonly requestId: string | null;
  readonly atMs: number;
}
