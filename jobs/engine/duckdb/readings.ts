// What was read from the text of queries. Parsing the queries of all models takes a third of a second, so the results are kept for the
// whole process, and in the warehouse for the next process that opens it.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import type { Row } from '../rows.ts';
import { literal } from '../sql-text.ts';

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
  async once<T extends object>(what: string, sql: string, read: () => Promise<T>): Promise<T> {
    const text = `${what} ${sql}`;
    this.#used.add(text);
    const known = this.#find(text);
    const found = known ?? (await read());
    if (known === undefined) this.#hasParsed = true;
    this.#known.set(text, found);
    return found as T;
  }

  /** Whether nothing need be parsed for this reading. */
  has(what: string, sql: string): boolean {
    return this.#find(`${what} ${sql}`) !== undefined;
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

  #find(text: string): object | undefined {
    return this.#known.get(text) ?? (this.#stored.size > 0 ? this.#stored.get(hashOf(text)) : undefined);
  }
}

/** What is needed of the database. */
interface Database {
  readonly version: string;
  execute(sql: string): Promise<number>;
  rows(sql: string): Promise<readonly Row[]>;
  atomic<T>(work: () => Promise<T>): Promise<T>;
}

/** Folders of the engine's code. */
const FOLDERS = ['./', '../'].map((path) => new URL(path, import.meta.url));

/**
 * Hash of the engine's version, whose parser produces the trees, and of the code that reads them. `readers`: folders of code outside the
 * engine. Every file in a folder is hashed, so none is missed.
 */
function makerOf(version: string, readers: readonly URL[]): string {
  const hash = createHash('sha256').update(version);
  for (const folder of [...FOLDERS, ...readers])
    for (const name of readdirSync(folder).sort())
      if (name.endsWith('.ts')) hash.update(`\n${name}\n`).update(readFileSync(new URL(name, folder)));
  return hash.digest('hex');
}

/** Loads what the same code on the same engine stored. Does nothing if there is no such row or it cannot be read. */
export async function loadReadings(
  db: Database,
  readings: Readings,
  readers: readonly URL[] = [],
): Promise<void> {
  const [row] = await db.rows(
    `select readings from meta.reading where maker = ${literal(makerOf(db.version, readers))}`,
  );
  const stored = row === undefined ? undefined : objectIn(String(row['readings']));
  if (stored !== undefined) readings.take(stored);
}

function objectIn(text: string): StoredReadings | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as StoredReadings) : undefined;
  } catch {
    return undefined;
  }
}

/** Replaces the stored readings if anything had to be parsed. */
export async function saveReadings(
  db: Database,
  readings: Readings,
  readers: readonly URL[] = [],
): Promise<void> {
  const all = readings.toStore();
  if (all === null) return;
  await db.atomic(async () => {
    await db.execute(`
      delete from meta.reading;
      insert into meta.reading values (${literal(makerOf(db.version, readers))}, ${literal(JSON.stringify(all))})`);
  });
}
