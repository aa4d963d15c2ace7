// Real hourly states against a model that goes hour by hour and against strains marked by hand, and Morpho's listings of vaults and curators.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { lending, lendingVaults } from '../../../../jobs/families/lending/domain.ts';
import { oracles } from '../../../../jobs/families/oracles/domain.ts';
import { pools } from '../../../../jobs/families/pools/domain.ts';
import { sources } from '../../../../jobs/families/sources/domain.ts';
import type { Receipt } from '../../../../jobs/ingest/receipts/receipt.ts';
import { type DomainWorld, exampleConfig, openDomainWorld } from '../../../support/domain-world.ts';
import { describeRealData } from '../../../support/real-data.ts';
import { edgesOf, type Observed } from './liquidity-model.ts';
import { midnight, records } from './real-records.ts';
import { type MarkedSeries, type Span, scoreSpikes, spikesText, sumOf } from './score-spikes.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const END = midnight('2026-01-01');
const STATE_MAX_AGE_S = 5_400;
const MARKETS = [
  ['aave-v2-usdc', 'eth-hourly-2023-03-09-2023-03-17', '0xbcca60bb61934080951369a648fb03df4f96263c'],
  ['aave-v2-weth', 'eth-hourly-2022-06-01-2022-06-30', '0x030ba81f1c18d280636f32af80b9aad02cf0854e'],
  ['aave-v3-usdc', 'eth-hourly-2023-03-09-2023-03-17', '0x98c23e9d8f34fefb1b7bd6a91b7ff122f4e16f5c'],
  ['aave-v3-usdt', 'eth-hourly-2025-08-10-2025-08-21', '0x23878914efe38d27c4d67ab83ed1b93a74d4086a'],
] as const;

/** What the hours of a file tell; an hour that was filled from the one before bears its instant. */
async function reportedBy(file: string): Promise<readonly Observed[]> {
  return (await records(`lending/${file}.csv`)).map((row) => ({
    observed_at: Number(row['timestamp']),
    supplied_usd: Number(row['supplied_USD']),
    borrowed_usd: Number(row['borrowed_USD']),
  }));
}

const marked = JSON.parse(readFileSync(new URL('./real-strains.json', import.meta.url), 'utf8')) as {
  readonly series: { readonly [id in (typeof MARKETS)[number][0]]: MarkedSeries };
};

const line = (one: { readonly [name: string]: unknown }) =>
  `${one['observed_at']} ${one['measure']} ${one['edge']}`;

describeRealData('states and listings', () => {
  let world: DomainWorld;
  let receipts: ReadonlyMap<string, Receipt>;
  beforeAll(async () => {
    world = await openDomainWorld(lending, [sources, oracles, pools]);
    const ids = Object.keys(exampleConfig('lending').sources).filter((id) => !id.startsWith('aave-v3-param'));
    const landed = await world.landExample('lending', ...ids);
    receipts = new Map(landed.map((receipt, index) => [ids[index] ?? '', receipt]));
    await world.compute({ start: midnight('2022-06-01'), end: END, now: END - 1 });
  });
  afterAll(() => world.close());

  test('every row of every file is landed or a repetition', () => {
    for (const { rows_in, rows_landed, rows_deduplicated, reasons } of receipts.values()) {
      expect(reasons).toEqual({});
      expect(rows_in).toBe(rows_landed + rows_deduplicated);
    }
    expect(receipts.get('aave-v3-markets')).toMatchObject({ rows_in: 32_478, rows_landed: 210 });
  });

  test.each(MARKETS)('%s: its edges are those of the model', async (id, dates, market) => {
    const reported = await reportedBy(`${id}-${dates}`);
    const states = reported.filter((state, index) => reported[index - 1]?.observed_at !== state.observed_at);
    expect(receipts.get(`${id}-hourly`)).toMatchObject({
      rows_landed: states.length,
      rows_deduplicated: reported.length - states.length,
    });
    const rows = await world.rows(
      `select measure, edge, observed_at from derived.market_step where market_id = '${market}' and edge is not null`,
    );
    const expected = edgesOf(states).map((one) => line({ ...one }));
    expect(rows.map(line).sort()).toEqual(expected.sort());
  });

  test.each(MARKETS)(
    '%s: hours that were filled from the one before are stale, not calm',
    async (id, dates, market) => {
      const times = [
        ...new Set((await reportedBy(`${id}-${dates}`)).map(({ observed_at }) => observed_at)),
        END,
      ];
      const stale = times.reduce(
        (sum, time, index) => sum + Math.max(time - (times[index - 1] ?? time) - STATE_MAX_AGE_S, 0),
        0,
      );
      const [row] = await world.rows(
        `select cast(sum(to_at - from_at) as bigint) as stale_s from derived.market_gap where market_id = '${market}' and day < ${END}`,
      );
      expect(row?.['stale_s']).toBe(stale);
    },
  );

  test('the run on USDT of August 2025 is a spike that holds for a week', async () => {
    const rows = await world.rows(`select edge, observed_at from derived.market_step
      where market_id = '${MARKETS[3][2]}' and measure = 'utilization' and edge is not null order by observed_at`);
    const hourOf = (seconds: unknown) => new Date(Number(seconds) * 1000).toISOString().slice(0, 13);
    expect(rows.map(({ edge, observed_at }) => [edge, hourOf(observed_at)])).toEqual([
      ['start', '2025-08-13T11'],
      ['end', '2025-08-20T14'],
      ['start', '2025-08-20T16'],
    ]);
  });

  /** Hours of the file in which a spike began and ended. */
  async function spikesOf(market: string, hourAt: ReadonlyMap<number, string>): Promise<readonly Span[]> {
    const edges = await world.rows(`select edge, observed_at from derived.market_step
      where market_id = '${market}' and measure = 'utilization' and edge is not null order by observed_at`);
    const hourOf = (index: number) => hourAt.get(Number(edges[index]?.['observed_at'])) ?? '9999';
    return edges.flatMap(({ edge }, index) =>
      edge === 'start' ? [{ from: hourOf(index), to: hourOf(index + 1) }] : [],
    );
  }

  test('spikes are all on strains marked by hand, none in a month of calm hours; what is missed was below the threshold, or at it once', async () => {
    const scores = await Promise.all(
      MARKETS.map(async ([id, dates, market]) => {
        const rows = await records(`lending/${id}-${dates}.csv`);
        const hours = rows.map((row) => row['hour_utc']?.slice(0, 13) ?? '');
        // Of hours that were filled the first is the one that was read.
        const hourAt = new Map(
          rows.map((row, index) => [Number(row['timestamp']), hours[index] ?? ''] as const).reverse(),
        );
        const score = scoreSpikes(marked.series[id], await spikesOf(market, hourAt), hours);
        console.info(spikesText(id, score));
        return score;
      }),
    );
    const total = sumOf(scores);
    console.info(`${spikesText('all', total)}\nmissed: ${total.missed.join('\n        ')}`);
    expect(total).toMatchObject({ strains: 13, found: 8, alarms: 2, alarms_on_strains: 2 });
    expect(total.calm_hours).toBeGreaterThan(30 * 24);
    expect(total.calm_alarms).toBe(0);
    // The first four never reached .95, the last one did so at one observation alone.
    expect(total.missed.map((words) => words.slice(0, 13))).toEqual([
      '2023-03-11 04',
      '2022-06-09 16',
      '2023-03-11 00',
      '2025-08-12 14',
      '2025-08-13 04',
    ]);
  });

  test('vaults that were taken off the list stay known, and curators bear their addresses', async () => {
    const later = midnight('2026-06-01');
    await world.compute({ start: END, end: later + 1, now: later });
    const rows = await world.rows(
      'select version, is_listed, count(*) as n from out.lending_vault group by version, is_listed order by version, is_listed',
    );
    expect(rows.map((row) => [row['version'], row['is_listed'], Number(row['n'])])).toEqual([
      ['1', false, 185],
      ['1', true, 141],
      ['2', false, 8],
      ['2', true, 144],
    ]);
    const [curator] = await world.rows("select * from derived.vault_curator where curator = 'gauntlet'");
    expect(curator).toMatchObject({ name: 'Gauntlet', is_verified: true });
    expect(curator?.['addresses']).toContain('0x9e33faae38ff641094fa68c65c2ce600b3410585');
    expect(
      await world.document(lendingVaults, 'base|0x00dfdb8c7295a03dcf1adff4d21eb5d9d19fb330'),
    ).toMatchObject({ protocol: 'morpho', has_metadata: true, governance_kinds: [] });
  });
});
