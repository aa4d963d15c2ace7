// Migrates the tables of a store to the step this version of the service expects: numbered SQL files, each applied once, all in one
// transaction. The database records which were applied.
import { readdirSync, readFileSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { StoreUnavailableError } from '../store.ts';

const FOLDER = new URL('./migrations/', import.meta.url);
const NAME = /^m(\d{3})-[a-z0-9-]+\.sql$/;
/** Identifies the file as a store: `RISK` in ASCII. */
const APPLICATION_ID = 0x5249534b;

/** The SQL of step n is at index n − 1. @throws if a number is missing or used twice. */
export function migrationSteps(): readonly string[] {
  const names = readdirSync(FOLDER).sort();
  return names.map((name, index) => {
    if (Number(NAME.exec(name)?.[1]) !== index + 1)
      throw new Error(`migrations/${name}: expected m${String(index + 1).padStart(3, '0')}-<what>.sql here.`);
    return readFileSync(new URL(name, FOLDER), 'utf8');
  });
}

/** Reports that the tables of a store were brought from an earlier format to the present one. */
export type NoteUpgrade = (upgrade: { readonly from: number; readonly to: number }) => void;

/**
 * The format of a store is the number of the newest applied step.
 * @throws StoreUnavailableError if the file is not a store or is from a newer version.
 */
export function migrate(
  db: DatabaseSync,
  path: string,
  steps: readonly string[],
  onUpgraded?: NoteUpgrade,
): void {
  if (stepOf(db, path, steps.length) === steps.length) return;
  db.exec('begin immediate');
  let from = 0;
  try {
    from = stepOf(db, path, steps.length);
    for (const step of steps.slice(from)) db.exec(step);
    db.exec(`pragma application_id = ${APPLICATION_ID}; pragma user_version = ${steps.length}; commit`);
  } finally {
    if (db.isTransaction) db.exec('rollback');
  }
  if (from > 0 && from < steps.length) onUpgraded?.({ from, to: steps.length });
}

/** The newest applied step; 0 for an empty file. @throws StoreUnavailableError */
export function stepOf(db: DatabaseSync, path: string, known: number): number {
  const step = pragma(db, 'user_version');
  const isOurs = pragma(db, 'application_id') === APPLICATION_ID;
  const isEmpty = db.prepare('select 1 from sqlite_schema limit 1').get() === undefined;
  if (!isOurs && !isEmpty) throw new StoreUnavailableError(`${path} is a database of another application.`);
  if (step > known) throw new StoreUnavailableError(newerStore(path, { step, known }));
  return step;
}

export const newerStore = (path: string, { step, known }: { step: number; known: number }): string =>
  `The store ${path} has format ${step}, written by a newer version of this service; this one knows formats up to ${known}. Nothing was changed. Use the version that wrote it, or a later one.`;

const pragma = (db: DatabaseSync, name: string) => db.prepare(`pragma ${name}`).get()?.[name] as number;
