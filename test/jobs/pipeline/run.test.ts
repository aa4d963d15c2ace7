import { rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { backfill, catchUp, rebuild, runOnce } from '../../../jobs/commands/work.ts';
import { coverage } from '../../../jobs/coverage/domain.ts';
import { lending } from '../../../jobs/lending/domain.ts';
import { oracles } from '../../../jobs/oracles/domain.ts';
import { run } from '../../../jobs/pipeline/run.ts';
import type { World } from '../../../jobs/pipeline/world.ts';
import { domains } from '../../../jobs/registry.ts';
import { EVENT_TYPES } from '../../../schemas/events.ts';
import { eventsAbout } from '../../support/events-about.ts';
import {
  datasetHashes,
  inWorld,
  publishedEvents,
  publishedManifest,
  type TestFolder,
  testFolder,
  withoutIds,
} from '../../support/pipeline-world.ts';

const DAY = 86_400;
const NOW = Date.UTC(2026, 2, 10, 9, 30) / 1000;
const EVERYTHING = { flags: ['--demo-days', '6'], now: NOW };
/** Feeds and their events alone: walks are many runs. */
const WORLD = { ...EVERYTHING, domains: [oracles, lending, coverage, eventsAbout('oracle.', 'peg.')] };

const folders: TestFolder[] = [];
const newFolder = () => {
  const folder = testFolder();
  folders.push(folder);
  return folder.dir;
};
let dir: string;
beforeEach(() => {
  dir = newFolder();
});
afterEach(() => {
  for (const folder of folders.splice(0)) folder.remove();
});

const DATASET_IDS = [
  'corrections',
  ...domains.flatMap(({ datasets }) => datasets.map(({ id }) => id)),
].sort();
const FIRST_DAY = Date.UTC(2026, 2, 4) / 1000;
const FROM = NOW - 7 * DAY;
const walk =
  (step: number, to = NOW) =>
  (world: World) =>
    backfill(world, { from: FROM, to, step_seconds: step });

// Whole pipelines: each walk is many runs.
vi.setConfig({ testTimeout: 300_000 });

describe('one run', () => {
  it('lands the demo world, publishes every dataset and appends the events of its incidents', async () => {
    expect(await inWorld(dir, EVERYTHING, (world) => runOnce(world, null))).toBe(0);
    const manifest = publishedManifest(dir);
    expect(Object.keys(manifest.datasets)).toEqual(expect.arrayContaining(DATASET_IDS));
    expect(manifest.as_of).toBe('2026-03-10T09:30:00Z');
    // Feeds, markets, vaults, and protocols by chain.
    expect(manifest.datasets['coverage']?.documents).toBe(40 + 21 + 8 + 4);
    const datasets = Object.entries(manifest.datasets);
    for (const [, { sources }] of datasets)
      expect(sources.filter(({ kind }) => kind !== 'simulated')).toEqual([]);
    const warned = datasets.filter(([, { quality_gate }]) => quality_gate.verdict !== 'pass');
    // Days are too few for a baseline of volatility.
    expect(warned.map(([id, { quality_gate }]) => [id, quality_gate.verdict])).toEqual([
      ['market-regime', 'warn'],
      ['overall-receipts', 'warn'],
      ['overall-scores', 'warn'],
      ['yield-opportunities', 'warn'],
    ]);
    const types = new Set(publishedEvents(dir).map(({ value }) => value.type));
    // A breach is held against the close of an earlier week, which six days do not have.
    expect([...types].toSorted()).toEqual(
      EVENT_TYPES.filter((type) => type !== 'risk.factor.breach').toSorted(),
    );
  });

  it('changes nothing when it is run again at the same time', async () => {
    await inWorld(dir, WORLD, (world) => runOnce(world, null));
    const before = { manifest: publishedManifest(dir), events: publishedEvents(dir) };
    await inWorld(dir, WORLD, (world) => runOnce(world, null));
    expect({ manifest: publishedManifest(dir), events: publishedEvents(dir) }).toEqual(before);
  });
});

describe('walking time', () => {
  it('gives the same events in the same order and the same dataset bytes in one go, in days and in odd steps', async () => {
    const [whole, days, odd] = [newFolder(), newFolder(), newFolder()];
    await inWorld(whole, WORLD, walk(30 * DAY));
    await inWorld(days, WORLD, walk(DAY));
    await inWorld(odd, WORLD, walk(17 * 3_600 + 123));
    const events = withoutIds(publishedEvents(whole));
    expect(events.length).toBeGreaterThan(20);
    expect(withoutIds(publishedEvents(days))).toEqual(events);
    expect(withoutIds(publishedEvents(odd))).toEqual(events);
    expect(datasetHashes(days)).toEqual(datasetHashes(whole));
    expect(datasetHashes(odd)).toEqual(datasetHashes(whole));
  });

  it('gives in five-minute steps what one go gives', async () => {
    // A depeg begins and ends between these two.
    const [from, to] = [FIRST_DAY + 3.25 * DAY, FIRST_DAY + 3.4 * DAY];
    const before = { from: FROM, to: from, step_seconds: 30 * DAY };
    const steps = newFolder();
    await inWorld(dir, WORLD, (world) => backfill(world, { from: FROM, to, step_seconds: 30 * DAY }));
    await inWorld(steps, WORLD, async (world) => {
      await backfill(world, before);
      return backfill(world, { from, to, step_seconds: 300 });
    });
    const events = withoutIds(publishedEvents(dir));
    const inside = events.filter(({ ts }) => Date.parse(ts) > from * 1000).map(({ type }) => type);
    expect(inside).toEqual(expect.arrayContaining(['peg.depeg.start', 'peg.depeg.end']));
    expect(withoutIds(publishedEvents(steps))).toEqual(events);
    expect(datasetHashes(steps)).toEqual(datasetHashes(dir));
  });

  it('appends nothing twice and changes no id when intervals are run again, in any order', async () => {
    await inWorld(dir, WORLD, walk(DAY));
    const events = publishedEvents(dir);
    const datasets = datasetHashes(dir);
    const intervals = [4, 1, 6, 3, 0, 5, 2].map((day) => ({
      from: FROM + day * DAY,
      to: FROM + (day + 1) * DAY,
      step_seconds: DAY,
    }));
    await inWorld(dir, WORLD, async (world) => {
      for (const interval of intervals) await backfill(world, interval);
    });
    expect(publishedEvents(dir)).toEqual(events);
    expect(datasetHashes(dir)).toEqual(datasets);
  });

  it('finds every event once when days are first run in a shuffled order', async () => {
    const shuffled = newFolder();
    await inWorld(dir, WORLD, walk(DAY));
    await inWorld(shuffled, WORLD, async (world) => {
      await run(world, { interval: { from: -1, to: NOW }, gather: true, detect: 'nothing', publish: false });
      for (const day of [3, 0, 6, 1, 5, 2, 4]) {
        await backfill(world, { from: FROM + day * DAY, to: FROM + (day + 1) * DAY, step_seconds: DAY });
      }
    });
    const keys = (folder: string) =>
      publishedEvents(folder)
        .map(({ key }) => key)
        .sort();
    expect(keys(shuffled)).toEqual(keys(dir));
    expect(datasetHashes(shuffled)).toEqual(datasetHashes(dir));
  });
});

describe('rebuilding', () => {
  it('gives the same dataset files from landing alone and leaves the log as it is', async () => {
    await inWorld(dir, EVERYTHING, (world) => runOnce(world, null));
    const before = { hashes: datasetHashes(dir), events: publishedEvents(dir) };
    await inWorld(dir, { ...EVERYTHING, isRebuild: true }, rebuild);
    expect({ hashes: datasetHashes(dir), events: publishedEvents(dir) }).toEqual(before);
  });

  it.each([
    ['cut short', (file: string) => truncateSync(file, 4_096 * 3 + 17)],
    ['overwritten', (file: string) => writeFileSync(file, 'not a database at all')],
    ['gone', (file: string) => rmSync(file)],
  ])('happens by itself when the warehouse is %s', async (_word, damage) => {
    await inWorld(dir, WORLD, (world) => runOnce(world, null));
    const before = { hashes: datasetHashes(dir), events: publishedEvents(dir) };
    damage(join(dir, 'warehouse.duckdb'));
    await inWorld(dir, WORLD, (world) => runOnce(world, null));
    expect({ hashes: datasetHashes(dir), events: publishedEvents(dir) }).toEqual(before);
  });
});

describe('catching up', () => {
  it('runs what was missed, oldest first, up to the cap', async () => {
    await inWorld(dir, WORLD, (world) => runOnce(world, null));
    const later = { ...WORLD, flags: [...WORLD.flags, '--catch-up-cap', '3'], now: NOW + 3_600 };
    await inWorld(dir, later, async (world) => {
      await catchUp(world);
      const done = world.ledger.entries
        .filter(({ state }) => state === 'succeeded')
        .map(({ interval }) => interval);
      expect(done.slice(1)).toEqual([
        { from: NOW, to: NOW + 3_000 },
        { from: NOW + 3_000, to: NOW + 3_300 },
        { from: NOW + 3_300, to: NOW + 3_600 },
      ]);
    });
    expect(publishedManifest(dir).as_of).toBe('2026-03-10T10:30:00Z');
  });
});
