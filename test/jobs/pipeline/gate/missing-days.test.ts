import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { DuckDb } from '../../../../jobs/engine/duckdb/session.ts';
import { DuckDbWarehouse } from '../../../../jobs/engine/duckdb/warehouse.ts';
import { judgeCompleteness } from '../../../../jobs/pipeline/gate/completeness.ts';
import type { TracedDataset } from '../../../../jobs/pipeline/models/lineage.ts';
import { openScratchEngine } from '../../../support/case-duckdb.ts';

const DAY = 86_400;
const TODAY = Date.UTC(2026, 2, 15) / 1000;
const dataset = {
  id: 'listed',
  table: 'out.listed',
  day: 'day',
  key: ['chain', 'name'],
  subject: { columns: { chain: 'chain', name: 'name' } },
  rests_on: [],
} as unknown as TracedDataset;

let db: DuckDb;
let warehouse: DuckDbWarehouse;
beforeAll(async () => {
  db = await openScratchEngine();
  warehouse = new DuckDbWarehouse(db);
  await db.execute('create table out.listed (chain varchar, name varchar, day bigint)');
});
afterAll(() => db.close());

/** Days before today that each subject has a record of. */
type Records = ReadonlyMap<string, readonly number[]>;

async function missingDays(records: Records, now: number): Promise<string> {
  const rows = [...records].flatMap(([name, ago]) =>
    ago.map((days) => `('c', '${name}', ${TODAY - days * DAY})`),
  );
  await db.execute(
    `delete from out.listed; ${rows.length === 0 ? '' : `insert into out.listed values ${rows.join(', ')}`}`,
  );
  const context = { results: warehouse, domains: [], sources: [] };
  const missing = { rows: new Map(), subjects: new Map() };
  const { checks } = await judgeCompleteness(context, dataset, { missing, now });
  return checks.find(({ name }) => name === 'every one of the seven days has a record')?.detail ?? '';
}

const dateOf = (ago: number) => new Date((TODAY - ago * DAY) * 1000).toISOString().slice(0, 10);

/** The seven days end with today if it has a record, otherwise with yesterday. */
function expected(records: Records): readonly string[] {
  return [...records].toSorted().flatMap(([name, ago]) => {
    if (ago.length === 0) return [];
    const last = ago.includes(0) ? 0 : 1;
    const absent = [6, 5, 4, 3, 2, 1, 0].map((days) => days + last).filter((days) => !ago.includes(days));
    return absent.length === 0 ? [] : [`c ${name}: no record of ${absent.map(dateOf).join(', ')}`];
  });
}

test('each subject is named with the days of the seven that it has no record of', async () => {
  const days = fc.oneof(
    fc.constantFrom([0, 1, 2, 3, 4, 5, 6], [1, 2, 3, 4, 5, 6, 7], [1, 2, 3, 4, 5, 6], [0, 2, 3, 4, 5, 6, 7]),
    fc.uniqueArray(fc.integer({ min: 0, max: 8 })),
  );
  const property = fc.asyncProperty(
    days,
    days,
    fc.integer({ min: 0, max: DAY - 1 }),
    async (a, b, second) => {
      const records = new Map([
        ['a', a],
        ['b', b],
      ]);
      const named = await missingDays(records, TODAY + second);
      for (const message of expected(records)) expect(named).toContain(message);
      expect(named.match(/no record of/g)?.length ?? 0).toBe(expected(records).length);
    },
  );
  await fc.assert(property, { numRuns: 40 });
});
