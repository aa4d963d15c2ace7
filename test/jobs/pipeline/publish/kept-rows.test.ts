import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openDuckDb } from '../../../../jobs/engine/duckdb/duckdb.ts';
import type { DuckDb } from '../../../../jobs/engine/duckdb/session.ts';
import { DuckDbWarehouse } from '../../../../jobs/engine/duckdb/warehouse.ts';
import type { Row } from '../../../../jobs/engine/rows.ts';
import { RowCache, type RowsWarehouse } from '../../../../jobs/pipeline/publish/kept-rows.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const TABLE = { id: 'd', table: 'out.d', order: 'place, name' };

let db: DuckDb;
let warehouse: RowsWarehouse;
beforeAll(async () => {
  const tempDir = temporaryFolder('kept-rows');
  db = await openDuckDb({ file: ':memory:', memoryLimit: '1GB', threads: 1, tempDir });
  warehouse = new DuckDbWarehouse(db);
});
afterAll(() => db.close());

beforeEach(() => db.execute('create or replace table out.d (place bigint, name varchar, value double)'));

interface Given {
  readonly place: number;
  readonly name: string;
  readonly value: number | null;
}

async function fill(rows: readonly Given[]): Promise<void> {
  await db.execute('delete from out.d');
  if (rows.length === 0) return;
  const values = rows.map(({ place, name, value }) => `(${place}, '${name}', ${value})`);
  await db.execute(`insert into out.d values ${values.join(', ')}`);
}

/** What was made of each row; `made` counts the rows of which something new was made. */
async function read(
  cache: RowCache<{ row: Row }>,
  from = warehouse,
): Promise<{ all: { row: Row }[]; made: number }> {
  const all: { row: Row }[] = [];
  let made = 0;
  const make = (row: Row) => {
    made++;
    return { row };
  };
  for await (const rows of cache.read(from, TABLE, make)) all.push(...rows);
  return { all, made };
}

const many = (count: number): Given[] =>
  Array.from({ length: count }, (_, index) => ({ place: index % 7, name: `n${index}`, value: index / 8 }));

test('only changed rows are read again, and the others are the same objects', async () => {
  const cache = new RowCache<{ row: Row }>(10);
  const rows = many(40);
  await fill(rows);
  await read(cache);
  const before = await read(cache);
  expect(before.made).toBe(40);
  await fill(rows.map((row, index) => (index === 3 ? { ...row, value: null } : row)));
  const { all, made } = await read(cache);
  expect(made).toBe(1);
  expect(all.find(({ row }) => row['name'] === 'n3')?.row['value']).toBeNull();
  expect(all.filter((one) => before.all.includes(one))).toHaveLength(39);
});

test('a table below the limit is read whole each time', async () => {
  const cache = new RowCache<{ row: Row }>(41);
  await fill(many(40));
  for (let round = 0; round < 3; round++) expect((await read(cache)).made).toBe(40);
});

test('an engine without row hashes reads the table whole', async () => {
  const cache = new RowCache<{ row: Row }>(0);
  await fill(many(40));
  const plain = { rows: warehouse.rows.bind(warehouse), stream: warehouse.stream.bind(warehouse) };
  for (let round = 0; round < 3; round++) expect((await read(cache, plain)).made).toBe(40);
});

const anyRows = fc.uniqueArray(
  fc.record({
    place: fc.nat(3),
    name: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
    value: fc.option(fc.constantFrom(0, 0.5, -1)),
  }),
  { selector: ({ place, name }) => `${place} ${name}`, maxLength: 12 },
);

test('whatever changes, the rows are those of the table, in order', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyRows, { minLength: 2, maxLength: 6 }), async (tables) => {
      const cache = new RowCache<{ row: Row }>(3);
      for (const table of tables) {
        await fill(table);
        const { all } = await read(cache);
        expect(all.map(({ row }) => row)).toEqual(await db.rows('select * from out.d order by place, name'));
      }
    }),
    { numRuns: 60 },
  );
});
