// Counts shared by several servers: requests per minute, and open streams. Counting waits for a database. Every method throws if the
// database cannot be reached, and it is then unknown what was counted.

/** Requests of one subject that are waiting to be counted. */
export interface CountRequest {
  readonly subject: string;
  readonly limit: number;
  readonly wanted: number;
}

export interface CountedRequests {
  readonly subject: string;
  /** How many of the wanted requests pass. */
  readonly passed: number;
  /** Requests that have passed in the window, including these. */
  readonly used: number;
  /** Time until the window ends, by the clock of the database. */
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
  /** Adds a connection to the owner's streams at this server, unless all servers together have `limit`. Returns whether it was added. */
  addStream(count: StreamCount, limit: number): Promise<boolean>;
  /** Replaces the recorded number of an owner's streams at this server. */
  setStream(count: StreamCount): Promise<void>;
  /** Replaces the recorded streams of this server. */
  setStreams(counts: readonly StreamCount[]): Promise<void>;
  /** Reports that this server is alive. Returns the number of live servers. Call it every few seconds. */
  beat(): Promise<number>;
  /** Removes ended windows and servers. */
  sweep(): Promise<void>;
  close(): Promise<void>;
}
