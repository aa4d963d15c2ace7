// The published completeness of feeds against a model of decision 83 that is written from its words, and the rules of gaps and counts over
// a whole demo, as a reader of the API sees them.
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { COVERAGE_SCOPES, GAP_KINDS, type ManifestCountsSchema } from '../../../../schemas/coverage.ts';
import type { Static } from '../../../../schemas/define.ts';
import { COUNTS } from '../../../reliability/counts.ts';
import { ServerFixture } from '../../../server/server-fixture.ts';
import { DEMO_NOW, demoFolder } from '../../../support/demo-folder.ts';
import { type FeedRow, feedRow, openOracleWorld, type RoundRow, roundRow } from '../oracles/oracle-world.ts';

const START = 1_750_032_000;
const LAST = START + 5 * 86_400 - 1;
const HEARTBEAT_S = 3_600;
const GRACE_S = 60;

interface Gap {
  readonly kind: string;
  readonly from?: string;
}
interface Item {
  readonly scope: string;
  readonly scope_id: string;
  readonly has_metadata: boolean;
  readonly classified: boolean;
  readonly history_completeness_pct: number | null;
  readonly gaps: readonly Gap[];
}

type ManifestCounts = Static<typeof ManifestCountsSchema>;
interface History {
  readonly columns: Readonly<Record<string, readonly (number | null)[]>>;
}

const world = await openOracleWorld({ needs: { tables: ['out.coverage'] } });
afterAll(() => world.close());

/** Of each UTC day, the longest silence that ended on it, if it lacks an answer for more than a heartbeat: seconds beyond the heartbeat. */
function missingSeconds(times: readonly number[]): readonly number[] {
  const longest = new Map<number, number>();
  for (const [index, at] of times.entries()) {
    const before = times[index - 1];
    const day = Math.floor(at / 86_400);
    if (before !== undefined) longest.set(day, Math.max(longest.get(day) ?? 0, at - before));
  }
  return [...longest.values()]
    .filter((gap) => gap > 2 * HEARTBEAT_S + GRACE_S)
    .map((gap) => gap - HEARTBEAT_S);
}

/** Rows present over rows expected, at most 100 less the share of time in holes beyond the heartbeat. */
function completeness(times: readonly number[], now: number): number {
  const [first] = times;
  if (first === undefined) return 0;
  const expected = Math.max((now - first) / HEARTBEAT_S, 1);
  const missing = missingSeconds(times).reduce((sum, seconds) => sum + seconds, 0);
  const most = now === first ? 100 : 100 - (100 * missing) / (now - first);
  return Math.max(0, Math.min((100 * times.length) / expected, most));
}

async function published(histories: readonly (readonly number[])[]): Promise<ReadonlyMap<string, Item>> {
  const feeds: FeedRow[] = histories.map((_, index) => feedRow({ feed_address: `0x${index}` }));
  const rounds: RoundRow[] = histories.flatMap((times, index) =>
    times.map((updated_at) => roundRow({ feed_address: `0x${index}`, updated_at })),
  );
  await world.clear();
  await world.landFeeds(feeds);
  if (rounds.length > 0) await world.landRounds(rounds);
  await world.compute({ start: START, end: LAST + 1, now: LAST });
  const rows = await world.rows(
    'select scope, scope_id, has_metadata, classified, history_completeness_pct, gaps from out.coverage',
  );
  return new Map((rows as unknown as readonly Item[]).map((row) => [row.scope_id, row]));
}

const every = (seconds: number, from = START): readonly number[] =>
  Array.from({ length: Math.floor((LAST - from) / seconds) + 1 }, (_, index) => from + index * seconds);
const without = (times: readonly number[], from: number, to: number) =>
  times.filter((at) => at < from || at >= to);

const DAY_2 = START + 86_400;
const examples = {
  'one row per heartbeat': { times: every(3_600), pct: 100, holes: 0 },
  'six rows per heartbeat, and a hole of half a day': {
    // From the row before the hole to the row after it 12 h 10 min, less one heartbeat.
    times: without(every(600), DAY_2, DAY_2 + 43_200),
    pct: 100 - (100 * (43_200 + 600 - 3_600)) / (LAST - START),
    holes: 1,
  },
  'one row per heartbeat, and a hole of half a day, which counts once': {
    times: without(every(3_600), DAY_2, DAY_2 + 43_200),
    // The quotient, 108 rows of 119.9997, is a little more: the last second of the fifth day has no row yet.
    pct: 100 - (100 * 43_200) / (LAST - START),
    holes: 1,
  },
  'heartbeats that are late by a minute': {
    times: every(3_660),
    pct: (100 * 119) / ((LAST - START) / 3_600),
    holes: 0,
  },
  'a silence of two heartbeats and the grace period, which is no hole': {
    times: [...every(600, START + 7_260), START].toSorted((a, b) => a - b),
    pct: 100,
    holes: 0,
  },
  'a second more than that': {
    times: [...every(600, START + 7_261), START].toSorted((a, b) => a - b),
    pct: 100 - (100 * 3_661) / (LAST - START),
    holes: 1,
  },
  'no row': { times: [], pct: 0, holes: 0 },
};

test('completeness is rows over rows expected, at most 100 less the share of time in holes', async () => {
  const cases = Object.entries(examples);
  const rows = await published(cases.map(([, { times }]) => times));
  for (const [index, [name, { times, pct, holes }]] of cases.entries()) {
    const row = rows.get(`0x${index}`);
    expect(row?.history_completeness_pct, name).toBeCloseTo(pct, 3);
    expect(completeness(times, LAST), name).toBeCloseTo(pct, 6);
    expect(
      row?.gaps.filter(({ from }) => from !== undefined),
      name,
    ).toHaveLength(holes);
    expect(row?.gaps.some(({ kind }) => kind === 'missing_history') ?? false, name).toBe(pct < 100);
  }
});

const history = fc
  .uniqueArray(fc.integer({ min: START, max: LAST }), { maxLength: 60 })
  .chain((odd) =>
    fc
      .record({ seconds: fc.constantFrom(600, 3_600, 3_610), from: fc.integer({ min: START, max: LAST }) })
      .map(({ seconds, from }) => [...new Set([...odd, ...every(seconds, from)])].toSorted((a, b) => a - b)),
  );

test('any history has the completeness of the model, and a gap unless it is complete', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(history, { minLength: 20, maxLength: 20 }), async (histories) => {
      const rows = await published(histories);
      for (const [index, times] of histories.entries()) {
        const { history_completeness_pct: pct, gaps } = rows.get(`0x${index}`) ?? {};
        const expected = completeness(times, LAST);
        expect(pct).toBeCloseTo(expected, 3);
        expect(pct === 100).toBe(expected >= 100);
        expect(gaps?.some(({ kind }) => kind === 'missing_history')).toBe(expected < 100);
      }
    }),
    { numRuns: COUNTS.walks(4), endOnFailure: true },
  );
}, 60_000);

test('rows, history and manifest of the demo count the same, and every completeness below 100 has a gap', async () => {
  const served = new ServerFixture(join(await demoFolder(), 'snapshots'));
  served.nowMs = DEMO_NOW * 1000;
  const key = await served.key('enterprise');
  const { url } = await served.serve();
  const ask = async <T>(path: string): Promise<T> => {
    const response = await fetch(url + path, { headers: { Authorization: `Bearer ${key}` } });
    expect(response.status, path).toBe(200);
    return ((await response.json()) as { data: T }).data;
  };
  const rows = await ask<readonly Item[]>('/v2/datasets/coverage');
  const manifest = await ask<ManifestCounts>('/v2/data-manifest');
  const count = (is: (row: Item) => boolean) => rows.filter(is).length;
  const has = (kind: string) => (row: Item) => row.gaps.some((gap) => gap.kind === kind);

  for (const row of rows) {
    const { history_completeness_pct: pct, gaps } = row;
    expect(pct === null || pct === 100 || gaps.length > 0, JSON.stringify(row)).toBe(true);
    expect(has('missing_metadata')(row), JSON.stringify(row)).toBe(!row.has_metadata);
  }
  for (const scope of COVERAGE_SCOPES) {
    const { columns } = await ask<History>(`/v2/coverage/history?scope=${scope}`);
    const last = (column: string) => columns[column]?.at(-1);
    const own = rows.filter((row) => row.scope === scope);
    expect(last('items')).toBe(own.length);
    for (const kind of GAP_KINDS) expect(last(kind), `${scope} ${kind}`).toBe(own.filter(has(kind)).length);
    const complete = own.filter((row) => row.history_completeness_pct === 100 && !has('stale')(row)).length;
    expect(last('complete'), scope).toBe(complete);
    if (scope === 'oracle_feed') expect(manifest.feeds.complete).toBe(complete);
  }
  const { total, fresh, stale, unverifiable, unknown, classified } = manifest.markets;
  const isMarket = ({ scope }: Item) => scope === 'lending_market';
  expect(unverifiable).toBe(count((row) => isMarket(row) && has('unverifiable')(row)));
  expect(unverifiable).toBeGreaterThan(0);
  expect(stale).toBe(count((row) => isMarket(row) && has('stale')(row)));
  expect(classified).toBe(count((row) => isMarket(row) && row.classified));
  expect(fresh + stale + unverifiable + unknown).toBe(total);
  await served.remove();
}, 300_000);
