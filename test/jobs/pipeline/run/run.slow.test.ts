import { rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { catchUp, rebuild, runOnce } from '../../../../jobs/commands/work.ts';
import { domains } from '../../../../jobs/registry.ts';
import { EVENT_TYPES } from '../../../../schemas/events.ts';
import { COUNTS } from '../../../reliability/counts.ts';
import { DEMO, DEMO_NOW, demoFolder, FEED_DEMO, feedDemoFolder } from '../../../support/demo-folder.ts';
import {
  datasetHashes,
  inWorld,
  publishedEvents,
  publishedManifest,
} from '../../../support/pipeline-world.ts';
import { removeFolder } from '../../../support/temporary-folder.ts';

let dir: string;
afterEach(() => removeFolder(dir));

const DATASET_IDS = [
  'corrections',
  'status-history',
  ...domains.flatMap(({ datasets }) => datasets.map(({ id }) => id)),
].sort();
// Two spoilt rounds are named; feeds of single markets are stale or cannot be verified; days are too few for a baseline of
// volatility; no backtest was run.
const WARNED = [
  'base-restaking-week',
  'borrower-tranches',
  'conditions',
  'coverage',
  'coverage-history',
  'detector-state',
  'development-blockchains',
  'development-protocols',
  'development-scores',
  'exit-backtests',
  'exit-inputs',
  'exposure-graph',
  'feeds',
  'lending-markets',
  'manifest-summary',
  'market-regime',
  'mev-sandwiches',
  'oracle-pairs',
  'oracle-parameters',
  'oracle-paths',
  'overall-receipts',
  'overall-scores',
  'pegs',
  'restaking-latest',
  'restaking-week',
  'return-inputs',
  'risk-backtests',
  'vault-changes',
  'vault-holdings',
  'vaults',
  'yield-opportunities',
];
// Whole pipelines of every family.
vi.setConfig({ testTimeout: 300_000 });

describe('one run', () => {
  it('lands the demo, publishes every dataset, appends the events of its incidents, and a rebuild from landing alone changes nothing', async () => {
    dir = await demoFolder();
    const manifest = publishedManifest(dir);
    expect(Object.keys(manifest.datasets)).toEqual(expect.arrayContaining(DATASET_IDS));
    expect(manifest.as_of).toBe('2026-03-10T09:30:00Z');
    // Feeds, markets, vaults, and protocols by chain.
    expect(manifest.datasets['coverage']?.documents).toBe(47 + 23 + 11 + 4);
    const datasets = Object.entries(manifest.datasets);
    for (const [, { sources }] of datasets)
      expect(sources.filter(({ kind }) => kind !== 'simulated')).toEqual([]);
    const warned = datasets.filter(([, { quality_gate }]) => quality_gate.verdict !== 'pass');
    expect(warned.map(([id, { quality_gate }]) => [id, quality_gate.verdict])).toEqual(
      WARNED.map((id) => [id, id.endsWith('-backtests') ? 'not_evaluated' : 'warn']),
    );
    const types = new Set(publishedEvents(dir).map(({ value }) => value.type));
    expect([...types].toSorted()).toEqual(EVENT_TYPES.toSorted());
    const before = { hashes: datasetHashes(dir), events: publishedEvents(dir) };
    await inWorld(dir, { ...DEMO, isRebuild: true }, rebuild);
    expect({ hashes: datasetHashes(dir), events: publishedEvents(dir) }).toEqual(before);
  });

  it('changes nothing when it is run again at the same time', async () => {
    dir = await feedDemoFolder();
    const before = { manifest: publishedManifest(dir), events: publishedEvents(dir) };
    await inWorld(dir, FEED_DEMO, (world) => runOnce(world, null));
    expect({ manifest: publishedManifest(dir), events: publishedEvents(dir) }).toEqual(before);
  });
});

const DAMAGES: readonly (readonly [word: string, damage: (file: string) => void])[] = [
  ['cut short', (file) => truncateSync(file, 4_096 * 3 + 17)],
  ['overwritten', (file) => writeFileSync(file, 'not a database at all')],
  ['gone', (file) => rmSync(file)],
];

describe('a damaged warehouse', () => {
  it.each(DAMAGES.slice(0, COUNTS.unopenedDamages))('is rebuilt when it is %s', async (_word, damage) => {
    dir = await feedDemoFolder();
    const before = { hashes: datasetHashes(dir), events: publishedEvents(dir) };
    damage(join(dir, 'warehouse.duckdb'));
    await inWorld(dir, FEED_DEMO, (world) => runOnce(world, null));
    expect({ hashes: datasetHashes(dir), events: publishedEvents(dir) }).toEqual(before);
  });
});

describe('catching up', () => {
  it('runs what was missed, oldest first, up to the cap', async () => {
    dir = await feedDemoFolder();
    const later = {
      ...FEED_DEMO,
      flags: ['--demo-days', '2', '--catch-up-cap', '3'],
      now: DEMO_NOW + 3_600,
    };
    await inWorld(dir, later, async (world) => {
      await catchUp(world);
      const done = world.ledger.entries
        .filter(({ state }) => state === 'succeeded')
        .map(({ interval }) => interval);
      expect(done.slice(1)).toEqual([
        { from: DEMO_NOW, to: DEMO_NOW + 3_000 },
        { from: DEMO_NOW + 3_000, to: DEMO_NOW + 3_300 },
        { from: DEMO_NOW + 3_300, to: DEMO_NOW + 3_600 },
      ]);
    });
    expect(publishedManifest(dir).as_of).toBe('2026-03-10T10:30:00Z');
  });
});
