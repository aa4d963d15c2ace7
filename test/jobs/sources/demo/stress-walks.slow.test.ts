import { Check } from 'typebox/value';
import { afterEach, beforeAll, expect, test, vi } from 'vitest';
import { backfill } from '../../../../jobs/commands/work.ts';
import { EVENT_CATALOGUE } from '../../../../schemas/events.ts';
import { COUNTS } from '../../../reliability/counts.ts';
import { neededFor } from '../../../support/needed-models.ts';
import {
  datasetHashes,
  inWorld,
  publishedEvents,
  type TestFolder,
  testFolder,
  withoutIds,
} from '../../../support/pipeline-world.ts';

vi.setConfig({ testTimeout: 300_000 });

const DAY = 86_400;
const NOW = Date.UTC(2026, 2, 10, 9, 30) / 1000;
/** 00:00 of the first day of a world of twenty days. */
const FIRST = NOW - (NOW % DAY) - 20 * DAY;
const CRASH = FIRST + 16 * DAY + 5 * 3_600;
const FLAGS = ['--demo-days', '20', '--demo-feeds', '40'];
const IDS = ['anomaly-watch', 'mev-sandwiches'];
const FAST = {
  flags: FLAGS,
  now: NOW,
  domains: neededFor({ datasets: IDS, events: ['risk.anomaly', 'mev.'] }),
};
const WHOLE = {
  ...FAST,
  domains: neededFor({ datasets: [...IDS, 'market-regime'], events: ['risk.anomaly', 'mev.', 'regime.'] }),
};

const folders: TestFolder[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) folder.remove();
});
const newFolder = () => {
  const folder = testFolder();
  folders.push(folder);
  return folder.dir;
};
const published = (dir: string) => ({
  events: withoutIds(publishedEvents(dir)),
  datasets: IDS.map((id) => datasetHashes(dir)[id]),
});

let whole: Awaited<ReturnType<typeof walked>>;
beforeAll(async () => {
  whole = await walked(WHOLE, [NOW]);
}, 300_000);

test('every kind of anomaly, a spike, a large sandwich and regime shifts occur, each as its type specifies', () => {
  const { events } = whole;
  const kinds = events.map(({ type, data }) =>
    `${type} ${data['anomaly_type'] ?? data['regime_type'] ?? ''}`.trim(),
  );
  expect(new Set(kinds)).toEqual(
    new Set([
      ...['concentration', 'flow', 'tvl_drop', 'tvl_spike', 'whale'].map((kind) => `risk.anomaly ${kind}`),
      'mev.spike mev_spike',
      'mev.sandwich.large',
      'regime.shift crisis',
      'regime.shift neutral',
      'regime.shift risk_on',
    ]),
  );
  for (const { type, data, severity } of events) {
    const entry = EVENT_CATALOGUE.find((one) => one.type === type);
    expect(entry !== undefined && Check(entry.data, data), `${type} ${JSON.stringify(data)}`).toBe(true);
    expect(entry?.severities).toContain(severity);
  }
});

/** Events and hashes of the datasets published after runs that end at these instants. */
async function walked(options: typeof WHOLE, ends: readonly number[]) {
  const dir = newFolder();
  await inWorld(dir, options, async (world) => {
    for (const [index, to] of ends.entries())
      await backfill(world, { from: ends[index - 1] ?? FIRST - 1, to, step_seconds: 30 * DAY });
  });
  return { ...published(dir), regime: datasetHashes(dir)['market-regime'] };
}

test('runs that end in the middle of an hour of the crash and a second before another hour publish the same events and bytes', async () => {
  expect(whole.events.length).toBeGreaterThan(10);
  const cuts = [...[CRASH + 3_601, CRASH + 2 * DAY - 1].slice(0, COUNTS.stressCuts), NOW];
  expect(await walked(WHOLE, cuts)).toEqual(whole);
});

test.runIf(COUNTS.stressDays > 0)('runs that end at midnight publish the same', async () => {
  const days = [17, 16, 18, 15]
    .slice(0, COUNTS.stressDays)
    .sort()
    .map((day) => FIRST + day * DAY);
  const { events, datasets } = await walked(FAST, [...days, NOW]);
  expect(datasets).toEqual(whole.datasets);
  expect(events).toEqual(whole.events.filter(({ type }) => type !== 'regime.shift'));
});

test('small steps around the crash publish the same, and a repeated backfill appends nothing', async () => {
  const [dir, atOnce] = [newFolder(), newFolder()];
  // TVL is read every six hours, next an hour after the crash.
  const [from, to] = [CRASH + 2_700, CRASH + 4_500];
  await inWorld(atOnce, FAST, (world) => backfill(world, { from: FIRST - 1, to, step_seconds: 30 * DAY }));
  await inWorld(dir, FAST, async (world) => {
    await backfill(world, { from: FIRST - 1, to: from, step_seconds: 30 * DAY });
    await backfill(world, { from, to, step_seconds: COUNTS.stressStepSeconds });
  });
  expect(published(dir)).toEqual(published(atOnce));
  const before = publishedEvents(dir);
  expect(before.filter(({ value }) => Date.parse(value.ts) > from * 1000).length).toBeGreaterThan(1);
  await inWorld(dir, FAST, (world) => backfill(world, { from: FIRST - 1, to, step_seconds: 7 * DAY }));
  expect(publishedEvents(dir)).toEqual(before);
});
