// Runs that end between the publication of events and that of datasets, and a warehouse that is lost, while subjects are held back.
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { runOnce } from '../../../../jobs/commands/work.ts';
import type { Model } from '../../../../jobs/pipeline/models/model.ts';
import { type FileRow, type FileWorld, openFileWorld } from '../../../support/file-world.ts';
import { neededFor } from '../../../support/needed-models.ts';
import { publishedEvents } from '../../../support/pipeline-world.ts';

vi.setConfig({ testTimeout: 240_000 });

const NOW = Date.UTC(2026, 2, 10, 9) / 1000;
const DOMAINS = neededFor({ datasets: ['feeds', 'pegs'], events: ['peg.'] });

let world: FileWorld;
beforeEach(async () => {
  world = openFileWorld({ domains: DOMAINS });
  world.write('feed_registry', { 'a.ndjson': ['USDC', 'DAI'].map(feed) });
  world.write('feed_round', { 'a.ndjson': [...rounds('USDC', NOW, 1), ...rounds('DAI', NOW, 1)] });
  expect(await world.run(NOW)).toBe(0);
});
afterEach(() => world.remove());

const feed = (base: string): FileRow => ({
  ...{
    chain: 'ethereum',
    provider: 'chainlink',
    feed_address: `0x${base.toLowerCase()}`,
    name: base,
    base,
    quote: 'USD',
  },
  ...{ heartbeat_s: 3_600, deviation_bps: 25, decimals: 8, observed_at: NOW - 864_000 },
});
const rounds = (symbol: string, end: number, price: number, answer = String(price * 1e8)): FileRow[] =>
  Array.from({ length: 5 }, (_, index) => ({
    ...{ chain: 'ethereum', feed_address: `0x${symbol.toLowerCase()}`, decimals: 8, answer },
    round_id: String(end - NOW + 1_000_000 + index),
    updated_at: end - 300 + index * 60,
  }));
const refused = (answer: string): FileRow[] =>
  Array.from({ length: 300 }, (_, index) => ({
    ...{ chain: 'ethereum', feed_address: '0xusdc', decimals: 8, answer },
    ...{ round_id: String(500_000 + index), updated_at: NOW - 40_000 + index },
  }));

/** Both assets leave their peg; rows of one are refused. */
const depeg = (at: number) =>
  world.write('feed_round', {
    'b.ndjson': [...rounds('USDC', at, 0.95), ...rounds('DAI', at, 0.95)],
    'c.ndjson': refused('x'),
  });
const correct = () => world.write('feed_round', { 'c.ndjson': refused('100000000') });
const subjects = () => publishedEvents(world.dir).map(({ value }) => value.subject_id);

/** What computes a dataset fails, so the run ends after its events are published. */
const failedRun = (at: number) =>
  world.work(at, async (context) => {
    const rebuild = context.warehouse.rebuild.bind(context.warehouse);
    vi.spyOn(context.warehouse, 'rebuild').mockImplementation((model, window) =>
      (model as Model).layer === 'out' ? Promise.reject(new Error('cut off')) : rebuild(model, window),
    );
    await expect(runOnce(context, null)).rejects.toThrow('cut off');
  });

test('the version of the events says what is withheld, and the next run holds it back and releases it as ever', async () => {
  depeg(NOW + 300);
  await failedRun(NOW + 300);
  const early = world.manifest();
  expect(early.datasets_as_of).toBe('2026-03-10T09:00:00Z');
  expect(early.withheld_events).toMatchObject({ total: 1, list: [{ subject_id: 'peg:ethereum:USDC' }] });
  expect(subjects()).toEqual(['peg:ethereum:DAI']);
  expect(await world.run(NOW + 300)).toBe(4);
  expect(world.manifest().withheld_events).toEqual(early.withheld_events);
  expect(world.documents('pegs').map(({ key }) => key)).toEqual(['ethereum|DAI']);
  correct();
  expect(await world.run(NOW + 600)).toBe(0);
  expect(subjects()).toEqual(['peg:ethereum:DAI', 'peg:ethereum:USDC']);
});

test('a run that is cut off when it has released events does not append them again', async () => {
  depeg(NOW + 300);
  expect(await world.run(NOW + 300)).toBe(4);
  correct();
  await failedRun(NOW + 600);
  expect(world.manifest()).not.toHaveProperty('withheld_events');
  expect(subjects()).toEqual(['peg:ethereum:DAI', 'peg:ethereum:USDC']);
  expect(await world.run(NOW + 600)).toBe(0);
  expect(subjects()).toEqual(['peg:ethereum:DAI', 'peg:ethereum:USDC']);
});

test('withheld events come even if the warehouse was lost in between', async () => {
  depeg(NOW + 300);
  expect(await world.run(NOW + 300)).toBe(4);
  for (const name of readdirSync(world.dir))
    if (name.startsWith('warehouse')) rmSync(join(world.dir, name), { recursive: true });
  correct();
  expect(await world.run(NOW + 90_000)).toBe(0);
  expect(subjects().filter((one) => one.endsWith('USDC'))).toHaveLength(1);
});
