// A world that misbehaves: every keyless source is played through the kinds of trouble that providers have, in simulated time. What may
// land is true, nothing is lost, and each trouble is named. A few hours at a landing; at release counts the month, up to its tables.
import { afterEach, expect, test } from 'vitest';
import { DEFAULT_POLICY } from '../../../jobs/policies.ts';
import { landable, type Recording } from '../../../jobs/live/recording.ts';
import { readRecordings } from '../../../jobs/live/recording-store.ts';
import { COUNTS } from '../../reliability/counts.ts';
import { TABLES } from '../../support/live-world/expected.ts';
import { MONTH_DAYS, scriptOf, START_S, truthOf } from '../../support/live-world/month.ts';
import { DAY_S, HOUR_S } from '../../support/live-world/truth-finance.ts';
import { keylessSources, LiveWorld } from '../../support/live-world/world.ts';
import {
  postsWithin,
  proposalsWithin,
  roundsWithin,
  type Span,
  votesWithin,
} from '../../support/live-world/observer.ts';
import { publishedEvents } from '../../support/pipeline-world.ts';
import { staleSpan } from '../../support/live-world/truth-feeds.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { compareSaid, differingAfterRebuild, type Month, playMonth } from './live-tables.ts';

const HOURS = 10;
const SOURCES = {
  'chainlink-rounds': { every: '30m' },
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

/** Bodies of sources that are requests and pages: those of a chain are decoded before they are kept. */
const bodiesOf = (recordings: readonly Recording[]): string[] =>
  landable(recordings).flatMap(({ pages }) => pages.map(({ sha256 }) => sha256));

test('only true bodies land, every source is read to the end, and each trouble is named', {
  timeout: 120_000,
}, async () => {
  const world = await played();
  const endS = START_S + HOURS * HOUR_S;
  for (const source of world.sources.filter(({ id }) => !world.unplayed.includes(id))) {
    const recordings = await readRecordings(world.place, source.id);
    const through = Math.max(
      ...recordings.filter(({ outcome }) => outcome !== 'failed').map((one) => one.as_of),
    );
    expect(`${source.id} ${endS - through < source.every_s + HOUR_S}`).toBe(`${source.id} true`);
    if (source.request?.chain === undefined)
      expect(bodiesOf(recordings).filter((sha256) => !world.journal.trueBodies.has(sha256))).toEqual([]);
    const unnamed = recordings.filter(
      ({ outcome, reasons }) => (outcome === 'failed' || outcome === 'suspect') && reasons.length === 0,
    );
    expect(unnamed).toEqual([]);
  }
  const met = new Set(world.journal.said.flatMap(({ trouble }) => (trouble === null ? [] : [trouble])));
  expect(met.size).toBeGreaterThanOrEqual(30);
});

const FORUM = 'governance.aave.com';
const SPACE = 'aavedao.eth';
/** Rows of stretches of time as text, and what they must be in a span. */
const STRETCHES: readonly {
  readonly table: string;
  readonly sql: string;
  /** How long before the end a row may still be on its way, and how much of the past is read, seconds. */
  readonly lag: number;
  readonly history: number;
  readonly wanted: (world: LiveWorld, span: Span) => ReadonlySet<string>;
}[] = [
  {
    table: 'feed_round',
    sql: `select observed_at as at, feed_address || ' | ' || round_id || ' | ' || answer || ' | ' || updated_at as says from obs.feed_round`,
    lag: HOUR_S,
    history: 2 * DAY_S,
    wanted: roundsWithin,
  },
  {
    table: 'social_message',
    sql: 'select sent_at as at, cast(sent_at as varchar) as says from obs.social_message',
    lag: HOUR_S,
    history: 6 * DAY_S,
    wanted: (_, span) => postsWithin(FORUM, span),
  },
  {
    table: 'governance_proposal',
    sql: `select distinct created_at as at, proposal_id || ' | ' || created_at as says from obs.governance_proposal`,
    lag: 2 * HOUR_S,
    history: 59 * DAY_S,
    wanted: (_, span) => proposalsWithin(SPACE, span),
  },
  {
    table: 'governance_vote',
    sql: `select earliest_at as at, vote_id || ' | ' || earliest_at as says from obs.governance_vote`,
    lag: 7 * HOUR_S,
    history: 29 * DAY_S,
    wanted: (_, span) => votesWithin(SPACE, span),
  },
];

async function expectStretches({ world, context }: Month, endS: number): Promise<void> {
  for (const { table, sql, lag, history, wanted } of STRETCHES) {
    const span = { from: START_S - history, to: endS - lag };
    const rows = (await context.warehouse.rows(sql)) as { at: unknown; says: unknown }[];
    const held = new Set(rows.map(({ says }) => String(says)));
    const all = wanted(world, { from: 0, to: endS });
    expect({ table, lost: [...wanted(world, span)].filter((one) => !held.has(one)).slice(0, 3) }).toEqual({
      table,
      lost: [],
    });
    expect({ table, untrue: [...held].filter((one) => !all.has(one)).slice(0, 3) }).toEqual({
      table,
      untrue: [],
    });
    expect({ table, rows: rows.length }).toEqual({ table, rows: held.size });
    console.info(`${table}: ${rows.length} rows, all of them true, none lost`);
  }
}

/** What truly happens, by type and subject of its events. */
const INCIDENTS: readonly RegExp[] = [
  /^peg\.depeg\.(start|end|recovered) peg:ethereum:usdc\b/i,
  /^oracle\.(stale|classification\.changed) oracle:ethereum:0xa+6:/,
  /^risk\.anomaly anomaly:tvl_drop:.*:protocol-7:/,
];

/** Every event is about something that happened, and the depeg and the silence of a feed are among them, at their seconds. */
function expectTrueEvents({ world }: Month, dir: string, days: number): void {
  const events = publishedEvents(dir).map(({ value }) => value);
  const named = events.map(({ type, subject_id }) => `${type} ${subject_id}`);
  expect(named.filter((one) => !INCIDENTS.some((incident) => incident.test(one)))).toEqual([]);
  expect(named.filter((one) => one.startsWith('peg.depeg.start'))).toHaveLength(1);
  const { grace_s, stale_high_s, stale_critical_s } = DEFAULT_POLICY.oracle;
  const { from, to } = staleSpan(world.endpoints.feeds, truthOf(days).feeds.silence, grace_s);
  const reported = (wanted: string) =>
    events.filter(({ type }) => type === wanted).map(({ ts, severity }) => [severity, Date.parse(ts) / 1000]);
  expect(reported('oracle.stale')).toEqual([
    ['warn', from],
    ['high', from - 1 + stale_high_s],
    ['critical', from - 1 + stale_critical_s],
  ]);
  expect(reported('oracle.classification.changed').map(([, at]) => at)).toEqual([from, to]);
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
  `after ${COUNTS.liveDays} days of troubles every table holds what a perfect observer holds`,
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
    const met = Map.groupBy(month.world.journal.said, ({ trouble }) => trouble ?? 'none');
    console.info([...met].map(([name, all]) => `${all.length} × ${name}`).join('\n'));
    await expectStretches(month, START_S + days * DAY_S);
    expect(compared.flatMap(({ missing, wrong }) => [...missing, ...wrong])).toEqual([]);
    expectTrueEvents(month, dir, days);
    const tables = [...Object.keys(TABLES), ...STRETCHES.map(({ table }) => table)];
    const rebuilt = temporaryFolder('live-rebuilt');
    expect(await differingAfterRebuild(month, tables, { from: dir, to: rebuilt })).toEqual([]);
  },
);
