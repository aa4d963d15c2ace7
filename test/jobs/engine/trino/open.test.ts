// What the warehouse on Trino refuses when jobs start: a Trino that is too old or has another catalogue, and a read-only database.
import { expect, test } from 'vitest';
import { openDatabase } from '../../../../jobs/engine/trino/database.ts';
import { openTrinoWarehouse, type TrinoOptions } from '../../../../jobs/engine/trino/open.ts';
import { openScratchEngine } from '../../../support/case-duckdb.ts';
import { postgresPrograms, startCluster } from '../../../support/postgres-cluster.ts';

/** Trino's whole conversation: one row, the version and the connector of the catalogue. */
const answering =
  (...row: readonly unknown[]): typeof fetch =>
  async () =>
    Response.json({ columns: [{ name: 'a' }, { name: 'b' }].slice(0, row.length), data: [row] });

async function opening(change: Pick<TrinoOptions, 'effects'>): Promise<unknown> {
  const db = await openScratchEngine();
  try {
    return await openTrinoWarehouse({
      connection: { url: 'http://127.0.0.1:1', user: 'risk', password: '', catalog: 'lake', source: 'test' },
      database: 'postgres://none@127.0.0.1:1/none',
      files: { put: async () => '', remove: async () => undefined },
      db,
      tempDir: '.',
      makeId: () => '1',
      atOnce: 1,
      ...change,
    });
  } finally {
    await db.close();
  }
}

const wait = async () => undefined;

test.each([
  ['475', 'iceberg', 'is Trino 475: 476 or newer is needed'],
  ['450-e.1', 'iceberg', 'is Trino 450-e.1: 476 or newer is needed'],
  ['dev', 'iceberg', 'is Trino dev: 476 or newer is needed'],
  ['476', null, 'has no catalogue lake'],
  ['476', 'memory', 'has a catalogue of the memory connector under the name lake'],
])('Trino %s with a catalogue of %s is refused', async (version, connector, words) => {
  await expect(opening({ effects: { fetch: answering(version, connector), wait } })).rejects.toThrow(words);
});

test.each(['476', '480-e.2'])('Trino %s is new enough: the database is checked next', async (version) => {
  const effects = { fetch: answering(version, 'iceberg'), wait };
  await expect(opening({ effects })).rejects.toThrow('holds the catalogue and the state of the warehouse');
});

test.skipIf(postgresPrograms() === undefined)(
  'a read-only database is named at the first change, and can be read',
  async () => {
    const cluster = await startCluster([]);
    if (cluster === undefined) throw new Error('PostgreSQL is not installed.');
    try {
      const readOnly = await openDatabase(cluster.url, null);
      await readOnly.query('alter database postgres set default_transaction_read_only = on');
      await readOnly.close();
      const database = await openDatabase(cluster.url, null);
      const write = () => database.query(`insert into bound values ('a', 'b')`);
      await expect(write()).rejects.toThrow(
        'which holds the catalogue and the state of the warehouse, is read-only',
      );
      expect(await database.query('select name from bound')).toEqual([]);
      await database.close();
    } finally {
      await cluster.stop();
    }
  },
  60_000,
);
