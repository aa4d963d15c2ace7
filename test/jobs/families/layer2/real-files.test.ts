import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { publishedManifest, type TestFolder, testFolder } from '../../../support/pipeline-world.ts';
import { confidenceOf, exampleFiles, type FilesConfig, runFiles } from '../../../support/published-files.ts';
import { describeRealData, realData } from '../../../support/real-data.ts';
import { DAY, statisticsOf } from './layer2-world.ts';

vi.setConfig({ testTimeout: 120_000 });

let folder: TestFolder;
beforeEach(() => {
  folder = testFolder();
});
afterEach(() => folder.remove());

const LAST_DAY = Date.UTC(2023, 8, 26) / 1000;
const LAST_SECOND = LAST_DAY + DAY - 1;
const METRICS = { txcount: 'tx_count', tvl: 'tvl_usd', fees: 'fees_usd' } as const;
const KEYS = Object.keys(METRICS) as (keyof typeof METRICS)[];

interface Series {
  readonly daily: { readonly types: readonly string[]; readonly data: readonly (readonly number[])[] };
}
interface ChainFile {
  readonly data: { readonly metrics: { readonly [key: string]: Series } };
}

const chainFile = (): ChainFile =>
  JSON.parse(readFileSync(realData('layer2/growthepie-optimism.json'), 'utf8'));
const seriesOf = (key: string) => chainFile().data.metrics[key]?.daily.data ?? [];

/** The second form of the same series: a document a metric, with a network's days under its name. */
function metricDocuments(dir: string): FilesConfig {
  const sources = KEYS.map((key) => {
    const document = { data: { metric_id: key, chains: { optimism: chainFile().data.metrics[key] } } };
    writeFileSync(join(dir, `${key}.json`), JSON.stringify(document));
    return [key, fileSource(`${key}.json`, 'data.chains.optimism.daily.data', METRICS[key])];
  });
  return { profile: 'files', sources: Object.fromEntries(sources) };
}

const fileSource = (path: string, records: string, metric: string) => ({
  table: 'layer2_metric',
  path,
  format: 'json',
  records,
  name: path,
  fields: {
    network: { value: 'optimism' },
    metric: { value: metric },
    day_at: { from: '0', time: 'unix_ms' },
    value: '1',
  },
});

/** The third: one flat list with a record a network, metric and date. */
function flatList(dir: string): FilesConfig {
  const records = KEYS.flatMap((key) =>
    seriesOf(key).map(([ms = 0, value]) => ({
      metric_key: key,
      origin_key: 'optimism',
      date: new Date(ms).toISOString().slice(0, 10),
      value,
    })),
  );
  writeFileSync(join(dir, 'flat.json'), JSON.stringify(records));
  const fields = {
    network: 'origin_key',
    metric: { from: 'metric_key', replace: METRICS },
    day_at: { from: 'date', time: '%Y-%m-%d' },
    value: 'value',
  };
  const flat = { table: 'layer2_metric', path: 'flat.json', format: 'json', name: 'flat', fields };
  return { profile: 'files', sources: { flat } };
}

/** Sum over the last days of a series, in whole millionths. */
function sumOf(key: string, days: number): number {
  const last = seriesOf(key).slice(-days);
  expect(last[0]?.[0]).toBe((LAST_DAY - (days - 1) * DAY) * 1000);
  const millionths = last.map(([, value = 0]) => BigInt(Math.round(value * 1e6)));
  return Number(millionths.reduce((total, value) => total + value, 0n)) / 1e6;
}

function expectOptimism(dir: string): void {
  const [statistic, ...more] = statisticsOf(dir)['optimism'] ?? [];
  expect(more).toEqual([]);
  expect(statistic).toMatchObject({
    tx_daily: 315_923,
    tvl_usd: 2_592_451_724.11,
    fees_daily: 75_148.52,
    tx_weekly: sumOf('txcount', 7),
    tx_monthly: sumOf('txcount', 30),
    avg_block_time: null,
    validation_mechanism: 'optimistic rollup',
    withdrawal_time_sec: 604_800,
  });
  expect(statistic?.fees_weekly).toBeCloseTo(sumOf('fees', 7), 2);
  expect(statistic?.fees_monthly).toBeCloseTo(sumOf('fees', 30), 2);
}

describeRealData('Optimism on 2023-09-26', () => {
  test('has the figures of the file in the form of a document a chain', async () => {
    expect(await runFiles(folder.dir, exampleFiles('layer2'), LAST_SECOND)).toEqual([]);
    expectOptimism(folder.dir);
    expect(Object.keys(statisticsOf(folder.dir))).toEqual(['optimism']);
    const { sources, confidence } = publishedManifest(folder.dir).datasets['layer2-statistics'] ?? {};
    expect(sources).toHaveLength(5);
    expect(sources?.[0]).toMatchObject({ kind: 'file', license: 'MIT' });
    expect(confidence).toMatchObject({
      score: 0.2411,
      reasons: [
        'arbitrum: no complete day of the last seven is known',
        'optimism: not known: avg_block_time',
        'ethereum: 1998 rows of layer2_metric landed, the newest of 2023-09-26T23:59:59Z, and no record is published',
      ],
    });
  });

  test('has the same figures in the form of a document a metric', async () => {
    expect(await runFiles(folder.dir, metricDocuments(folder.dir), LAST_SECOND)).toEqual([]);
    expectOptimism(folder.dir);
  });

  test('has the same figures in the form of one flat list', async () => {
    expect(await runFiles(folder.dir, flatList(folder.dir), LAST_SECOND)).toEqual([]);
    expectOptimism(folder.dir);
  });

  test('has the same figures, each once, when all forms come together', async () => {
    const { dir } = folder;
    const forms = [exampleFiles('layer2'), metricDocuments(dir), flatList(dir)];
    const sources = Object.assign({}, ...forms.map((form) => form.sources));
    expect(await runFiles(dir, { profile: 'files', sources }, LAST_SECOND)).toEqual([]);
    expectOptimism(dir);
  });

  test('has the figures of the day before one second earlier, and the day that is not over is in quarantine', async () => {
    const { dir } = folder;
    expect(await runFiles(dir, exampleFiles('layer2'), LAST_SECOND - 1)).toEqual([]);
    expect(statisticsOf(dir)['optimism']).toMatchObject([{ tx_daily: 281_349, fees_daily: 81_522.24 }]);
    expect(confidenceOf(dir, 'layer2-statistics')?.reasons[0]).toBe('5 of 4352 rows are in quarantine');
  });
});
