// What several servers count together: requests in a minute, and open streams. Whoever counts here waits for a database; every method
// throws when it cannot be reached, and then nothing is known about what was counted.

/** Requests of one subject that wait to be counted. */
export interface CountRequest {
  readonly subject: string;
  readonly limit: number;
  readonly wanted: number;
}

export interface CountedRequests {
  readonly subject: string;
  /** How many of the wanted requests pass. */
  readonly passed: number;
  /** Requests of the window that have passed, these included. */
  readonly used: number;
  /** Until the window ends, by the clock of the database. */
  readonly resetMs: number;
}

/** Connections of an owner to one server. */
export interface StreamCount {
  readonly owner: string;
  readonly open: number;
}

export interface JointCounts {
  /** Each subject at most once. */
  take(requests: readonly CountRequest[]): Promise<readonly CountedRequests[]>;
  /** Adds a connection to those that this server has already, unless all servers together have `limit`; returns whether it was added. */
  addStream(count: StreamCount, limit: number): Promise<boolean>;
  /** Replaces what is known of an owner's streams at this server. */
  setStream(count: StreamCount): Promise<void>;
  /** Replaces what is known of this server's streams. */
  setStreams(counts: readonly StreamCount[]): Promise<void>;
  /** Reports that this server is alive; returns how many are. Call it every few seconds. */
  beat(): Promise<number>;
  /** Removes what has ended. */
  sweep(): Promise<void>;
  close(): Promise<void>;
}
