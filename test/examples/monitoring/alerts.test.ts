// Alert rules and dashboards read metrics that the server has, of its own scrape job, and every alert is explained and shown to fire.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { serviceDashboard } from '../../../examples/monitoring/dashboards.ts';
import { createMetrics } from '../../../server/metrics/metrics.ts';
import { NOTHING_YET } from '../../server/metrics/nothing-yet.ts';

const read = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');

interface Rule {
  readonly alert: string;
  readonly expr: string;
}
const { groups } = parse(read('examples/monitoring/alerts.yaml')) as {
  readonly groups: readonly { readonly rules: readonly Rule[] }[];
};
const rules = groups.flatMap((group) => group.rules);

interface Panel {
  readonly title?: string;
  readonly panels?: readonly Panel[];
  readonly targets?: readonly { readonly expr: string }[];
}
const panelsOf = (panels: readonly Panel[]): readonly (readonly [string, string])[] =>
  panels.flatMap(({ title = '', panels: nested = [], targets = [] }) => [
    ...targets.map(({ expr }) => [title, expr] as const),
    ...panelsOf(nested),
  ]);
const shown = panelsOf((serviceDashboard() as unknown as { readonly panels: readonly Panel[] }).panels);

const stream = { counts: { connections: 0, sent: 0, closed: new Map() } };
const metrics = createMetrics({ ...NOTHING_YET, stream })
  .getMetricsAsArray()
  .flatMap(({ name }) => [name, `${name}_bucket`, `${name}_sum`, `${name}_count`]);
/** `up` is of Prometheus itself. */
const KNOWN = new Set([...metrics, 'up']);

/** Of `a{b="c"} > d`, `a`: names of metrics, each with its selector. */
const selectorsOf = (expr: string): readonly (readonly string[])[] =>
  [...expr.matchAll(/([a-z][a-z_]+)(\{[^}]*\})/g)].map(([, name = '', selector = '']) => [name, selector]);

const all = [...rules.map(({ alert, expr }) => [alert, expr] as const), ...shown];

test.each(all)('%s reads metrics of the service alone: %s', (_, expr) => {
  const selectors = selectorsOf(expr);
  expect(selectors.length).toBeGreaterThan(0);
  for (const [name = '', selector = ''] of selectors) {
    expect(KNOWN, expr).toContain(name);
    // Other programs have metrics with the same names.
    expect(selector).toMatch(/^\{job="risk-data"[,}]/);
  }
  const bare = expr.replaceAll(/"[^"]*"/g, '').replaceAll(/[a-z][a-z_]+\{[^}]*\}/g, '');
  expect([...bare.matchAll(/[a-z_]+/g)].map(([word]) => word).filter((word) => KNOWN.has(word))).toEqual([]);
});

test('the scrape job of the example, and of the chart, has the name that the rules select', () => {
  const { scrape_configs: jobs } = parse(read('examples/monitoring/prometheus.yaml')) as {
    readonly scrape_configs: readonly { readonly job_name: string }[];
  };
  expect(jobs.map(({ job_name }) => job_name)).toEqual(['risk-data']);
  const [, monitor = ''] = read('deploy/helm/templates/network.yaml').split('kind: ServiceMonitor');
  expect(monitor).toContain('targetLabel: job, replacement: risk-data');
});

test('what all servers say of the same data is counted once', () => {
  for (const [title, expr] of shown)
    for (const [name = ''] of selectorsOf(expr))
      if (/^(dataset|conditions|source|subjects|webhook|snapshot)_/.test(name))
        expect(expr, title).toMatch(new RegExp(`(max|min)( by \\([a-z, ]+\\) )?\\(${name}\\{`));
});

test('every alert is explained in the documentation, and a case shows that it fires', () => {
  const documentation = read('docs/monitoring.md');
  const cases = read('examples/monitoring/alerts.test.yaml');
  expect(rules.length).toBeGreaterThan(10);
  for (const { alert } of rules) {
    expect(documentation).toContain(`\`${alert}\``);
    expect(cases).toContain(`alertname="${alert}"`);
  }
});
