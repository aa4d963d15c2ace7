import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { layer2 } from '../../../../jobs/families/layer2/domain.ts';
import { renderParameters } from '../../../../jobs/engine/parameters.ts';
import type { Layer2Statistic } from '../../../../schemas/layer2.ts';
import { duckDbTarget, openScratchEngine, prepareCases } from '../../../support/case-duckdb.ts';
import type { CaseRow } from '../../../support/case-file.ts';
import { publishedManifest, type TestFolder, testFolder } from '../../../support/pipeline-world.ts';
import { confidenceOf, documentsOf, quarantinedFields, runFiles } from '../../../support/published-files.ts';
import { DAY, type FigureRow, figureFiles, statisticsOf } from './layer2-world.ts';

vi.setConfig({ testTimeout: 120_000 });

const TODAY = Date.UTC(2026, 2, 10) / 1000;
const NOON = TODAY + 43_200;

let folder: TestFolder;
beforeEach(() => {
  folder = testFolder();
});
afterEach(() => folder.remove());

/** The figure of the day so many days before today. */
const figure = (metric: string, daysBefore: number, value: FigureRow['value']): FigureRow => ({
  network: 'arbitrum',
  metric,
  day_at: TODAY - daysBefore * DAY,
  value,
});
const month = (metric: string, value: (daysBefore: number) => number) =>
  Array.from({ length: 30 }, (_, index) => figure(metric, index + 1, value(index + 1)));

const published = async (rows: readonly FigureRow[], now = NOON) => {
  expect(await runFiles(folder.dir, figureFiles(folder.dir, { figures: rows }), now)).toEqual([]);
  return statisticsOf(folder.dir)['arbitrum'] ?? [];
};

test('a record has its day and the fields of the specification, as JSON numbers', async () => {
  const rows = [
    ...month('tx_count', (day) => 1_000_000 + day),
    ...month('fees_usd', () => 0.1),
    ...month('tvl_usd', (day) => 12_345_678_901.234 - day),
    ...month('avg_block_time_s', () => 0.25),
  ];
  expect(JSON.stringify(await published(rows))).toBe(
    `[{"avg_block_time":0.25,"date":"${new Date((TODAY - DAY) * 1000).toISOString().slice(0, 10)}",` +
      '"fees_daily":0.1,"fees_monthly":3,"fees_weekly":0.7,"hard_finality":768,' +
      '"settlement_layer_finality":768,"soft_finality":0.25,"tvl_usd":12345678900.23,"tx_daily":1000001,"tx_monthly":30000465,' +
      '"tx_per_sec_capacity":6092,"tx_weekly":7000028,"validation_mechanism":"optimistic rollup","withdrawal_time_sec":549816}]',
  );
});

test('the registry is published with the source and the day of every fact', async () => {
  await published([figure('tx_count', 1, 5)]);
  const registry = documentsOf<readonly Record<string, string>[]>(folder.dir, 'layer2-registry');
  expect(Object.keys(registry)).toEqual(['arbitrum', 'optimism']);
  for (const facts of Object.values(registry)) {
    expect(facts).toHaveLength(6);
    for (const { source, checked_on } of facts) {
      expect(source).toMatch(/^https:\/\//);
      expect(checked_on).toMatch(/^\d{4}-\d{2}-\d{2}$/);
    }
  }
  expect(confidenceOf(folder.dir, 'layer2-registry')).toMatchObject({ score: 1 });
});

test('a fact from the configuration takes the place of the default, with its source, and marks the policy version', async () => {
  const fact = {
    network: 'arbitrum',
    fact: 'withdrawal_time_sec',
    value: 3_600,
    note: 'tried',
    source: 'https://example.org/a',
    checked_on: '2026-03-01',
  };
  const files = figureFiles(folder.dir, { figures: [figure('tx_count', 1, 5)] });
  const policy = { layer2: { networks: ['arbitrum', 'base'], facts: [fact] } };
  await runFiles(folder.dir, { ...files, policy }, NOON);
  expect(statisticsOf(folder.dir)['arbitrum']).toMatchObject([
    { withdrawal_time_sec: 3_600, soft_finality: 0.25 },
  ]);
  expect(Object.keys(documentsOf(folder.dir, 'layer2-registry'))).toEqual(['arbitrum']);
  expect(publishedManifest(folder.dir).policy_version).toMatch(/^1\.0\.0\+/);
});

describe('what sources get wrong', () => {
  const quarantined = () =>
    confidenceOf(folder.dir, 'layer2-statistics')?.reasons.find((reason) => reason.includes('quarantine'));

  test('half a day waits for the whole day, which then replaces it', async () => {
    const half = { ...figure('tx_count', 0, 40), measured_at: NOON - 1 };
    expect(await published([figure('tx_count', 1, 100), half])).toMatchObject([{ tx_daily: 100 }]);
    const whole = figure('tx_count', 0, 90);
    await runFiles(
      folder.dir,
      figureFiles(folder.dir, { figures: [figure('tx_count', 1, 100), half, whole] }),
      TODAY + DAY,
    );
    expect(statisticsOf(folder.dir)['arbitrum']).toMatchObject([{ tx_daily: 90 }]);
  });

  test('a day that comes twice with one value is counted once; with another value the second is quarantined', async () => {
    const rows = month('tx_count', () => 10);
    await runFiles(
      folder.dir,
      figureFiles(folder.dir, { one: [...rows, ...rows], two: [...rows, figure('fees_usd', 1, 1)] }),
      NOON,
    );
    expect(statisticsOf(folder.dir)['arbitrum']).toMatchObject([{ tx_weekly: 70, tx_monthly: 300 }]);
    expect(quarantined()).toBeUndefined();
    const other = month('tx_count', (day) => (day === 1 ? 11 : 10));
    await runFiles(folder.dir, figureFiles(folder.dir, { three: other }), NOON + 300);
    expect(statisticsOf(folder.dir)['arbitrum']).toMatchObject([{ tx_daily: 10 }]);
  });

  test('a correction that says when it was made replaces the day, also weeks later', async () => {
    const rows = month('tx_count', () => 10);
    expect(await published(rows)).toMatchObject([{ tx_monthly: 300 }]);
    const corrected = { ...figure('tx_count', 20, 110), measured_at: NOON + 60 };
    await runFiles(folder.dir, figureFiles(folder.dir, { figures: rows, later: [corrected] }), NOON + 120);
    expect(statisticsOf(folder.dir)['arbitrum']).toMatchObject([{ tx_weekly: 70, tx_monthly: 400 }]);
  });

  test('what is no figure is quarantined, each for its reason, and the rest is kept', async () => {
    const good = Array.from({ length: 1_000 }, (_, index) => figure('fees_usd', index + 1, 1));
    const bad = [
      figure('tx_count', 1, -1),
      figure('tx_count', 1, 'many'),
      figure('tx_count', 1, 'NaN'),
      figure('tx_count', 1, '1e300'),
      figure('tx count', 1, 1),
      figure('tx_count', -1, 1),
      { ...figure('tx_count', 1, 1), day_at: 0 },
    ];
    expect(await published([...good, ...bad])).toMatchObject([{ tx_daily: null, fees_monthly: 30 }]);
    expect(quarantined()).toBe('7 of 1007 rows are in quarantine');
    expect(quarantinedFields(folder.dir, 'layer2_metric')).toEqual([
      'day_at',
      'known_at',
      'metric',
      ...Array.from({ length: 4 }, () => 'value'),
    ]);
  });

  test('a value in scientific notation and one with a fraction are read as they are meant', async () => {
    const rows = [figure('tx_count', 1, '3.15923e5'), figure('fees_usd', 1, '7.51485181392214e4')];
    expect(await published(rows)).toMatchObject([{ tx_daily: 315_923, fees_daily: 75_148.52 }]);
  });

  test('names in capitals are the same network; a network that is not served is kept and not published', async () => {
    const rows = [
      { ...figure('TX_COUNT', 1, 5), network: 'Arbitrum' },
      { ...figure('tx_count', 1, 6), network: 'base' },
    ];
    expect(await published(rows)).toMatchObject([{ tx_daily: 5 }]);
    expect(Object.keys(statisticsOf(folder.dir))).toEqual(['arbitrum']);
  });

  test('a network that reported nothing for eight days has no record any more', async () => {
    expect(await published([figure('tx_count', 7, 5)])).toHaveLength(1);
    await runFiles(folder.dir, figureFiles(folder.dir, { figures: [figure('tx_count', 7, 5)] }), NOON + DAY);
    expect(statisticsOf(folder.dir)).toEqual({});
  });
});

/** The specification read once more, in another way: over a table of days, looking forward from each candidate. */
function modelled(rows: readonly FigureRow[]): Partial<Layer2Statistic> | undefined {
  const table = new Map(rows.map(({ metric, day_at, value }) => [`${metric} ${day_at}`, Number(value)]));
  const at = (metric: string, day: number) => table.get(`${metric} ${day}`);
  const isKnown = (back: number) =>
    ['tx_count', 'tvl_usd', 'fees_usd'].some((metric) => at(metric, TODAY - back * DAY) !== undefined);
  if (![1, 2, 3, 4, 5, 6, 7].some(isKnown)) return undefined;
  const last = TODAY - (!isKnown(1) && isKnown(2) ? 2 : 1) * DAY;
  const sum = (metric: string, days: number) => {
    let total = 0;
    for (let back = 0; back < days; back++) {
      const value = at(metric, last - back * DAY);
      if (value === undefined) return null;
      total += value;
    }
    return total;
  };
  return {
    tx_daily: sum('tx_count', 1),
    tx_weekly: sum('tx_count', 7),
    tx_monthly: sum('tx_count', 30),
    tvl_usd: sum('tvl_usd', 1),
    fees_daily: sum('fees_usd', 1),
    fees_weekly: sum('fees_usd', 7),
    fees_monthly: sum('fees_usd', 30),
  };
}

describe('against an independent reading', () => {
  const days = fc.uniqueArray(fc.integer({ min: 1, max: 40 }), { maxLength: 6 });
  const missing = fc.record({ tx_count: days, tvl_usd: days, fees_usd: days });
  const NETWORKS = Array.from({ length: 15 }, (_, index) => `network-${index}`);
  const figuresWithout = (gaps: { readonly [metric: string]: readonly number[] }) =>
    Object.entries(gaps).flatMap(([metric, without]) =>
      Array.from({ length: 40 }, (_, index) => figure(metric, index + 1, (index * 7919) % 1000)).filter(
        (_, index) => !without.includes(index + 1),
      ),
    );

  test('records are the same, whatever days are missing', async () => {
    const { set, catalogue } = await prepareCases([layer2]);
    const engine = await openScratchEngine();
    const target = duckDbTarget(engine);
    const model = set.models.find(({ name }) => name === 'out.layer2_statistic');
    const sql = renderParameters(model?.sql ?? '', { start: TODAY, end: NOON + 1, now: NOON });
    const fill = (table: string, rows: readonly CaseRow[]) =>
      target.fill(table, catalogue.tables(table), rows);
    await fill(
      'obs.layer2_network',
      NETWORKS.map((network) => ({ network })),
    );
    const gapsOfAll = fc.tuple(...NETWORKS.map(() => missing));
    await fc.assert(
      fc.asyncProperty(gapsOfAll, async (gaps) => {
        const figures = NETWORKS.map((network, index) => ({
          network,
          rows: figuresWithout(gaps[index] ?? {}),
        }));
        await fill(
          'derived.layer2_day',
          figures.flatMap(({ network, rows }) =>
            rows.map(({ day_at, ...row }) => ({ ...row, network, day: day_at, known_at: day_at + DAY - 1 })),
          ),
        );
        const found = new Map((await target.rows(sql, [])).map((row) => [row['network'], row]));
        expect(found.size).toBe(NETWORKS.length);
        for (const { network, rows } of figures)
          expect(found.get(network), JSON.stringify(gaps)).toMatchObject(modelled(rows) ?? {});
      }),
      { numRuns: 10, seed: 11 },
    );
    await engine.close();
  });
});
