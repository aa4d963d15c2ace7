import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { exampleConfig } from '../../../support/domain-world.ts';
import { publishedManifest, type TestFolder, testFolder } from '../../../support/pipeline-world.ts';
import { describeRealData, realData } from '../../../support/real-data.ts';
import { DAY, liquidityOf, type Pool } from './overall-model.ts';
import { publishOverall, receiptsIn } from './overall-world.ts';

vi.setConfig({ testTimeout: 120_000 });

const PROTOCOLS = fileURLToPath(new URL('../../../../examples/overall-protocols.csv', import.meta.url));

let folder: TestFolder;
beforeEach(() => {
  folder = testFolder();
});
afterEach(() => folder.remove());

const NOW = Date.UTC(2026, 0, 10, 12) / 1000;
const same = (...names: readonly string[]) => Object.fromEntries(names.map((name) => [name, name]));
const at = (name: string) => ({ from: name, time: 'iso8601' });
const TABLES = {
  overall_protocol: {
    ...same('protocol', 'name', 'development_path', 'social_id', 'governance_id'),
    observed_at: at('observed_at'),
  },
  overall_pool: {
    ...same('protocol', 'pool_id', 'tvl_usd', 'borrowed_usd', 'depth_usd'),
    observed_at: at('observed_at'),
  },
  overall_security: {
    ...same('protocol', 'fact', 'title', 'severity', 'source', 'checked_on'),
    happened_at: at('happened_at'),
    observed_at: at('observed_at'),
  },
} as const;

/** Runs over one CSV file a table; answers what was quarantined of each table, by its reasons. */
async function runFiles(files: { readonly [table in keyof typeof TABLES]: readonly string[] }) {
  const sources = Object.fromEntries(
    Object.entries(files).map(([table, lines]) => {
      const path = join(folder.dir, `${table}.csv`);
      writeFileSync(path, `${lines.join('\n')}\n`);
      const fields = TABLES[table as keyof typeof TABLES];
      return [table.replaceAll('_', '-'), { table, path, format: 'csv', name: table, fields }];
    }),
  );
  const config = { profile: 'files', quarantine_limit_pct: 100, sources };
  const refused = await publishOverall(folder.dir, { now: NOW, config }, async ({ ingest }) =>
    Object.fromEntries(
      Object.keys(files).map((table) => [
        table,
        Object.assign({}, ...ingest.receipts(table).map(({ reasons }) => reasons)),
      ]),
    ),
  );
  return refused;
}

const registered = (name: string) => `${name},Reviewer,,,,2026-01-01T00:00:00Z`;
const fact = (line: string) => `alpha,${line},2025-12-31T00:00:00Z,2026-01-01T00:00:00Z`;
const FILES = {
  overall_protocol: [
    'protocol,name,development_path,social_id,governance_id,observed_at',
    ...['alpha', 'BETA', 'gamma', 'delta.finance', '../epsilon', ''].map(registered),
    'late,Late,,,,2027-01-01T00:00:00Z',
  ],
  overall_pool: [
    'protocol,pool_id,tvl_usd,borrowed_usd,depth_usd,observed_at',
    'alpha,p,1000000,400000,,2026-01-10T01:00:00Z',
    'beta,p,1000000,1100000,,2026-01-10T01:00:00Z',
    'gamma,p,1000000,,,2026-01-10T01:00:00Z',
    'gamma,q,-1,,5,2026-01-10T01:00:00Z',
    'gamma,r,much,,5,2026-01-10T01:00:00Z',
  ],
  overall_security: [
    'protocol,fact,title,severity,source,checked_on,happened_at,observed_at',
    fact('deployment,v1,,list,2026-01-01'),
    fact('review,all,,list,2026-01-01'),
    fact('incident,drained,,list,2026-01-01'),
    fact('incident,paused,low,list,2026-01-01'),
    fact('parameter_flag,cap,,list,2026-01-01'),
    fact('audit,reviewer,,,2026-01-01'),
    fact('audit,reviewer else,,list,yesterday'),
    fact('rumour,x,,list,2026-01-01'),
  ],
} as const;

test('what cannot be is refused row by row with its reason, and the rest is scored', async () => {
  const refused = await runFiles(FILES);
  const counts = Object.entries(refused ?? {}).map(([table, reasons]) => [
    table,
    (Object.values(reasons) as number[]).reduce((sum, count) => sum + count, 0),
  ]);
  // Capitals are read as small letters; dots, slashes, no name and a time to come are refused.
  expect([...receiptsIn(folder.dir).keys()].toSorted()).toEqual(['alpha', 'beta', 'gamma']);
  // No depth at all, an amount below 0, an amount in words.
  // Incident and flag without severity, no source, no date, no such fact.
  expect(counts).toEqual([
    ['overall_protocol', 4],
    ['overall_pool', 3],
    ['overall_security', 5],
  ]);
  const today = (protocol: string) => receiptsIn(folder.dir).get(protocol)?.[0]?.components ?? [];
  expect(today('alpha')[0]?.inputs).toBe(
    'depth_usd=600000.00;headroom=1.000000;lending_pools=1;pools=1;tvl_usd=1000000.00',
  );
  expect(today('alpha')[1]?.inputs).toMatch(/^age_days=10;audits=0;.*incidents=1$/);
  // More borrowed than supplied leaves nothing to withdraw: 0, and not a gap.
  expect(today('beta')[0]).toMatchObject({ score: 0, gap: null });
  expect(today('gamma')[0]).toMatchObject({ score: null, gap: 'no_data', inputs: null });
});

describeRealData('the hourly USDT market of Aave v3', () => {
  test('has the liquidity of the definition on each day; by itself it makes no record, and every day says so', async () => {
    const file = realData('lending/aave-v3-usdt-eth-hourly-2025-08-10-2025-08-21.csv');
    const [header = '', ...lines] = readFileSync(file, 'utf8').trim().split(/\r?\n/);
    const place = (name: string) => header.split(',').indexOf(name);
    const pools = lines.map((line): Pool => {
      const cells = line.split(',');
      const supplied = Number(cells[place('supplied_USD')]);
      const borrowed = Number(cells[place('borrowed_USD')]);
      return {
        pool_id: 'usdt',
        observed_at: Date.parse(`${cells[place('hour_utc')]?.replace(' ', 'T')}Z`) / 1000,
        tvl_usd: supplied,
        depth_usd: Math.max(0, supplied - borrowed),
        utilization: borrowed / supplied,
      };
    });
    const now = Date.UTC(2025, 7, 20, 23, 59, 59) / 1000;
    const config = JSON.parse(
      JSON.stringify(exampleConfig('overall')).replace('overall-protocols.csv', PROTOCOLS),
    );
    await publishOverall(folder.dir, {
      now: now + 30 * DAY,
      ends: [now],
      config,
    });
    const receipts = receiptsIn(folder.dir).get('aave') ?? [];
    expect(receipts).toHaveLength(7);
    for (const { timestamp, score, gap, components } of receipts) {
      const day = Date.parse(timestamp) / 1000;
      const known = pools.filter(({ observed_at }) => observed_at <= now);
      expect(Math.abs((components[0]?.score ?? -1) - (liquidityOf(known, day) ?? 0))).toBeLessThan(1.01e-6);
      expect([score, gap]).toEqual([null, 'too_few_components']);
    }
    expect(publishedManifest(folder.dir).datasets['overall-scores']).toMatchObject({ documents: 0 });
  });
});
