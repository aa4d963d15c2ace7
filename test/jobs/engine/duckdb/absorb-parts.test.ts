// Files with many rows are absorbed in parts, with the same result.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { absorb } from '../../../../jobs/engine/duckdb/absorb.ts';
import { AbsorbedList } from '../../../../jobs/engine/duckdb/absorbed-files.ts';
import type { DuckDb } from '../../../../jobs/engine/duckdb/session.ts';
import { Versions } from '../../../../jobs/engine/duckdb/versions.ts';
import { DuckDbWarehouse } from '../../../../jobs/engine/duckdb/warehouse.ts';
import type { LandedHashes } from '../../../../jobs/engine/warehouse.ts';
import { readingTable } from '../../../support/model-folder.ts';
import { ALL, DAY, type ModelWorld, openModelWorld, type Readings } from '../../../support/model-world.ts';

const DAILY_ORDER = `-- One reading.
-- kind: append   grain: meter, read_at   order: day, meter, read_at
select lower(meter) as meter, read_at, read_at - read_at % 86400 as day, level from landing.reading`;
/** Its key does not state the time. */
const LEVELS = DAILY_ORDER.replace('grain: meter, read_at', 'grain: meter, level');

const ROWS: Readings = [
  ['b', 2 * DAY + 5, 6],
  ['a', 7, 1],
  ['b', 6, 2],
  ['a', 3 * DAY, 7],
  ['a', DAY - 1, 3],
  ['c', DAY, 4],
  ['a', 2 * DAY - 1, 5],
];

let world: ModelWorld;
let db: DuckDb;
const statements: string[] = [];
beforeEach(async () => {
  world = await openModelWorld(async (engine) => {
    db = engine;
    return new DuckDbWarehouse(engine);
  });
  statements.length = 0;
});
afterEach(() => world.close());

/** Absorbs the files of these rows, at most so many in one statement, and resolves to the table as it is stored. */
async function absorbed(maxRows: number, files: readonly string[], rows = ROWS.length) {
  const landing: LandedHashes = { check: async () => {}, sha256Of: () => null, rowsOf: () => rows };
  const noted: DuckDb = new Proxy(db, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      if (name !== 'execute') return member.bind(target);
      return (sql: string): unknown => {
        statements.push(sql);
        return member.call(target, sql);
      };
    },
  });
  const given = { raw: readingTable, files, parameters: ALL, landing };
  const tools = { db: noted, versions: new Versions(db), absorbed: new AbsorbedList(db), maxRows };
  const added = await absorb(
    { ...tools, atomic: (work) => db.atomic(work) },
    world.model('obs.reading'),
    given,
  );
  return { added, stored: await world.rows('obs.reading order by rowid') };
}

const inserts = () => statements.filter((sql) => sql.startsWith('insert into obs.reading')).length;

test.each([
  [7, 1],
  [6, 2],
  [4, 2],
  [3, 3],
  [1, 4],
])('at most %i rows are added by %i statements, in the same order', async (maxRows, count) => {
  await world.prepare({ 'obs.reading.sql': DAILY_ORDER });
  const files = [await world.land('a', ROWS)];
  const whole = await absorbed(Number.POSITIVE_INFINITY, files);
  await world.warehouse.clear(world.model('obs.reading'));
  statements.length = 0;
  const parts = await absorbed(maxRows, files);
  expect(inserts()).toBe(count);
  expect(parts).toEqual(whole);
  expect(whole).toMatchObject({ added: { files: 1, rows: 7, firstTime: 6, lastTime: 3 * DAY } });
});

test('a row without an instant is not lost', async () => {
  await world.prepare({
    'obs.reading.sql': DAILY_ORDER.replace(' read_at,', ' case when level <> 4 then read_at end as read_at,'),
  });
  const { added } = await absorbed(1, [await world.land('a', ROWS)]);
  expect(added.rows).toBe(ROWS.length);
});

test.each([
  ['a key with the time', DAILY_ORDER, ['a', 7, 9]],
  ['a key without the time', LEVELS, ['a', 3 * DAY, 1]],
] as const)('a repeated key is refused: %s', async (_, sql, [meter, readAt, level]) => {
  await world.prepare({ 'obs.reading.sql': sql });
  const files = [await world.land('a', ROWS), await world.land('b', [[meter, readAt, level]])];
  await expect(absorbed(1, files)).rejects.toThrow('several rows share one');
  expect(await world.rows('obs.reading')).toEqual([]);
});
