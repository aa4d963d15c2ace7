// Creates the schemas, macros and internal tables of a database. A database that already has them is left alone: recreating them each
// time it is opened would add them to its write-ahead log each time.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { DuckDBConnection } from '@duckdb/node-api';

export const PRELUDE = readFileSync(new URL('./prelude.sql', import.meta.url), 'utf8');
const HASH = createHash('sha256').update(PRELUDE).digest('hex');

export async function ensurePrelude(connection: DuckDBConnection): Promise<void> {
  if ((await appliedHash(connection)) === HASH) return;
  await connection.run(`
    begin transaction;
    ${PRELUDE};
    create or replace view meta.prelude as select '${HASH}' as hash;
    commit`);
}

/** Undefined for a database without a prelude. */
async function appliedHash(connection: DuckDBConnection): Promise<unknown> {
  try {
    const [row] = await (await connection.run('select hash from meta.prelude')).getRows();
    return row?.[0];
  } catch (cause) {
    if (String(cause).includes('Catalog Error')) return undefined;
    throw cause;
  }
}
