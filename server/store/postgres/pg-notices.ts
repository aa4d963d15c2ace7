// Learns at once, on a separate connection, that any process has changed keys. A notice can be missed while the connection is lost, so
// callers also poll.
import type pg from 'pg';

const CHANNEL = 'keys_changed';
const RETRY_MS = 1_000;

export interface PgNoticesDeps {
  /** Creates a client that is not yet connected. */
  readonly connect: () => pg.Client;
  readonly wait: (ms: number) => Promise<void>;
}

export class PgNotices {
  readonly #deps: PgNoticesDeps;
  readonly #listeners = new Set<() => void>();
  #client: pg.Client | undefined;
  #listening: Promise<void> | undefined;
  #isClosed = false;

  constructor(deps: PgNoticesDeps) {
    this.#deps = deps;
  }

  /** Returns a function that unsubscribes. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    this.#listening ??= this.#listen();
    return () => void this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#client?.end().catch(() => undefined);
  }

  async #listen(): Promise<void> {
    while (!this.#isClosed) {
      try {
        await this.#untilLost();
      } catch {
        // Callers poll until the connection is back.
      }
      if (!this.#isClosed) await this.#deps.wait(RETRY_MS);
    }
  }

  async #untilLost(): Promise<void> {
    const client = this.#deps.connect();
    this.#client = client;
    const lost = Promise.withResolvers<void>();
    client.on('error', () => lost.resolve()).on('end', () => lost.resolve());
    try {
      await client.connect();
      const { rows } = await client.query('select current_schema() as schema');
      client.on('notification', ({ payload }) => {
        if (payload === rows[0]?.schema) this.#report();
      });
      await client.query(`listen ${CHANNEL}`);
      this.#report();
      await lost.promise;
    } finally {
      await client.end().catch(() => undefined);
    }
  }

  #report(): void {
    for (const listener of this.#listeners) listener();
  }
}
