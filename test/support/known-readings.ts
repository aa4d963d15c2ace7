// What was read from the text of queries, for all workers of a run: parsing the queries of all families takes one and a half seconds.
import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ulid } from 'ulid';
import type { StoredReadings } from '../../jobs/engine/duckdb/readings.ts';
import type { DuckDb } from '../../jobs/engine/duckdb/session.ts';
import { runFolder } from './run-folder.ts';

const FILE = /^readings-\w+\.json$/;
const taken = new Set<string>();
const known: { [hash: string]: object } = {};

/** To be used by the database instead of parsing: what all workers have kept until now. */
export function takeReadings({ readings }: DuckDb): void {
  const folder = runFolder();
  for (const name of readdirSync(folder).filter((one) => FILE.test(one) && !taken.has(one))) {
    taken.add(name);
    Object.assign(known, JSON.parse(readFileSync(join(folder, name), 'utf8')) as StoredReadings);
  }
  readings.take(known);
}

/** After queries were loaded into the database. */
export function keepReadings({ readings }: DuckDb): void {
  const own = readings.toStore();
  if (own === null) return;
  const name = `readings-${ulid()}.json`;
  const file = join(runFolder(), name);
  writeFileSync(`${file}.new`, JSON.stringify(own));
  renameSync(`${file}.new`, file);
  taken.add(name);
}
