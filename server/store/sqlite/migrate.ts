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

/** @throws StoreUnavailableError if the file is not a store or is from a newer version. */
export function migrate(db: DatabaseSync, path: string, steps: readonly string[]): void {
  if (stepOf(db, path, steps.length) === steps.length) return;
  db.exec('begin immediate');
  try {
    for (const step of steps.slice(stepOf(db, path, steps.length))) db.exec(step);
    db.exec(`pragma application_id = ${APPLICATION_ID}; pragma user_version = ${steps.length}; commit`);
  } finally {
    if (db.isTransaction) db.exec('rollback');
  }
}

/** The newest applied step; 0 for an empty file. @throws StoreUnavailableError */
export function stepOf(db: DatabaseSync, path: string, known: number): number {
  const step = pragma(db, 'user_version');
  const isOurs = pragma(db, 'application_id') === APPLICATION_ID;
  const isEmpty = db.prepare('select 1 from sqlite_schema limit 1').get() === undefined;
  if (!isOurs && !isEmpty) throw new StoreUnavailableError(`${path} is a database of another application.`);
  if (step > known)
    throw new StoreUnavailableError(`The store ${path} was written by a newer version of this service.`);
  return step;
}

const pragma = (db: DatabaseSync, name: string) => db.prepare(`pragma ${name}`).get()?.[name] as number;
