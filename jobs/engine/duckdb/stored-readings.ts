// Keeps in the warehouse what was read from the text of queries, so the next process that opens it need not parse the models.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { literal } from '../sql-text.ts';
import type { Readings, StoredReadings } from './parsed.ts';
import type { DuckDb } from './session.ts';

type Database = Pick<DuckDb, 'version' | 'execute' | 'rows' | 'atomic'>;

/** Folders of the code that decides what is read from a text. Every file in them is hashed, so none is missed. */
const FOLDERS = ['./', '../'].map((path) => new URL(path, import.meta.url));

/** Hash of the engine's version, whose parser produces the trees, and of the code that reads them. */
function makerOf(version: string): string {
  const hash = createHash('sha256').update(version);
  for (const folder of FOLDERS)
    for (const name of readdirSync(folder).sort())
      if (name.endsWith('.ts')) hash.update(`\n${name}\n`).update(readFileSync(new URL(name, folder)));
  return hash.digest('hex');
}

/** Loads what the same code on the same engine stored. Does nothing if there is no such row or it cannot be read. */
export async function loadReadings(db: Database, readings: Readings): Promise<void> {
  const [row] = await db.rows(
    `select readings from meta.reading where maker = ${literal(makerOf(db.version))}`,
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
export async function saveReadings(db: Database, readings: Readings): Promise<void> {
  const all = readings.toStore();
  if (all === null) return;
  await db.atomic(async () => {
    await db.execute(`
      delete from meta.reading;
      insert into meta.reading values (${literal(makerOf(db.version))}, ${literal(JSON.stringify(all))})`);
  });
}
