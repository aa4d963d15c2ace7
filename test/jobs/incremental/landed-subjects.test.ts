import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RawTable } from '../../../jobs/define/raw-table.ts';
import { openDuckDb } from '../../../jobs/engine/duckdb/duckdb.ts';
import type { DuckDb } from '../../../jobs/engine/duckdb/session.ts';
import { Versions } from '../../../jobs/engine/duckdb/versions.ts';
import { LandedSubjects, subjectKey } from '../../../jobs/incremental/landed-subjects.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const RAW = { observations: { model: 'obs.kept', time: 'at' } } as RawTable;
const FIELDS = ['chain', 'name'];

let db: DuckDb;
beforeAll(async () => {
  const tempDir = temporaryFolder('landed-subjects');
  db = await openDuckDb({ file: ':memory:', memoryLimit: '1GB', threads: 1, tempDir });
});
afterAll(() => db.close());

interface Added {
  readonly chain: string | null;
  readonly name: string;
  readonly at: number;
}

async function empty(): Promise<{ versions: Versions; statements: string[]; warehouse: WarehouseOfTest }> {
  await db.execute('create or replace table obs.kept (chain varchar, name varchar, "at" bigint)');
  const versions = new Versions(db);
  await versions.start([RAW.observations.model]);
  const statements: string[] = [];
  const rows = (sql: string) => {
    statements.push(sql);
    return db.rows(sql);
  };
  return { versions, statements, warehouse: { versions, rows } };
}

type WarehouseOfTest = Parameters<LandedSubjects['of']>[0];

async function insert(versions: Versions, rows: readonly Added[]): Promise<void> {
  const [row] = await db.rows('select coalesce(max(rowid) + 1, 0) as next from obs.kept');
  const text = (value: string | null) => (value === null ? 'null' : `'${value}'`);
  const values = rows.map(({ chain, name, at }) => `(${text(chain)}, ${text(name)}, ${at})`);
  await db.execute(`insert into obs.kept values ${values.join(', ')}`);
  await versions.bumpAdded(RAW.observations.model, Number(row?.['next']));
  await versions.noteFilled(RAW.observations.model, true);
}

test('only added rows are counted, and other changes count everything again', async () => {
  const { versions, statements, warehouse } = await empty();
  const landed = new LandedSubjects();
  expect(await landed.of(warehouse, RAW, FIELDS)).toEqual(new Map());
  await insert(versions, [
    { chain: 'c', name: 'a', at: 5 },
    { chain: 'c', name: 'a', at: 9 },
  ]);
  await landed.of(warehouse, RAW, FIELDS);
  await landed.of(warehouse, RAW, FIELDS);
  expect(statements).toHaveLength(1);
  await insert(versions, [{ chain: 'c', name: 'a', at: 7 }]);
  await insert(versions, [{ chain: null, name: 'b', at: 1 }]);
  const subjects = await landed.of(warehouse, RAW, FIELDS);
  expect(statements.at(-1)).toContain('rowid >= 2');
  expect(subjects).toEqual(
    new Map([
      [subjectKey(['c', 'a']), { values: ['c', 'a'], rows: 3, newest: 9 }],
      [subjectKey([null, 'b']), { values: [null, 'b'], rows: 1, newest: 1 }],
    ]),
  );
  await db.execute(`delete from obs.kept where "at" = 9`);
  await versions.bump([RAW.observations.model]);
  const fewer = await landed.of(warehouse, RAW, FIELDS);
  expect(statements.at(-1)).not.toContain('rowid');
  expect(fewer.get(subjectKey(['c', 'a']))).toEqual({ values: ['c', 'a'], rows: 2, newest: 7 });
});

const anyRow = fc.record({
  chain: fc.option(fc.constantFrom('c', 'd')),
  name: fc.constantFrom('a', 'b'),
  at: fc.nat(100),
});
const anyStep = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ add: fc.array(anyRow, { minLength: 1, maxLength: 4 }), isRead: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ removeBefore: fc.nat(100), isRead: fc.boolean() }) },
);

test('whatever is added or removed, the counts are those of the table', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { maxLength: 8 }), async (steps) => {
      const { versions, warehouse } = await empty();
      const landed = new LandedSubjects();
      for (const step of steps) {
        if ('add' in step) await insert(versions, step.add);
        else {
          await db.execute(`delete from obs.kept where "at" < ${step.removeBefore}`);
          await versions.start([RAW.observations.model]);
        }
        if (step.isRead)
          expect(await landed.of(warehouse, RAW, FIELDS)).toEqual(
            await new LandedSubjects().of(warehouse, RAW, FIELDS),
          );
      }
    }),
    { numRuns: 40 },
  );
});
