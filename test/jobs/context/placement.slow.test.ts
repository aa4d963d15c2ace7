// Families that are computed in different places publish what they publish from one.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { runOnce } from '../../../jobs/commands/work.ts';
import { loadConfig } from '../../../jobs/config.ts';
import { homesOf } from '../../../jobs/context/placement.ts';
import { openDuckDb } from '../../../jobs/engine/duckdb/duckdb.ts';
import type { DuckDb } from '../../../jobs/engine/duckdb/session.ts';
import { DuckDbWarehouse } from '../../../jobs/engine/duckdb/warehouse.ts';
import type { Place } from '../../../jobs/engine/placed/part.ts';
import { settingFlags } from '../../../launch/cli/split-arguments.ts';
import { openScratchEngine } from '../../support/case-duckdb.ts';
import { DEMO_NOW, SMALL_DEMO, smallDemoFolder } from '../../support/demo-folder.ts';
import { placedOn } from '../../support/placed-warehouse.ts';
import {
  datasetHashes,
  inWorld,
  publishedEvents,
  type TestWorldOptions,
  testFolder,
  withoutIds,
} from '../../support/pipeline-world.ts';
import { removeFolder } from '../../support/temporary-folder.ts';

vi.setConfig({ testTimeout: 600_000 });

const given = (placement: string, warehouse = 'duckdb') =>
  loadConfig({
    flags: settingFlags('--placement', placement, '--warehouse', warehouse),
    env: {},
    readFile: () => '{}',
  }).settings;
const FAMILIES = ['oracles', 'lending', 'sources'];

describe('the setting PLACEMENT', () => {
  test('names homes of families, and the warehouse is that of all others', () => {
    const homes = homesOf(given('oracles: trino, network-a=trino'), FAMILIES);
    expect(FAMILIES.map(homes.of)).toEqual(['trino', 'duckdb', 'duckdb']);
    expect(homes).toMatchObject({ isDivided: true, usesTrino: true });
  });

  test('divides nothing where all families have one home', () => {
    expect(homesOf(given(''), FAMILIES)).toMatchObject({ isDivided: false, usesTrino: false });
    expect(homesOf(given('oracles: trino'), ['oracles'])).toMatchObject({
      isDivided: false,
      usesTrino: true,
    });
    expect(homesOf(given('oracles: duckdb', 'trino'), ['lending'])).toMatchObject({ isDivided: false });
  });

  test.each([
    ['oracels: trino', 'oracels; expected the name of a family; did you mean oracles?'],
    ['oracles: trino, oracles: duckdb', 'oracles twice'],
    ['oracles: spark', 'families with `duckdb` or `trino`'],
    ['oracles', 'families with `duckdb` or `trino`'],
    ['oracles: trino,', 'families with `duckdb` or `trino`'],
  ])('refuses %s', (placement, words) => {
    expect(() => given(placement)).toThrow(words);
  });
});

/** Stands for Trino between runs: its contents stay. */
let other: DuckDb;
let dir: string;
let remove: () => void;
beforeEach(async () => {
  other = await openScratchEngine();
  ({ dir, remove } = testFolder());
});
afterEach(async () => {
  await other.close();
  remove();
});

type HomeOf = (family: string) => Place;

const placed = (homeOf: HomeOf, options: TestWorldOptions = SMALL_DEMO): TestWorldOptions => ({
  ...options,
  open: async ({ paths }) => {
    const options = { memoryLimit: '1GB', threads: 1, tempDir: paths.temporary };
    const db = await openDuckDb({ file: paths.warehouse, ...options });
    const parts = { duckdb: new DuckDbWarehouse(db), trino: new DuckDbWarehouse(other) };
    return { db, warehouse: placedOn(parts, ({ domain }) => homeOf(domain)), close: () => db.close() };
  },
});

const HOMES: Readonly<Record<string, HomeOf>> = {
  'oracles elsewhere': (family) => (family === 'oracles' ? 'trino' : 'duckdb'),
  'all but oracles elsewhere': (family) => (family === 'oracles' ? 'duckdb' : 'trino'),
};

const run = (options: TestWorldOptions) => inWorld(dir, options, (world) => runOnce(world, null));

async function expectAs(options: TestWorldOptions): Promise<void> {
  const expected = await smallDemoFolder();
  try {
    if (options.now !== DEMO_NOW)
      await inWorld(expected, { ...SMALL_DEMO, now: options.now }, (world) => runOnce(world, null));
    expect(datasetHashes(dir)).toEqual(datasetHashes(expected));
    expect(withoutIds(publishedEvents(dir))).toEqual(withoutIds(publishedEvents(expected)));
  } finally {
    removeFolder(expected);
  }
}

const rowsOf = async (db: DuckDb, table: string) =>
  Number((await db.rows(`select count(*) as n from ${table}`))[0]?.['n']);

describe('a pipeline in two places', () => {
  test.each(Object.entries(HOMES))('publishes the same bytes and events: %s', async (_, homeOf) => {
    expect(await run(placed(homeOf))).toBe(0);
    await expectAs(SMALL_DEMO);
    const later = { ...SMALL_DEMO, now: DEMO_NOW + 300 };
    expect(await run(placed(homeOf, later))).toBe(0);
    await expectAs(later);
  });

  test('computes again what has another home than before', async () => {
    expect(await run(placed(() => 'duckdb'))).toBe(0);
    expect(await rowsOf(other, 'derived.feed_day')).toBe(0);
    const later = { ...SMALL_DEMO, now: DEMO_NOW + 300 };
    expect(await run(placed((family) => (family === 'oracles' ? 'trino' : 'duckdb'), later))).toBe(0);
    expect(await rowsOf(other, 'derived.feed_day')).toBeGreaterThan(0);
    await expectAs(later);
    expect(await run(placed(() => 'duckdb', later))).toBe(0);
    expect(await rowsOf(other, 'derived.feed_day')).toBe(0);
    await expectAs(later);
  });
});
