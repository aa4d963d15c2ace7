import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { anomalies } from '../../../../jobs/families/anomalies/domain.ts';
import { type DomainWorld, openDomainWorld } from '../../../support/domain-world.ts';
import { describeRealData } from '../../../support/real-data.ts';
import { type Alarm, describe, type Score, type Series, scoreDetector, totalOf } from './score-detector.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

/** Series of the marked incidents, and what each is of. */
const ENTITIES = {
  optimism: 'optimism|optimism|',
  'optimism-stablecoins': 'optimism|stablecoins|',
  'ethereum-stablecoins': 'ethereum|stablecoins|',
  'aave-v2-weth': 'ethereum|aave-v2|weth',
  'aave-v2-usdc': 'ethereum|aave-v2|usdc',
  'aave-v3-usdc': 'ethereum|aave-v3|usdc',
  'aave-v3-usdt': 'ethereum|aave-v3|usdt',
} as const;
type Name = keyof typeof ENTITIES;
const NAMES = Object.keys(ENTITIES) as Name[];

const marked = (
  JSON.parse(readFileSync(new URL('./real-incidents.json', import.meta.url), 'utf8')) as {
    readonly series: { readonly [name in Name]: Series };
  }
).series;

const START = Date.UTC(2021, 0, 1) / 1000;
const END = Date.UTC(2025, 8, 1) / 1000;
const dayText = (seconds: unknown) => new Date(Number(seconds) * 1000).toISOString().slice(0, 10);

describeRealData('anomalies of real series of value locked', () => {
  let world: DomainWorld;
  beforeAll(async () => {
    world = await openDomainWorld(anomalies);
    await world.landExample('anomalies');
    await world.compute({ start: START, end: END, now: END - 1 });
  });
  afterAll(() => world.close());

  const alarmsOf = async (name: Name): Promise<readonly Alarm[]> =>
    (
      await world.rows(`select anomaly_type, observed_at from derived.anomaly
        where entity = '${ENTITIES[name]}' and is_first order by observed_at`)
    ).map((row) => ({
      day: dayText(row['observed_at']),
      direction: String(row['anomaly_type']).replace('tvl_', ''),
    }));
  const judgedDays = async (name: Name): Promise<ReadonlySet<string>> =>
    new Set(
      (
        await world.rows(
          `select day from derived.robust_baseline where entity = '${ENTITIES[name]}' and gap is null`,
        )
      ).map((row) => dayText(row['day'])),
    );
  const score = async (name: Name): Promise<Score> =>
    scoreDetector(marked[name], await alarmsOf(name), await judgedDays(name));

  test('it finds three in four of the incidents that it can judge, and three in four alarms are incidents', async () => {
    const scores = await Promise.all(NAMES.map(score));
    const total = totalOf(scores);
    for (const [index, name] of NAMES.entries()) console.info(describe(name, scores[index] ?? total));
    console.info(describe('all', total));
    console.info(`missed: ${total.missed.join(', ')}\nunmarked: ${total.unmarked.join(', ')}`);
    expect(total.found / total.judged).toBeGreaterThanOrEqual(0.75);
    expect(total.alarms_on_incidents / total.alarms).toBeGreaterThanOrEqual(0.75);
    expect(total).toMatchObject({ judged: 24, found: 18, alarms: 29, alarms_on_incidents: 22 });
  });

  test('in more than four years of calm days there is no alarm', async () => {
    const total = totalOf(await Promise.all(NAMES.map(score)));
    expect(total.calm_days).toBeGreaterThan(4 * 365 - 30);
    expect(total.calm_alarms).toBe(0);
  });

  test('what it misses moved by less than the least size, or came too early to be judged', async () => {
    const total = totalOf(await Promise.all(NAMES.map(score)));
    expect(total.missed).toEqual([
      '2022-05-09 drop',
      '2022-06-13 drop',
      '2022-11-08 drop',
      '2023-03-13 spike',
      '2021-11-13 spike',
      '2021-02-03 spike',
      '2021-04-04 spike',
      '2023-03-10 drop',
      '2023-03-11 spike',
      '2023-03-13 drop',
    ]);
  });

  test('nine days of hours are too few for a verdict, and it says so', async () => {
    const gaps = await world.rows(
      "select distinct gap from derived.robust_baseline where entity in ('ethereum|aave-v2|usdc', 'ethereum|aave-v3|usdc')",
    );
    expect(gaps).toEqual([{ gap: 'too_few_days' }]);
  });
});
