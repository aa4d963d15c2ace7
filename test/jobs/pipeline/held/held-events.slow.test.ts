// What is held back fires nothing: feeds with wrong decimals or refused rows, next to others that are sound.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { seriesPath } from '../../../../snapshots/layout.ts';
import { type FileRow, type FileWorld, openFileWorld } from '../../../support/file-world.ts';
import { neededFor } from '../../../support/needed-models.ts';
import { publishedEvents } from '../../../support/pipeline-world.ts';

vi.setConfig({ testTimeout: 120_000 });

const NOW = Date.UTC(2026, 2, 10, 9) / 1000;
const DATASETS = [
  'feeds',
  'pegs',
  'oracle-pairs',
  'lending-markets',
  'exit-inputs',
  'conditions',
  'coverage',
  'manifest-summary',
];
const DOMAINS = neededFor({ datasets: DATASETS, events: ['peg.', 'oracle.', 'liquidity.'] });

let world: FileWorld;
beforeEach(() => {
  world = openFileWorld({ domains: DOMAINS });
});
afterEach(() => world.remove());

const feed = (symbol: string, changes: FileRow = {}): FileRow => ({
  chain: 'ethereum',
  provider: 'chainlink',
  feed_address: `0x${symbol.toLowerCase()}`,
  name: `${symbol} / USD`,
  base: symbol,
  quote: 'USD',
  heartbeat_s: 3_600,
  deviation_bps: 25,
  decimals: 8,
  observed_at: NOW - 30 * 86_400,
  ...changes,
});

const round = (symbol: string, at: number, price: number, decimals = 8): FileRow => ({
  chain: 'ethereum',
  feed_address: `0x${symbol.toLowerCase()}`,
  round_id: String(1_000_000 + (at - NOW)),
  answer: String(Math.round(price * 1e8)),
  decimals,
  updated_at: at,
});

/** Every minute of the last hour and a half. */
const rounds = (symbol: string, price: (minute: number) => number, decimals = 8): FileRow[] =>
  Array.from({ length: 90 }, (_, minute) =>
    round(symbol, NOW - 5_400 + minute * 60, price(minute), decimals),
  );

const depegsAt = (minute: number) => (now: number) => (now >= minute ? 0.95 : 1);
const eventsOf = (subject: string) =>
  publishedEvents(world.dir)
    .filter(({ value }) => value.subject_id === subject)
    .map(({ value: { type, ts } }) => `${type} ${ts}`);
const keysOf = (id: string) => world.documents(id).map(({ key }) => key);
const text = (value: unknown) => JSON.stringify(value);

test('a feed of other decimals than its registry fires no event and is in no dataset; others go on', async () => {
  world.write('feed_registry', { 'a.ndjson': [feed('USDC'), feed('DAI')] });
  world.write('feed_round', { 'a.ndjson': [...rounds('USDC', () => 1, 6), ...rounds('DAI', depegsAt(30))] });
  expect(await world.run(NOW)).toBe(4);
  expect(eventsOf('peg:ethereum:USDC')).toEqual([]);
  expect(eventsOf('peg:ethereum:DAI')).toEqual(['peg.depeg.start 2026-03-10T08:00:00Z']);
  expect(keysOf('pegs')).toEqual(['ethereum|DAI']);
  expect(keysOf('feeds')).toEqual(['ethereum|0xdai']);
  expect(keysOf('coverage')).toEqual(['ethereum|oracle_feed|0xdai']);
  expect(keysOf('conditions').filter((key) => key.includes('USDC'))).toEqual([]);
  expect(keysOf('conditions')).toContain('peg.depeg.start|ethereum|DAI|USD');
  expect(keysOf('manifest-summary')).toEqual(['summary']);
  expect(world.words('manifest-summary').join()).toMatch(/among its inputs: ethereum 0xusdc is held back/);
  const { withheld_events, held_subjects } = world.manifest();
  expect(withheld_events).toMatchObject({
    total: 1,
    list: [{ type: 'peg.depeg.start', subject_id: 'peg:ethereum:USDC', count: 1 }],
  });
  expect(held_subjects?.list.map(({ dataset, subject }) => `${dataset}: ${subject}`)).toEqual(
    expect.arrayContaining(['pegs: ethereum USDC', 'feeds: ethereum 0xusdc']),
  );
  expect(text(held_subjects)).not.toContain('dai');
});

test('it stays so after midnight, and however many sound rounds follow', async () => {
  world.write('feed_registry', { 'a.ndjson': [feed('USDC')] });
  world.write('feed_round', { 'a.ndjson': [...rounds('USDC', () => 1, 6)] });
  expect(await world.run(NOW)).toBe(4);
  for (const [name, at] of [
    ['b', NOW + 120],
    ['c', NOW + 86_400],
    ['d', NOW + 2 * 86_400],
  ] as const) {
    world.write('feed_round', { [`${name}.ndjson`]: [round('USDC', at - 60, 1)] });
    expect(await world.run(at)).toBe(4);
    expect(publishedEvents(world.dir)).toEqual([]);
    expect(keysOf('pegs')).toEqual([]);
    expect(world.manifest().held_subjects?.list[0]?.since).toBe('2026-03-10T09:00:00Z');
  }
});

const refused = (symbol: string): FileRow[] =>
  Array.from({ length: 300 }, (_, index) => ({ ...round(symbol, NOW - 20_000 + index, 1), answer: 'x' }));

test('its events come once it is released, at their own time and once', async () => {
  world.write('feed_registry', { 'a.ndjson': [feed('USDC'), feed('DAI')] });
  const sound = [...rounds('USDC', depegsAt(30)), ...rounds('DAI', depegsAt(60))];
  world.write('feed_round', { 'a.ndjson': sound, 'b.ndjson': refused('USDC') });
  expect(await world.run(NOW)).toBe(4);
  expect(eventsOf('peg:ethereum:USDC')).toEqual([]);
  expect(await world.run(NOW + 300)).toBe(4);
  expect(eventsOf('peg:ethereum:USDC')).toEqual([]);
  expect(world.manifest().withheld_events).toMatchObject({ total: 1, since: '2026-03-10T08:00:00Z' });
  world.write('feed_round', { 'b.ndjson': refused('USDC').map((row) => ({ ...row, answer: '100000000' })) });
  expect(await world.run(NOW + 600)).toBe(0);
  const released = ['peg.depeg.start 2026-03-10T08:00:00Z'];
  expect(eventsOf('peg:ethereum:USDC')).toEqual(released);
  expect(world.manifest()).not.toHaveProperty('withheld_events');
  expect(world.manifest()).not.toHaveProperty('held_subjects');
  expect(await world.run(NOW + 900)).toBe(0);
  expect(eventsOf('peg:ethereum:USDC')).toEqual(released);
  expect(eventsOf('peg:ethereum:DAI')).toEqual(['peg.depeg.start 2026-03-10T08:30:00Z']);
});

const seriesOf = (id: string, key: string) => {
  const points: {
    readonly resolution: string;
    readonly t: readonly number[];
    readonly gaps: readonly FileRow[];
  }[] = [];
  for (const part of world.dataset(id).series ?? []) {
    const text = readFileSync(join(world.dir, `snapshots/${seriesPath(id, part.sha256)}`), 'utf8');
    for (const line of text.split('\n').filter((one) => one !== '')) {
      const document = JSON.parse(line);
      if (document.key === key) points.push({ resolution: part.resolution, ...document.value });
    }
  }
  return points.filter(({ resolution }) => resolution === 'raw');
};
const timesOf = (id: string, key: string) => seriesOf(id, key).flatMap(({ t }) => t);
const gapsOf = (id: string, key: string) =>
  seriesOf(id, key).flatMap(({ gaps }) => gaps.filter(({ reason }) => reason === 'held_back'));

test('its history has a gap instead of new points until it is released, whatever is delivered late', async () => {
  world.write('feed_registry', { 'a.ndjson': [feed('USDC'), feed('DAI')] });
  world.write('feed_round', { 'a.ndjson': [...rounds('USDC', () => 1), ...rounds('DAI', () => 1)] });
  expect(await world.run(NOW)).toBe(0);
  const before = timesOf('feeds', 'ethereum|0xusdc');
  expect(before).toHaveLength(90);
  // Late rows of an hour that is closed, new rows, and refused rows.
  const late = [round('USDC', NOW - 5_390, 2), round('USDC', NOW + 60, 1), round('DAI', NOW + 60, 1)];
  world.write('feed_round', { 'late.ndjson': late, 'b.ndjson': refused('USDC') });
  for (const at of [NOW + 300, NOW + 3_900, NOW + 86_400 + 300]) {
    expect(await world.run(at)).toBe(4);
    for (const id of ['feeds', 'pegs']) {
      const key = id === 'feeds' ? 'ethereum|0xusdc' : 'ethereum|USDC';
      const gaps = gapsOf(id, key);
      expect(Math.min(...gaps.map(({ from }) => Number(from)))).toBe(NOW);
      expect(Math.max(...gaps.map(({ to }) => Number(to)))).toBe(at);
    }
    expect(timesOf('feeds', 'ethereum|0xusdc')).toEqual(before);
    expect(timesOf('feeds', 'ethereum|0xdai')).toHaveLength(91);
    expect(gapsOf('feeds', 'ethereum|0xdai')).toEqual([]);
  }
  world.write('feed_round', { 'b.ndjson': refused('USDC').map((row) => ({ ...row, answer: '100000000' })) });
  expect(await world.run(NOW + 86_400 + 600)).toBe(0);
  expect(gapsOf('feeds', 'ethereum|0xusdc')).toEqual([]);
  expect(timesOf('feeds', 'ethereum|0xusdc')).toHaveLength(90 + 2 + 300);
});

test('a subject that was never published has a history of gaps only', async () => {
  world.write('feed_registry', { 'a.ndjson': [feed('USDC')] });
  world.write('feed_round', { 'a.ndjson': rounds('USDC', () => 1, 6) });
  expect(await world.run(NOW)).toBe(4);
  expect(timesOf('feeds', 'ethereum|0xusdc')).toEqual([]);
  expect(gapsOf('feeds', 'ethereum|0xusdc').length).toBeGreaterThan(0);
});
