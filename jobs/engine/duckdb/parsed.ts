// What was read from the text of queries. Parsing the queries of all models takes a third of a second, so the results are kept for the
// whole process, and in the warehouse for the next process (stored-readings.ts).
import { createHash } from 'node:crypto';

type Reading = 'tables' | 'columns' | 'times' | 'needs';

/** Keyed by the kind of reading and the text of the query. */
type KnownReadings = Map<string, object>;

/** Keyed by a hash of the kind of reading and the text of the query. */
export type StoredReadings = { readonly [hash: string]: object };

const knownInProcess: KnownReadings = new Map();

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** The readings of one database. */
export class Readings {
  readonly #known: KnownReadings;
  readonly #used = new Set<string>();
  #stored: ReadonlyMap<string, object> = new Map();
  #hasParsed = false;

  constructor(known: KnownReadings = knownInProcess) {
    this.#known = known;
  }

  /** Resolves to the result of `read`, or of an earlier call with the same text. Errors are not kept. */
  async once<T extends object>(what: Reading, sql: string, read: () => Promise<T>): Promise<T> {
    const text = `${what} ${sql}`;
    this.#used.add(text);
    const known =
      this.#known.get(text) ?? (this.#stored.size > 0 ? this.#stored.get(hashOf(text)) : undefined);
    const found = known ?? (await read());
    if (known === undefined) this.#hasParsed = true;
    this.#known.set(text, found);
    return found as T;
  }

  /** Adopts stored readings, which are then used instead of parsing. */
  take(stored: StoredReadings): void {
    this.#stored = new Map(Object.entries(stored));
  }

  /** Every reading that was used; null when nothing had to be parsed. */
  toStore(): StoredReadings | null {
    if (!this.#hasParsed) return null;
    const entries = [...this.#used].flatMap((text) => {
      const found = this.#known.get(text);
      return found === undefined ? [] : [[hashOf(text), found] as const];
    });
    return Object.fromEntries(entries);
  }
}
