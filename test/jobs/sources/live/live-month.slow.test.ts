// A world that misbehaves: every keyless source goes through the faults that providers have, in simulated time. Whatever may land is true,
// nothing is lost, and each fault is named. By default it lasts a few hours; at release counts a month, checked up to the tables.
import { afterEach, expect, test } from 'vitest';
import type { LiveSource } from '../../../../jobs/sources/live/fetch/live-source.ts';
import { landable, type Recording } from '../../../../jobs/sources/live/fetch/recording.ts';
import { readRecordings } from '../../../../jobs/sources/live/fetch/recording-store.ts';
import { COUNTS } from '../../../reliability/counts.ts';
import { TABLES } from '../../../support/live-world/expected.ts';
import { MONTH_DAYS, scriptOf, START_S, truthOf } from '../../../support/live-world/month.ts';
import { DAY_S, HOUR_S } from '../../../support/live-world/truth-finance.ts';
import { keylessSources, LiveWorld } from '../../../support/live-world/world.ts';
import { type HostRequests, requestsByHost } from '../../../support/live-world/requests.ts';
import { publishedEvents } from '../../../support/pipeline-world.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { compareSaid, differingAfterRebuild, type Month, playMonth } from './live-tables.ts';
import { expectTrueEvents } from './live-events.ts';
import { expectSamples, expectStretches, READ_TABLES } from './live-stretches.ts';

const HOURS = 10;
const SOURCES = {
  'chainlink-rounds': { every: '30m' },
  'aave-markets': { every: '3h' },
  'morpho-markets': { every: '3h' },
  'morpho-vault-logs': { every: '3h', window: { history: '1d', step: '7d', overlap: '1m' } },
  'compound-governor': { every: '3h', window: { history: '1d', step: '7d', overlap: '1m' } },
  'uniswap-governor': { is_on: false },
  'ens-governor': { is_on: false },
  'uniswap-swaps': { every: '3h', window: { history: '12h', step: '6h', overlap: '1m' } },
  'relay-aestus': { is_on: false },
  'relay-agnostic': { is_on: false },
  'relay-flashbots': { is_on: false },
  'relay-ultrasound': { window: { history: '2d', step: '1d', overlap: '1h', lag: '2m' } },
  'relay-titan': { window: { history: '2d', step: '1d', overlap: '1h', lag: '2m' } },
  'near-blocks': { every: '1h' },
  repositories: { every: '6h' },
  'forum-posts': { each: [{ host: 'governance.aave.com', protocol: 'aave' }] },
  'snapshot-proposals': { each: [{ space: 'lido-snapshot.eth', protocol: 'lido' }] },
  'snapshot-votes': { each: [{ space: 'lido-snapshot.eth', protocol: 'lido' }], every: '1h' },
  'growthepie-fundamentals': { every: '30m' },
  'ethereum-validators': { every: '30m' },
};

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function played(): Promise<LiveWorld> {
  const untilS = START_S + (HOURS - 2) * HOUR_S;
  const world = await LiveWorld.open({
    truth: truthOf(1),
    script: scriptOf({ seed: 4, days: MONTH_DAYS, until: untilS, calm: 0.02 }),
    startMs: START_S * 1000,
    dir: temporaryFolder('live-world'),
    sources: keylessSources(SOURCES),
  });
  closing.push(() => world.close());
  world.start();
  await world.clock.runTo((START_S + HOURS * HOUR_S) * 1000);
  return world;
}

/** Hashes of landable bodies, for sources read by plain requests: rows of chains are decoded before they are kept. */
const bodiesOf = (recordings: readonly Recording[]): string[] =>
  landable(recordings).flatMap(({ pages }) => pages.map(({ sha256 }) => sha256));

const isPlain = ({ request }: LiveSource): boolean =>
  request?.chain === undefined && request?.near === undefined && request?.git === undefined;

test('only true bodies land, every source is read to the end, and each fault is named', {
  timeout: 120_000,
}, async () => {
  const world = await played();
  const endS = START_S + HOURS * HOUR_S;
  expect(world.unplayed).toEqual([]);
  for (const source of world.sources) {
    const recordings = await readRecordings(world.folder, source.id);
    const through = Math.max(
      ...recordings.filter(({ outcome }) => outcome !== 'failed').map((one) => one.as_of),
    );
    expect(`${source.id} ${endS - through < source.every_s + HOUR_S}`).toBe(`${source.id} true`);
    if (isPlain(source))
      expect(bodiesOf(recordings).filter((sha256) => !world.journal.trueBodies.has(sha256))).toEqual([]);
    const unnamed = recordings.filter(
      ({ outcome, reasons }) => (outcome === 'failed' || outcome === 'suspect') && reasons.length === 0,
    );
    expect(unnamed).toEqual([]);
  }
  const met = new Set(world.journal.said.flatMap(({ trouble }) => (trouble === null ? [] : [trouble])));
  expect(met.size).toBeGreaterThanOrEqual(30);
});

/** Expects that every kind of fault occurred, and that no host received more requests than it allows. */
function expectTroublesAndLimits({ journal: { said } }: LiveWorld): void {
  const { none = [], ...met } = Object.groupBy(said, ({ trouble }) => trouble ?? 'none');
  const kinds = Object.entries(met).map(([name, all = []]) => `${all.length} × ${name}`);
  console.info(`${none.length} good answers, ${kinds.length} kinds of trouble\n${kinds.join('\n')}`);
  expect(kinds.length).toBeGreaterThanOrEqual(30);
  const hosts = requestsByHost(said);
  console.info(hosts.map((host) => Object.entries(host).flat().join(' ')).join('\n'));
  const isOver = ({ in_day, per_day_limit, in_minute, per_minute_limit }: HostRequests) =>
    in_day > per_day_limit || in_minute > (per_minute_limit ?? Number.POSITIVE_INFINITY);
  expect(hosts.filter(isOver)).toEqual([]);
}

/** Number of rows of each table, all of which were compared. */
async function sizesOf({ context }: Month, tables: readonly string[]): Promise<string> {
  const sizes = await Promise.all(
    tables.map(async (table) => {
      const [row] = await context.warehouse.rows(`select count(*) as rows from obs.${table}`);
      return { table, rows: Number(row?.['rows']) };
    }),
  );
  const sum = sizes.reduce((total, { rows }) => total + rows, 0);
  return [`${sum} rows compared`, ...sizes.map(({ table, rows }) => `${rows} × ${table}`)].join('\n');
}

async function report(month: Month, dir: string, day: number): Promise<void> {
  for (const { table, rows, missing, wrong } of await compareSaid(month))
    console.info(
      `day ${day}: ${table}: ${rows} rows, ${missing.length} missing, ${wrong.length} wrong`,
      missing[0] ?? '',
      wrong[0] ?? '',
    );
  const events = publishedEvents(dir).map(({ value }) => `${value.type} ${value.subject_id} ${value.ts}`);
  console.info(`day ${day}: ${events.length} events\n${events.join('\n')}`);
}

test.runIf(COUNTS.liveDays > 0)(
  `after ${COUNTS.liveDays} days of faults every table holds what a perfect observer would`,
  { timeout: 7_200_000 },
  async () => {
    const days = COUNTS.liveDays;
    const dir = temporaryFolder('live-month');
    const month = await playMonth(dir, { days, seed: 11 }, async (soFar, day) => {
      if (day % 5 === 0 || day === days) await report(soFar, dir, day);
    });
    closing.push(() => month.close());
    expect(month.world.unplayed).toEqual([]);
    const compared = await compareSaid(month);
    expectTroublesAndLimits(month.world);
    await expectStretches(month, START_S + days * DAY_S);
    await expectSamples(month, days);
    expect(compared.flatMap(({ missing, wrong }) => [...missing, ...wrong])).toEqual([]);
    expectTrueEvents(month, dir, days);
    const tables = [...Object.keys(TABLES), ...READ_TABLES];
    console.info(await sizesOf(month, tables));
    const rebuilt = temporaryFolder('live-rebuilt');
    expect(await differingAfterRebuild(month, tables, { from: dir, to: rebuilt })).toEqual([]);
  },
);
