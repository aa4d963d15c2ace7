import { expect, test } from 'vitest';
import type { Manifest, SeriesPart } from '../../../snapshots/layout.ts';
import type { FigureChange, RowChanges } from '../../../schemas/figure-changes.ts';
import type { SeriesGap } from '../../../schemas/series.ts';
import {
  COMPARED_MARKETS,
  COMPARED_NETWORKS,
  COMPARED_SCORES,
  COMPARED_YIELDS,
  type ComparedList,
} from '../../../server/series/compared-lists.ts';
import { rowsWithChanges } from '../../../server/series/row-changes.ts';

const HOUR = 3_600;
const DAY = 86_400;
const TODAY = Date.UTC(2026, 2, 10) / 1_000;
const NOW = TODAY + 12 * HOUR + 600;
const iso = (seconds: number) => new Date(seconds * 1_000).toISOString();
let files = 0;

interface Points {
  readonly t: readonly number[];
  readonly columns: Readonly<Record<string, readonly (number | null)[]>>;
  readonly gaps?: readonly SeriesGap[];
}

interface Subject {
  readonly list: ComparedList;
  readonly row: Readonly<Record<string, unknown>>;
  /** Of the history, in files of a day (of a month for daily histories) that begin with the key. */
  readonly parts: Readonly<Record<number, Points | null>>;
  readonly seriesDataset?: string;
  readonly held?: NonNullable<Manifest['held_subjects']>['list'];
}

/** The changes of one row, whose history has these files. */
async function changes({ list, row, parts, seriesDataset = list.dataset, held = [] }: Subject) {
  const isDaily = list.historyOf(row)?.definition.grain === 'daily';
  const series = Object.keys(parts).map((from): SeriesPart => {
    const ends = Number(from) + (isDaily ? 31 * DAY : DAY);
    files += 1;
    const sha256 = String(files);
    return {
      resolution: isDaily ? '1d' : '1h',
      from: Number(from),
      to: ends,
      sha256,
      bytes: 1,
      documents: 1,
    };
  });
  const entry = {
    computed_at: iso(NOW),
    series,
    quality_gate: { verdict: 'pass', checks: [] },
  } as unknown as Manifest['datasets'][string];
  const manifest = {
    datasets: { [list.dataset]: entry, [seriesDataset]: entry },
    held_subjects: { total: held.length, list: held },
  } as unknown as Manifest;
  const document = async (_: string, { from }: SeriesPart) => {
    const points = parts[from];
    return points === null || points === undefined
      ? undefined
      : Buffer.from(JSON.stringify({ gaps: [], ...points }));
  };
  const [changed] = await rowsWithChanges({ series: { document } }, list, {
    about: entry,
    manifest,
    rows: [row],
  });
  return changed?.['changes'] as RowChanges;
}

const market = (more: Readonly<Record<string, unknown>> = {}) => ({
  chain: 'ethereum',
  market_id: '0x1',
  utilization: 0.81,
  state_at: NOW - 60,
  ...more,
});
/** The last full hour a day ago. */
const THEN = TODAY - DAY + 12 * HOUR;
const hours = (
  t: readonly number[],
  utilization: readonly (number | null)[],
  gaps: readonly SeriesGap[] = [],
) => ({
  [TODAY - DAY]: { t, columns: { utilization }, gaps },
});

async function ofMarket(
  parts: Subject['parts'],
  row = market(),
  held: Subject['held'] = [],
): Promise<FigureChange | undefined> {
  return (await changes({ list: COMPARED_MARKETS, row, parts, held }))['utilization']?.change_24h;
}

const unknown = (reason: string, at: number | null = THEN) => ({ at, before: null, change: null, reason });

test('a figure is compared with its last value before the full hour a day ago, without the noise of doubles', async () => {
  expect(await ofMarket(hours([THEN - HOUR], [0.8]))).toEqual({
    at: THEN,
    before: 0.8,
    change: 0.01,
    reason: null,
  });
});

test('the hour that begins at that moment is after it; an earlier hour is carried while there is no gap', async () => {
  expect(await ofMarket(hours([THEN - HOUR, THEN], [0.8, 0.5]))).toMatchObject({ before: 0.8 });
  expect(await ofMarket(hours([THEN - 5 * HOUR, THEN], [0.7, 0.5]))).toMatchObject({ before: 0.7 });
  const yesterday = { [TODAY - 2 * DAY]: { t: [TODAY - DAY - HOUR], columns: { utilization: [0.6] } } };
  expect(await ofMarket({ ...yesterday, [TODAY - DAY]: null })).toMatchObject({ before: 0.6 });
});

test('equal figures have changed by 0, and only then', async () => {
  expect(await ofMarket(hours([THEN - HOUR], [0.81]))).toMatchObject({ before: 0.81, change: 0 });
});

test.each([
  [
    'a gap that covers the moment',
    hours([THEN - 5 * HOUR], [0.8], [{ from: THEN - 1, to: THEN, reason: 'no_state' }]),
    'not_observed',
  ],
  ['no point in two days', { [TODAY - DAY]: null, [TODAY - 2 * DAY]: null }, 'no_observation'],
  ['a subject that began afterwards', hours([THEN], [0.8]), 'no_observation'],
  [
    'no file of that day, though one of the day before',
    { [TODAY - 2 * DAY]: { t: [TODAY - DAY - HOUR], columns: { utilization: [0.6] } } },
    'no_history',
  ],
  ['no history', {}, 'no_history'],
  ['a value that was not known', hours([THEN - HOUR], [null]), 'unknown_then'],
])('%s gives no change: %s', async (_, parts: Subject['parts'], reason) => {
  expect(await ofMarket(parts)).toEqual(unknown(reason));
});

test.each([
  ['ends just before the moment', { from: THEN - 2 * HOUR, to: THEN - 1, reason: 'no_state' }],
  ['begins with it', { from: THEN, to: THEN + HOUR, reason: 'no_state' }],
])('a gap that %s does not hide the value', async (_, gap) => {
  expect(await ofMarket(hours([THEN - HOUR], [0.8], [gap]))).toMatchObject({ before: 0.8 });
});

test('a figure that is not known now, or not observed since, has no change', async () => {
  const parts = hours([THEN - HOUR], [0.8]);
  expect(await ofMarket(parts, market({ utilization: null }))).toEqual(unknown('value_unknown'));
  expect(await ofMarket(parts, market({ state_at: THEN - 1 }))).toEqual(unknown('not_newer'));
  expect(await ofMarket(parts, market({ state_at: THEN }))).toMatchObject({ before: 0.8 });
  expect(await ofMarket(parts, market({ state_at: null }))).toEqual(unknown('value_unknown', null));
});

test.each(['*', 'ethereum 0x1'])('nothing is compared while %s is held back', async (subject) => {
  const held = [{ dataset: 'lending-markets', subject, since: iso(NOW), checks: [], reason: 'wrong' }];
  expect(await ofMarket(hours([THEN - HOUR], [0.8]), market(), held)).toEqual(unknown('held_back'));
});

const MONTH = TODAY - 9 * DAY;

test('the daily records of yields are those of the days a day and a week ago', async () => {
  const row = { id: 'a/b/c', netApy: 5, tvlUsd: 10, updatedAt: iso(NOW) };
  const t = [TODAY - 7 * DAY, TODAY - DAY, TODAY];
  const parts = { [MONTH]: { t, columns: { net_apy: [4, 4.5, 5], tvl_usd: [12, 10, 10] } } };
  const found = await changes({ list: COMPARED_YIELDS, row, parts });
  expect(found['netApy']).toEqual({
    change_24h: { at: TODAY - DAY, before: 4.5, change: 0.5, reason: null },
    change_7d: { at: TODAY - 7 * DAY, before: 4, change: 1, reason: null },
  });
  expect(found['tvlUsd']?.change_7d.change).toBe(-2);
  expect(found['riskScore']?.change_24h).toMatchObject({ change: null, reason: 'value_unknown' });
  const old = await changes({ list: COMPARED_YIELDS, row: { ...row, updatedAt: iso(TODAY - 1) }, parts });
  expect(old['netApy']?.change_24h).toMatchObject({ change: null, reason: 'not_newer' });
  expect(old['netApy']?.change_7d).toMatchObject({ change: 1 });
});

test('a day without a record is no other day', async () => {
  const row = { id: 'a/b/c', netApy: 5, updatedAt: iso(NOW) };
  const t = [TODAY - 2 * DAY, TODAY];
  const gaps = [{ from: TODAY - 2 * DAY, to: TODAY, reason: 'no_record' }];
  const columns = { net_apy: [4, 5] };
  const found = await changes({ list: COMPARED_YIELDS, row, parts: { [MONTH]: { t, columns, gaps } } });
  expect(found['netApy']?.change_24h).toMatchObject({ at: TODAY - DAY, reason: 'not_observed' });
  expect(found['netApy']?.change_7d).toMatchObject({ reason: 'no_observation' });
});

test('scores and networks are compared with the days before their own, however old that is', async () => {
  const day = TODAY - 4 * DAY;
  const t = [day - 7 * DAY, day - DAY, day];
  const month = day - 10 * DAY;
  const score = await changes({
    list: COMPARED_SCORES,
    row: { protocol: 'aave', timestamp: iso(day), score: 0.7123 },
    parts: { [month]: { t, columns: { score: [0.5, 0.7, 0.7123] } } },
  });
  expect(score['score']).toMatchObject({ change_24h: { change: 0.0123 }, change_7d: { change: 0.2123 } });
  const network = await changes({
    list: COMPARED_NETWORKS,
    row: { network: 'arbitrum', kind: 'layer2', day: iso(day).slice(0, 10), tvl_usd: 3, transactions: 10 },
    seriesDataset: 'layer2-statistics',
    parts: { [month]: { t, columns: { tvl_usd: [1, 2, 3], transactions: [null, 8.6, 10.2] } } },
  });
  expect(network['tvl_usd']).toMatchObject({ change_24h: { change: 1 }, change_7d: { change: 2 } });
  expect(network['transactions']).toMatchObject({
    change_24h: { before: 9, change: 1 },
    change_7d: { reason: 'unknown_then' },
  });
  const held = [
    { dataset: 'layer2-statistics', subject: 'arbitrum', since: iso(NOW), checks: [], reason: 'wrong' },
  ];
  const without = await changes({
    list: COMPARED_NETWORKS,
    row: { network: 'arbitrum', kind: 'layer2', day: iso(day).slice(0, 10), tvl_usd: 3 },
    seriesDataset: 'layer2-statistics',
    parts: {},
    held,
  });
  expect(without['tvl_usd']?.change_24h.reason).toBe('held_back');
  expect(await changes({ list: COMPARED_NETWORKS, row: { network: 'x', kind: 'new' }, parts: {} })).toEqual(
    {},
  );
});
