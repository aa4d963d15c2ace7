// Families computed in different places publish the same data as when all are computed in one.
import { cpSync } from 'node:fs';
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { homesOf } from '../../../jobs/app/placement.ts';
import { runOnce } from '../../../jobs/commands/work.ts';
import { loadConfig } from '../../../jobs/config.ts';
import { openDuckDb } from '../../../jobs/engine/duckdb/duckdb.ts';
import type { DuckDb } from '../../../jobs/engine/duckdb/session.ts';
import { DuckDbWarehouse } from '../../../jobs/engine/duckdb/warehouse.ts';
import type { Home } from '../../../jobs/engine/placed/part.ts';
import { settingFlags } from '../../../platform/command-line/command-line.ts';
import { openScratchEngine } from '../../support/case-duckdb.ts';
import { placedOn } from '../../support/combined-warehouse.ts';
import { DEMO_NOW } from '../../support/demo-folder.ts';
import { neededFor } from '../../support/needed-models.ts';
import {
  datasetHashes,
  inWorld,
  publishedEvents,
  type TestFolder,
  type TestWorldOptions,
  testFolder,
  withoutIds,
} from '../../support/pipeline-world.ts';

vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

const given = (placement: string, warehouse = 'duckdb') =>
  loadConfig({
    flags: settingFlags('--placement', placement, '--warehouse', warehouse),
    env: {},
    readFile: () => '{}',
  }).settings;
const FAMILIES = ['oracles', 'lending', 'sources'];

describe('the setting PLACEMENT', () => {
  test('names the homes of families; all others are computed in the warehouse', () => {
    const homes = homesOf(given('oracles: trino, network-a=trino'), FAMILIES);
    expect(FAMILIES.map(homes.of)).toEqual(['trino', 'duckdb', 'duckdb']);
    expect(homes).toMatchObject({ isDivided: true, usesTrino: true });
  });

  test('divides nothing when all families have the same home', () => {
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
  ])('rejects %s', (placement, words) => {
    expect(() => given(placement)).toThrow(words);
  });
});

/** Families that read each other's tables, with every kind of model. */
const WORLD: TestWorldOptions = {
  flags: ['--demo-days', '2'],
  now: DEMO_NOW,
  domains: neededFor({
    datasets: ['feeds', 'lending-markets'],
    events: ['oracle.stale'],
  }),
};
const LATER = { ...WORLD, now: DEMO_NOW + 300 };

/** Stands in for Trino: its contents persist between runs. */
let other: DuckDb;
let folder: TestFolder;
beforeEach(async () => {
  other = await openScratchEngine();
  folder = testFolder();
});
afterEach(async () => {
  await other.close();
  folder.remove();
});

type HomeOf = (family: string) => Home;

const placed = (homeOf: HomeOf, options: TestWorldOptions): TestWorldOptions => ({
  ...options,
  open: async ({ paths }) => {
    const db = await openDuckDb({
      file: paths.warehouse,
      memoryLimit: '1GB',
      threads: 1,
      tempDir: paths.temporary,
    });
    const parts = { duckdb: new DuckDbWarehouse(db), trino: new DuckDbWarehouse(other) };
    return { db, warehouse: placedOn(parts, ({ domain }) => homeOf(domain)), close: () => db.close() };
  },
});

const HOMES: Readonly<Record<string, HomeOf>> = {
  'oracles elsewhere': (family) => (family === 'oracles' ? 'trino' : 'duckdb'),
  'all but oracles elsewhere': (family) => (family === 'oracles' ? 'duckdb' : 'trino'),
};

const run = (options: TestWorldOptions, { dir } = folder) =>
  inWorld(dir, options, (world) => runOnce(world, null));
const published = ({ dir } = folder) => ({
  datasets: datasetHashes(dir),
  events: withoutIds(publishedEvents(dir)),
});

/** Folders of one place, after a run and after another one. */
let once: TestFolder;
let twice: TestFolder;
beforeAll(async () => {
  [once, twice] = [testFolder(), testFolder()];
  await run(WORLD, once);
  cpSync(once.dir, twice.dir, { recursive: true });
  await run(LATER, twice);
});

const rowsOf = async (db: DuckDb, table: string) =>
  Number((await db.rows(`select count(*) as n from ${table}`))[0]?.['n']);

describe('a pipeline in two places', () => {
  test.each(Object.entries(HOMES))('publishes the same bytes and events: %s', async (_, homeOf) => {
    expect(await run(placed(homeOf, WORLD))).toBe(0);
    expect(published()).toEqual(published(once));
    expect(await run(placed(homeOf, LATER))).toBe(0);
    expect(published()).toEqual(published(twice));
  });

  test('recomputes a family whose home has changed', async () => {
    cpSync(once.dir, folder.dir, { recursive: true });
    expect(await run(placed(HOMES['oracles elsewhere'] as HomeOf, LATER))).toBe(0);
    expect(await rowsOf(other, 'derived.feed_state')).toBeGreaterThan(0);
    expect(published()).toEqual(published(twice));
    expect(await run(placed(() => 'duckdb', LATER))).toBe(0);
    expect(await rowsOf(other, 'derived.feed_state')).toBe(0);
    expect(published()).toEqual(published(twice));
  });
});
