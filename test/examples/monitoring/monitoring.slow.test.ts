// Dashboards and alert rules against a real Prometheus that scrapes the demo service: every expression gives series, every request of the data
// dashboard is answered with the columns that it shows. Grafana itself is not run.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import {
  dataDashboard,
  type InfinityQuery,
  serviceDashboard,
} from '../../../examples/monitoring/dashboards.ts';
import { ServerFixture } from '../../server/server-fixture.ts';
import { DEMO_NOW, demoFolder } from '../../support/demo-folder.ts';
import { freePort } from '../../support/free-port.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const MONITORING = fileURLToPath(new URL('../../../examples/monitoring/', import.meta.url));
const hasPrometheus = spawnSync('promtool', ['--version']).status === 0;

/** The demo fetches nothing, so what is said of fetched sources and of failures has no series here. */
const WITHOUT_SERIES = /source_lag_seconds|source_up/;

vi.setConfig({ testTimeout: 120_000, hookTimeout: 300_000 });

let fixture: ServerFixture;
let url: string;
let prometheus: string;
const ended: (() => Promise<void>)[] = [];

async function startPrometheus(target: string): Promise<string> {
  const dir = temporaryFolder('prometheus');
  cpSync(MONITORING, dir, { recursive: true });
  const config = readFileSync(join(MONITORING, 'prometheus.yaml'), 'utf8');
  const changed = config.replace('127.0.0.1:9464', target).replaceAll('15s', '1s');
  writeFileSync(join(dir, 'prometheus.yaml'), changed);
  const address = `127.0.0.1:${await freePort()}`;
  const args = [`--config.file=${dir}/prometheus.yaml`, `--storage.tsdb.path=${dir}/data`];
  const child = spawn('prometheus', [...args, `--web.listen-address=${address}`], { stdio: 'ignore' });
  ended.push(async () => {
    child.kill('SIGTERM');
    await once(child, 'exit');
  });
  return `http://${address}`;
}

interface Result {
  readonly status: string;
  readonly data: { readonly result: readonly { readonly value: readonly [number, string] }[] };
}

async function query(expr: string): Promise<Result> {
  const response = await fetch(`${prometheus}/api/v1/query?query=${encodeURIComponent(expr)}`);
  return (await response.json()) as Result;
}

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 60_000;
  while (!(await isTrue().catch(() => false))) {
    if (performance.now() > deadline) throw new Error('Prometheus has no samples of the service');
    await wait(250);
  }
}

beforeAll(async () => {
  if (!hasPrometheus) return;
  fixture = new ServerFixture(join(await demoFolder(), 'snapshots'));
  fixture.nowMs = DEMO_NOW * 1_000;
  const port = await freePort();
  ({ url } = await fixture.serve({ anonymousPlan: 'free', metrics: { host: '127.0.0.1', port } }));
  prometheus = await startPrometheus(`127.0.0.1:${port}`);
  await fetch(`${url}/v2/pegs`);
  // A rate needs two scrapes.
  await until(async () => (await query('rate(http_requests_total[1m])')).data.result.length > 0);
});
afterAll(async () => {
  for (const end of ended) await end();
  await fixture?.remove();
});

interface Panel<Target> {
  readonly title?: string;
  readonly panels?: readonly Panel<Target>[];
  readonly targets?: readonly Target[];
}
const targetsOf = <Target>(panels: readonly Panel<Target>[]): readonly Target[] =>
  panels.flatMap(({ panels: nested = [], targets = [] }) => [...targets, ...targetsOf(nested)]);

const service = serviceDashboard() as unknown as { readonly panels: readonly Panel<{ expr: string }>[] };
test.runIf(hasPrometheus).each(targetsOf(service.panels).map(({ expr }) => expr))(
  'Prometheus has series for %s (skipped without Prometheus)',
  async (expr) => {
    const { status, data } = await query(expr);
    expect(status).toBe('success');
    if (!WITHOUT_SERIES.test(expr)) expect(data.result.length).toBeGreaterThan(0);
  },
);

test.runIf(hasPrometheus)(
  'the rules are right, and fire where they must (skipped without Prometheus)',
  () => {
    for (const args of [
      ['check', 'config', 'prometheus.yaml'],
      ['test', 'rules', 'alerts.test.yaml'],
    ]) {
      const { status, stdout, stderr } = spawnSync('promtool', args, { cwd: MONITORING, encoding: 'utf8' });
      expect({ status, said: status === 0 ? '' : stdout + stderr }).toEqual({ status: 0, said: '' });
    }
  },
);

test.runIf(hasPrometheus)(
  'Prometheus evaluates every rule on the metrics of the service (skipped without Prometheus)',
  async () => {
    const response = await fetch(`${prometheus}/api/v1/rules`);
    const { data } = (await response.json()) as {
      data: { groups: { rules: { name: string; health: string; lastError?: string }[] }[] };
    };
    const rules = data.groups.flatMap((group) => group.rules);
    expect(rules.length).toBeGreaterThan(10);
    await until(async () => (await query('ALERTS')).status === 'success');
    expect(rules.filter(({ health }) => health === 'err')).toEqual([]);
  },
);

/** As a dashboard writes it. */
const variable = (name: string): string => `\${${name}}`;

/** Of a record, by a path with dots. */
const member = (record: unknown, path: string): unknown =>
  path === '' ? record : (record as Record<string, unknown> | null)?.[path];

const data = dataDashboard() as unknown as { readonly panels: readonly Panel<InfinityQuery>[] };
test.runIf(hasPrometheus).each(targetsOf(data.panels).map((one) => [one.url, one] as const))(
  'the service answers %s with the columns that are shown (skipped without Prometheus)',
  async (_, { url: path, type, root_selector, columns }) => {
    const address = path
      .replace(variable('service'), url)
      .replace(variable('chain'), 'ethereum')
      .replace(variable('symbol'), 'USDC');
    const response = await fetch(address);
    expect(response.status).toBe(200);
    const selectors = columns.map(({ selector }) => selector);
    if (type === 'csv') {
      const [head = '', ...lines] = (await response.text()).trim().split('\r\n');
      expect(head.split(',')).toEqual(expect.arrayContaining(selectors));
      expect(lines.length).toBeGreaterThan(0);
      return;
    }
    const found = member(await response.json(), root_selector);
    const records = Array.isArray(found) ? (found as readonly object[]) : [found as object];
    // The demo fetches nothing: its list of sources is empty.
    if (root_selector === 'sources') return;
    expect(records.length).toBeGreaterThan(0);
    for (const record of records) expect(Object.keys(record)).toEqual(expect.arrayContaining(selectors));
  },
);
