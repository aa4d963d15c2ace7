import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { defineSeries } from '../../../../../jobs/define/dataset.ts';
import type { DuckDb } from '../../../../../jobs/engine/duckdb/session.ts';
import { DuckDbWarehouse } from '../../../../../jobs/engine/duckdb/warehouse.ts';
import { feeds } from '../../../../../jobs/families/oracles/domain.ts';
import { plannedParts } from '../../../../../jobs/pipeline/publish/series/plan-parts.ts';
import { readPoints } from '../../../../../jobs/pipeline/publish/series/read-points.ts';
import { gapReader } from '../../../../../jobs/pipeline/publish/series/series-input.ts';
import { number } from '../../../../../schemas/series.ts';
import type { Document, SeriesPart } from '../../../../../snapshots/layout.ts';
import { openScratchEngine } from '../../../../support/case-duckdb.ts';

const HOUR = 3_600;
const DAY = 86_400;
const TODAY = Date.UTC(2026, 2, 15) / 1000;
/** Large enough for its points to be taken from it. */
const BYTES = 1_000_000;
const series = defineSeries({
  definition: { dataset: 'feeds', grain: 'observed', columns: { price: number('USD', 'Price') } },
  table: 'obs.point',
  day: 'day',
  at: 'seen_at',
  key: ['chain', 'feed_address'],
  gaps: 'derived.hole',
});
const source = { dataset: feeds, series };

let db: DuckDb;
let warehouse: DuckDbWarehouse;
beforeAll(async () => {
  db = await openScratchEngine();
  warehouse = new DuckDbWarehouse(db);
});
afterAll(() => db.close());

interface Point {
  readonly feed: string;
  readonly at: number;
  readonly price: number;
}

interface Hole {
  readonly feed: string;
  readonly from: number;
  readonly seconds: number;
}

async function fill(points: readonly Point[], holes: readonly Hole[]): Promise<void> {
  await db.execute(`
    create or replace table obs.point (chain varchar, feed_address varchar, day bigint, seen_at bigint, price double);
    create or replace table derived.hole (chain varchar, feed_address varchar, day bigint, from_at bigint, to_at bigint, reason varchar)`);
  const rows = points.map(({ feed, at, price }) => `('c', '${feed}', ${at - (at % DAY)}, ${at}, ${price})`);
  const gaps = holes.map(
    ({ feed, from, seconds }) =>
      `('c', '${feed}', ${from - (from % DAY)}, ${from}, ${Math.min(from + seconds, from - (from % DAY) + DAY)}, 'stale')`,
  );
  if (rows.length > 0) await db.execute(`insert into obs.point values ${rows.join(', ')}`);
  if (gaps.length > 0) await db.execute(`insert into derived.hole values ${gaps.join(', ')}`);
}

type Stretch = Pick<SeriesPart, 'resolution' | 'from' | 'to'>;
type Files = ReadonlyMap<string, readonly Document[]>;
const nameOf = ({ resolution, from }: Stretch) => `${resolution} ${from}`;

/** The documents of each stretch that sums up hours or days, and how many stretches took points from a file of the last version. */
async function read(now: number, { before, changedFrom }: { before?: Files; changedFrom: number }) {
  const parts = plannedParts({
    definition: series.definition,
    now,
    before: before && entriesOf(before),
    changedFrom,
  });
  const files = new Map<string, readonly Document[]>();
  let taken = 0;
  for (const part of parts) {
    const known = part.known && before?.get(part.known.sha256);
    if (part.resolution === 'raw' || part.to <= TODAY - 40 * DAY || part.isEmpty === true) continue;
    const published = async ({ sha256 }: SeriesPart) => {
      taken += 1;
      return before?.get(sha256) ?? null;
    };
    const reading = { parts: [part] as const, gapsOf: gapReader(warehouse, source, [part]), published, now };
    const [documents = []] = known ? [known] : await readPoints(warehouse, source, reading);
    if (documents.length > 0) files.set(nameOf(part), JSON.parse(JSON.stringify(sorted(documents))));
  }
  return { files, taken };
}

const sorted = (documents: readonly Document[]) => documents.toSorted((a, b) => (a.key < b.key ? -1 : 1));

const entriesOf = (files: Files): SeriesPart[] =>
  [...files].map(([sha256, documents]) => {
    const [resolution = '', from = ''] = sha256.split(' ');
    const stretch = plannedParts({
      definition: series.definition,
      now: TODAY + DAY - 1,
      before: undefined,
      changedFrom: 0,
    }).find((part) => part.resolution === resolution && part.from === Number(from));
    if (stretch === undefined) throw new Error(`no stretch ${sha256}`);
    const { to } = stretch;
    return {
      resolution: stretch.resolution,
      from: stretch.from,
      to,
      sha256,
      bytes: BYTES,
      documents: documents.length,
    };
  });

const feed = fc.constantFrom('a', 'b', 'c');
const second = (from: number, to: number) =>
  fc.oneof(fc.integer({ min: from, max: to - 1 }), fc.constantFrom(from, to - 1));
const pointsFrom = (from: number, to: number) =>
  fc.array(fc.record({ feed, at: second(from, to), price: fc.integer({ min: 1, max: 9 }) }), {
    maxLength: 12,
  });
const distinct = (points: readonly Point[]) => [
  ...new Map(points.map((point) => [`${point.feed} ${point.at}`, point])).values(),
];

test('points taken from the last version and points that are read make the same documents as reading all', async () => {
  let taken = 0;
  const property = fc.asyncProperty(
    pointsFrom(TODAY - 14 * DAY, TODAY + 9 * HOUR),
    pointsFrom(TODAY + 7 * HOUR, TODAY + 10 * HOUR),
    fc.array(
      fc.record({
        feed,
        from: second(TODAY - 2 * DAY, TODAY + 9 * HOUR),
        seconds: fc.integer({ min: 1, max: 2 * HOUR }),
      }),
      { maxLength: 4 },
    ),
    second(TODAY + 7 * HOUR, TODAY + 9 * HOUR),
    async (old, fresh, holes, changedFrom) => {
      await fill(distinct(old), holes);
      const { files: before } = await read(TODAY + 9 * HOUR, { changedFrom: 0 });
      const later = fresh.filter(({ at }) => at >= changedFrom);
      const unchanged = old.filter(({ at }) => at < changedFrom);
      await fill(distinct([...unchanged, ...later]), holes);
      const now = TODAY + 10 * HOUR;
      const joined = await read(now, { before, changedFrom });
      const whole = await read(now, { changedFrom: 0 });
      expect(joined.files).toEqual(whole.files);
      taken += joined.taken;
    },
  );
  await fc.assert(property, { numRuns: 10 });
  expect(taken).toBeGreaterThan(0);
});

test('points are not read from the warehouse before the time from which they may have changed', async () => {
  const changedFrom = TODAY + 8 * HOUR + 1;
  await fill(
    [
      { feed: 'a', at: TODAY + 1, price: 1 },
      { feed: 'a', at: TODAY + 8 * HOUR - 1, price: 2 },
      { feed: 'a', at: TODAY + 8 * HOUR, price: 3 },
    ],
    [],
  );
  const { files: before } = await read(TODAY + 9 * HOUR, { changedFrom: 0 });
  await db.execute('update obs.point set price = price + 10');
  const { files } = await read(TODAY + 9 * HOUR, { before, changedFrom });
  const day = files.get(`1h ${TODAY}`)?.[0]?.value as { t: unknown; columns: { price: unknown } };
  expect(day.t).toEqual([TODAY, TODAY + 7 * HOUR, TODAY + 8 * HOUR]);
  expect(day.columns.price).toEqual([1, 2, 13]);
});

test('all points are read from the warehouse if the file is damaged', async () => {
  await fill([{ feed: 'a', at: TODAY + 1, price: 1 }], []);
  const part = {
    resolution: '1h',
    from: TODAY,
    to: TODAY + DAY,
    earlier: {
      file: {
        resolution: '1h',
        from: TODAY,
        to: TODAY + DAY,
        sha256: 'lost',
        bytes: BYTES,
        documents: 1,
      },
      until: TODAY + HOUR,
    },
  } as const;
  const [documents] = await readPoints(warehouse, source, {
    parts: [part],
    gapsOf: async () => [],
    published: async () => null,
    now: TODAY + 2 * HOUR,
  });
  expect(documents?.map(({ value }) => (value as { t: unknown }).t)).toEqual([[TODAY]]);
});
