// What every warehouse must do with queries, exports and errors.
import { join } from 'node:path';
import { expect } from 'vitest';
import { EngineError } from '../../../jobs/engine/errors.ts';
import type { Column } from '../../../snapshots/columns.ts';
import { openScratchEngine } from '../../support/case-duckdb.ts';
import type { ModelWorld } from '../../support/model-world.ts';
import type { Cases } from './conformance-case.ts';

const COLUMNS: readonly Column[] = [
  { name: 'name', type: { kind: 'text' } },
  { name: 'count', type: { kind: 'integer' } },
  { name: 'share', type: { kind: 'number' } },
  { name: 'is_done', type: { kind: 'boolean' } },
  { name: 'tags', type: { kind: 'list', item: { kind: 'text' } } },
  { name: 'range', type: { kind: 'struct', columns: [{ name: 'min', type: { kind: 'number' } }] } },
];
const ROWS = [
  {
    name: "ä 'quoted'",
    count: 9007199254740991,
    share: 0.1,
    is_done: true,
    tags: ['x', 'y'],
    range: { min: 1 },
  },
  { name: null, count: null, share: null, is_done: null, tags: null, range: null },
];

async function readBack(file: string) {
  const reader = await openScratchEngine();
  try {
    return await reader.rows(`select * from '${file}'`);
  } finally {
    await reader.close();
  }
}

const manyReadings = async (world: ModelWorld, name: string, from: number, count: number) =>
  world.absorb([
    await world.land(
      name,
      Array.from({ length: count }, (_, index) => ['m', from + index, index] as const),
    ),
  ]);

export const QUERY_CASES: Cases = {
  'it states the name and version of each of its engines': async ({ warehouse }) => {
    expect(warehouse.version).toMatch(/^[a-z]+ \d+(\.\d+)*(, [a-z]+ \d+(\.\d+)*)*$/);
  },

  'a stream yields all rows as they were when it began, while others are written': async (world) => {
    await world.prepare({});
    await manyReadings(world, 'first', 0, 5_000);
    let seen = 0;
    for await (const batch of world.warehouse.stream('select read_at from obs.reading order by read_at')) {
      if (seen === 0) await manyReadings(world, 'second', 5_000, 1_000);
      seen += batch.length;
    }
    expect(seen).toBe(5_000);
    expect(await world.rows('obs.reading')).toHaveLength(6_000);
  },

  'a stream that is left early ends, and the next query works': async (world) => {
    await world.prepare({});
    await manyReadings(world, 'first', 0, 5_000);
    for await (const batch of world.warehouse.stream('select read_at from obs.reading')) {
      expect(batch.length).toBeGreaterThan(0);
      break;
    }
    expect(await world.warehouse.rows('select count(*) as n from obs.reading')).toEqual([{ n: 5_000 }]);
  },

  'rows given as JSON are read back unchanged from Parquet': async ({ warehouse, folder }) => {
    const file = join(folder.dir, 'table.parquet');
    await warehouse.exportParquet({ file, columns: COLUMNS, lines: ROWS.map((row) => JSON.stringify(row)) });
    expect(await readBack(file)).toEqual(ROWS);
    await warehouse.exportParquet({ file, columns: COLUMNS, lines: [] });
    expect(await readBack(file)).toEqual([]);
  },

  'a row that does not fit its columns is refused': async ({ warehouse, folder }) => {
    const lines = [JSON.stringify({ ...ROWS[0], count: 'many' })];
    const refused = warehouse.exportParquet({
      file: join(folder.dir, 'bad.parquet'),
      columns: COLUMNS,
      lines,
    });
    await expect(refused).rejects.toThrow(EngineError);
  },

  'a missing table is null when described, and an error in a query': async ({ warehouse }) => {
    expect(await warehouse.describe('obs.nothing')).toBeNull();
    await expect(warehouse.rows('select 1 as one from obs.nothing')).rejects.toThrow(EngineError);
    await expect(
      warehouse.stream('select 1 as one from obs.nothing')[Symbol.asyncIterator]().next(),
    ).rejects.toThrow(EngineError);
  },

  'an error names the statement and carries its cause': async ({ warehouse }) => {
    const failure: unknown = await warehouse
      .rows('-- a comment\nselect nothing_like_it\nfrom obs.nothing')
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(EngineError);
    const { message, cause } = failure as EngineError;
    expect(message).toMatch(/In the statement: select nothing_like_it$/);
    expect(cause).toBeInstanceOf(Error);
  },
};
