// What the server shows of the fetched sources: in the status, and to Prometheus.
import { Registry } from 'prom-client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SourceReading } from '../../../schemas/sources.ts';
import { sourceGauges } from '../../../server/metrics/metrics.ts';
import type { Services } from '../../../server/services.ts';
import { AS_OF_MS, datasetOf, ServerFixture } from '../server-fixture.ts';

const reading = (id: string, change: Partial<SourceReading> = {}): SourceReading => ({
  id,
  table_name: 'yield_pool',
  name: 'Pools',
  url: null,
  hosts: 'api.example',
  chain: null,
  state: 'reading',
  reason: null,
  setting: null,
  outcome: 'accepted',
  every_seconds: 3_600,
  last_read_at: '2026-03-01T11:59:00Z',
  last_try_at: '2026-03-01T11:59:00Z',
  read_through_at: '2026-03-01T11:30:00Z',
  next_try_at: '2026-03-01T12:59:00Z',
  circuit_open_until: null,
  is_overdue: false,
  records: 10,
  history_pct: null,
  license: 'MIT',
  attribution: null,
  terms_url: null,
  redistributable: true,
  ...change,
});

const SOURCES = [
  reading('pools'),
  reading('blocks', { state: 'failing', reason: 'HTTP 500', circuit_open_until: '2026-03-01T12:01:00Z' }),
  reading('reddit', {
    state: 'needs_key',
    setting: 'REDDIT_TOKEN',
    reason: 'set the environment variable REDDIT_TOKEN',
    last_read_at: null,
    read_through_at: null,
  }),
];

let fixture: ServerFixture;
let url: string;
beforeAll(async () => {
  fixture = await ServerFixture.create();
  await fixture.publish([
    datasetOf(
      'source-readings',
      SOURCES.map((value) => ({ key: value.id, value })),
    ),
  ]);
  ({ url } = await fixture.serve());
});
afterAll(() => fixture.remove());

test('the status lists the sources by id, with what would turn on those that are off', async () => {
  const { sources } = (await (await fetch(`${url}/v1/status`)).json()) as { sources: unknown };
  expect(sources).toEqual([
    {
      id: 'blocks',
      state: 'failing',
      reason: 'HTTP 500',
      setting: null,
      is_overdue: false,
      last_read_at: '2026-03-01T11:59:00Z',
      read_through_at: '2026-03-01T11:30:00Z',
      next_try_at: '2026-03-01T12:59:00Z',
    },
    expect.objectContaining({ id: 'pools', state: 'reading' }),
    expect.objectContaining({
      id: 'reddit',
      state: 'needs_key',
      setting: 'REDDIT_TOKEN',
      last_read_at: null,
    }),
  ]);
});

async function metricsOf(sources: readonly SourceReading[]): Promise<string> {
  const documents = new Map(sources.map((source) => [source.id, Buffer.from(JSON.stringify(source))]));
  const current = { dataset: () => ({ documents }) };
  const registry = new Registry();
  sourceGauges({ versions: { current }, nowMs: () => AS_OF_MS } as unknown as Services, registry);
  return registry.metrics();
}

test('Prometheus reads ages, lags and failures; a source never read has no age, and a source that is off is not down', async () => {
  const text = await metricsOf(SOURCES);
  expect(text).toContain('source_reading_age_seconds{source="pools"} 60\n');
  expect(text).toContain('source_lag_seconds{source="pools"} 1800\n');
  expect(text).toContain('source_up{source="pools"} 1\n');
  expect(text).toContain('source_up{source="blocks"} 0\n');
  expect(text).toContain('source_circuit_open{source="blocks"} 1\n');
  expect(text).toContain('source_circuit_open{source="pools"} 0\n');
  expect(text).not.toContain('source_up{source="reddit"}');
  expect(text).not.toContain('source_reading_age_seconds{source="reddit"}');
});

test('an overdue source is down', async () => {
  expect(await metricsOf([reading('pools', { is_overdue: true })])).toContain(
    'source_up{source="pools"} 0\n',
  );
});

test('at most a hundred sources are shown, those first that are not read', async () => {
  const idOf = (index: number) => `s${String(index).padStart(3, '0')}`;
  const many = Array.from({ length: 150 }, (_, index) => reading(idOf(index)));
  const text = await metricsOf(many);
  expect(text.match(/^source_up\{/gm)).toHaveLength(100);
  expect(text).not.toContain('s100');
  const last = many
    .with(148, reading(idOf(148), { state: 'off' }))
    .with(149, reading(idOf(149), { state: 'failing' }));
  const troubled = await metricsOf(last);
  expect(troubled.match(/^source_up\{/gm)).toHaveLength(100);
  expect(troubled).toContain('source_up{source="s149"} 0\n');
  expect(troubled).not.toContain('s148');
  expect(troubled).not.toContain('s099');
});
