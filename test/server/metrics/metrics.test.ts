// What Prometheus reads about the stream, and about a server without data.
import { expect, test } from 'vitest';
import { WEBHOOK_FORMATS } from '../../../schemas/webhooks.ts';
import { createMetrics, type MetricSources } from '../../../server/metrics/metrics.ts';
import { NOTHING_YET } from './nothing-yet.ts';

test('the stream reports open connections, sent events, and how connections ended', async () => {
  const closed = new Map([
    [0, 5],
    [4008, 2],
  ] as const);
  const registry = createMetrics({
    ...NOTHING_YET,
    stream: { counts: { connections: 7, sent: 90, closed } },
  });
  const text = await registry.metrics();
  expect(text).toContain('stream_connections 7\n');
  expect(text).toContain('stream_frames_sent 90\n');
  expect(text).toContain('stream_connections_ended{code="0"} 5\n');
  expect(text).toContain('stream_connections_ended{code="4008"} 2\n');
});

test('messages whose form a product refused are counted by format', async () => {
  const stream = { counts: { connections: 0, sent: 0, closed: new Map() } };
  const text = await createMetrics({ ...NOTHING_YET, stream }).metrics();
  expect(text).toContain('webhook_messages_rejected{format="slack"} 2\n');
  // A series that begins with its first message has no increase, and a rule over it would be silent.
  for (const format of WEBHOOK_FORMATS.filter((name) => name !== 'slack'))
    expect(text).toContain(`webhook_messages_rejected{format="${format}"} 0\n`);
});

test('exactly one state is 1, whichever the service has', async () => {
  const stream = { counts: { connections: 0, sent: 0, closed: new Map() } };
  const damaged = [{ of: 'published_files', message: 'the pointer is damaged' }];
  const states = [
    [{ notices: [], isStopping: false }, 'empty'],
    [{ notices: damaged, isStopping: false }, 'unavailable'],
    [{ notices: [], isStopping: true }, 'stopping'],
  ] as const;
  for (const [operations, state] of states) {
    const services = { ...NOTHING_YET.services, operations } as unknown as MetricSources['services'];
    const text = await createMetrics({ ...NOTHING_YET, services, stream }).metrics();
    expect(text.match(/^service_status\{status="\w+"\} 1$/gm)).toEqual([
      `service_status{status="${state}"} 1`,
    ]);
  }
});

test('unknown values are NaN, never 0', async () => {
  const stream = { counts: { connections: 0, sent: 0, closed: new Map() } };
  const text = await createMetrics({ ...NOTHING_YET, stream }).metrics();
  expect(text).toContain('snapshot_age_seconds Nan\n');
  expect(text).toContain('rate_limit_subjects 3\n');
  expect(text).toContain('ready 0\n');
  expect(text).toContain('webhook_failing_seconds Nan\n');
  expect(text).not.toContain('webhook_subscriptions{');
  expect(text).not.toContain('conditions_open{');
});

test('the gate of a dataset that is held back fails, whatever its earlier rows had, or if it has none', async () => {
  const pass = { quality_gate: { verdict: 'pass' }, computed_at: '2026-03-01T12:00:00Z' };
  const hold = (dataset: string, subject: string) => ({
    dataset,
    subject,
    since: '',
    checks: [],
    reason: 'r',
  });
  const manifest = {
    as_of: '2026-03-01T12:00:00Z',
    events: { count: 0 },
    datasets: { pegs: pass, feeds: pass },
    held_subjects: { total: 3, list: [hold('feeds', '*'), hold('never', '*'), hold('pegs', 'ethereum DAI')] },
  };
  const services = {
    ...NOTHING_YET.services,
    versions: { current: { manifest, dataset: () => undefined } },
  } as unknown as MetricSources['services'];
  const stream = { counts: { connections: 0, sent: 0, closed: new Map() } };
  const text = await createMetrics({ ...NOTHING_YET, services, stream }).metrics();
  expect(text).toContain('dataset_gate{dataset="pegs",verdict="pass"} 1\n');
  expect(text).toContain('dataset_gate{dataset="pegs",verdict="fail"} 0\n');
  expect(text).toContain('dataset_gate{dataset="feeds",verdict="pass"} 0\n');
  expect(text).toContain('dataset_gate{dataset="feeds",verdict="fail"} 1\n');
  expect(text).toContain('dataset_gate{dataset="never",verdict="fail"} 1\n');
  expect(text).toContain('subjects_held_back 3\n');
});

test('subscriptions are counted by status, and the longest failure of an active one is stated', async () => {
  const all = [
    { status: 'active', failing_since_ms: null },
    { status: 'active', failing_since_ms: -90_000 },
    { status: 'active', failing_since_ms: -30_000 },
    { status: 'disabled', failing_since_ms: -500_000 },
  ];
  const store = { webhooks: { all: async () => all } } as unknown as MetricSources['store'];
  const stream = { counts: { connections: 0, sent: 0, closed: new Map() } };
  const text = await createMetrics({ ...NOTHING_YET, store, stream }).metrics();
  expect(text).toContain('webhook_subscriptions{status="active"} 3\n');
  expect(text).toContain('webhook_subscriptions{status="paused"} 0\n');
  expect(text).toContain('webhook_subscriptions{status="disabled"} 1\n');
  expect(text).toContain('webhook_failing_seconds 90\n');
});

test('the worker pool reports running and waiting calculations, and the run time of each kind', async () => {
  const stream = { counts: { connections: 0, sent: 0, closed: new Map() } };
  const text = await createMetrics({ ...NOTHING_YET, stream }).metrics();
  expect(text).toContain('analytics_running 1\n');
  expect(text).toContain('analytics_waiting 4\n');
  expect(text).toContain('analytics_refused 2\n');
  expect(text).toContain('analytics_tasks{kind="exit"} 3\n');
  expect(text).toContain('analytics_task_seconds{kind="exit"} 0.5\n');
});
