import { afterAll, beforeAll, expect, test } from 'vitest';
import { defineSeries } from '../../../../../jobs/define/dataset.ts';
import type { DuckDb } from '../../../../../jobs/engine/duckdb/session.ts';
import { DuckDbWarehouse } from '../../../../../jobs/engine/duckdb/warehouse.ts';
import { feeds } from '../../../../../jobs/families/oracles/domain.ts';
import { type PlannedPart, plannedParts } from '../../../../../jobs/pipeline/publish/series/plan-parts.ts';
import { readPoints } from '../../../../../jobs/pipeline/publish/series/read-points.ts';
import { gapReader, occupancyOf } from '../../../../../jobs/pipeline/publish/series/series-input.ts';
import { number } from '../../../../../schemas/series.ts';
import { openScratchEngine } from '../../../../support/case-duckdb.ts';

const DAY = 86_400;
const published = async () => null;
const TODAY = Date.UTC(2026, 2, 15) / 1000;
const NOW = TODAY + 37_800;
const seriesOf = (grain: 'observed' | 'daily') =>
  defineSeries({
    definition: { dataset: 'feeds', grain, columns: { price: number('USD', 'Price') } },
    table: 'obs.point',
    day: 'day',
    at: 'seen_at',
    key: ['chain', 'feed_address'],
    where: 'is_used',
    gaps: 'derived.hole',
  });

let db: DuckDb;
let warehouse: DuckDbWarehouse;
beforeAll(async () => {
  db = await openScratchEngine();
  warehouse = new DuckDbWarehouse(db);
});
afterAll(() => db.close());

interface Rows {
  readonly points: readonly number[];
  readonly unused?: readonly number[];
  readonly holes?: readonly (readonly [from: number, to: number])[];
}

async function fill({ points, unused = [], holes = [] }: Rows): Promise<void> {
  const row = (at: number, isUsed: boolean) => `('c', 'f', ${at - (at % DAY)}, ${at}, 1.5, ${isUsed})`;
  const rows = [...points.map((at) => row(at, true)), ...unused.map((at) => row(at, false))];
  const gaps = holes.map(([from, to]) => `('c', 'f', ${to - (to % DAY)}, ${from}, ${to}, 'stale')`);
  const values = (list: readonly string[]) => (list.length === 0 ? '' : `values ${list.join(', ')}`);
  await db.execute(`
    create or replace table obs.point (chain varchar, feed_address varchar, day bigint, seen_at bigint, price double, is_used boolean);
    create or replace table derived.hole (chain varchar, feed_address varchar, day bigint, from_at bigint, to_at bigint, reason varchar)`);
  if (rows.length > 0) await db.execute(`insert into obs.point ${values(rows)}`);
  if (gaps.length > 0) await db.execute(`insert into derived.hole ${values(gaps)}`);
}

/** Parts that have a document, and parts that are read. */
async function parts(grain: 'observed' | 'daily') {
  const series = seriesOf(grain);
  const planned = plannedParts({
    definition: series.definition,
    now: NOW,
    before: undefined,
    changedFrom: 0,
  });
  const isOccupied = await occupancyOf(warehouse, series, planned);
  const withDocuments: PlannedPart[] = [];
  for (const part of planned) {
    const source = { dataset: feeds, series };
    const gapsOf = gapReader(warehouse, source, [part]);
    const [documents = []] = await readPoints(warehouse, source, {
      parts: [part],
      gapsOf,
      published,
      now: NOW,
    });
    if (documents.length > 0) withDocuments.push(part);
  }
  return { planned, withDocuments, read: planned.filter(isOccupied) };
}

test.each(['observed', 'daily'] as const)(
  'every part with a document is read if the grain is %s',
  async (grain) => {
    await fill({
      points: [TODAY - 399 * DAY, TODAY - 61 * DAY - 1, TODAY - 29 * DAY, TODAY - 1, TODAY, NOW, NOW + 60],
      unused: [TODAY - 200 * DAY],
      holes: [
        [TODAY - 80 * DAY, TODAY - 78 * DAY + 5],
        [TODAY - 11 * DAY - 1, TODAY - 11 * DAY + 1],
      ],
    });
    const { planned, withDocuments, read } = await parts(grain);
    expect(withDocuments.length).toBeGreaterThan(4);
    expect(read).toEqual(expect.arrayContaining(withDocuments));
    expect(read.length).toBeLessThan(planned.length);
  },
);

test('a series without rows is not read', async () => {
  await fill({ points: [] });
  const { planned, read } = await parts('observed');
  expect(planned.length).toBeGreaterThan(100);
  expect(read).toEqual([]);
});

test('a series with one day of points is read only there', async () => {
  await fill({ points: [TODAY - 20 * DAY + 7] });
  const { read, withDocuments } = await parts('observed');
  expect(read).toEqual(withDocuments);
  expect(read.map(({ resolution }) => resolution)).toEqual(['raw', '1h', '1d']);
});

test('a few parts are read without checking first', async () => {
  await fill({ points: [] });
  const part = { resolution: 'raw', from: TODAY, to: TODAY + 3_600 } as const;
  expect((await occupancyOf(warehouse, seriesOf('observed'), [part]))(part)).toBe(true);
});

test('gaps that several parts show are read once, and each part shows what it would read alone', async () => {
  await fill({
    points: [TODAY, NOW],
    holes: [
      [TODAY - 11 * DAY - 1, TODAY - 11 * DAY + 1],
      [TODAY - 50, TODAY + 4],
      [TODAY + 3_000, TODAY + 4_000],
      [NOW - 100, NOW + 500],
    ],
  });
  const source = { dataset: feeds, series: seriesOf('observed') };
  const open = plannedParts({
    definition: source.series.definition,
    now: NOW,
    before: [],
    changedFrom: TODAY,
  }).filter(({ from, to, resolution }) => to > TODAY && (resolution !== 'raw' || from <= TODAY + 3_600));
  let [gaps, queries] = [0, 0];
  const counting = {
    rows: (sql: string) => {
      queries += 1;
      return warehouse.rows(sql);
    },
  };
  const together = gapReader(counting, source, open);
  for (const part of open) {
    const read = (gapsOf: typeof together) =>
      readPoints(warehouse, source, { parts: [part], gapsOf, published, now: NOW });
    const alone = await read(gapReader(warehouse, source, [part]));
    expect(await read(together)).toEqual(alone);
    gaps += (JSON.stringify(alone).match(/"reason"/g) ?? []).length;
  }
  expect(open.map(({ resolution }) => resolution)).toEqual(['raw', 'raw', '1h', '1d']);
  expect(gaps).toBeGreaterThan(6);
  expect(queries).toBe(1);
});
