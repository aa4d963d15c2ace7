// What metrics are made of at a server without data.
import type { MetricSources } from '../../../server/metrics/metrics.ts';
import { RequestMetrics } from '../../../server/metrics/request-metrics.ts';

export const NOTHING_YET = {
  services: {
    versions: { current: undefined },
    replay: { count: 0 },
    operations: { notices: [], isStopping: false },
    webhooks: { messages: { rejected: new Map([['slack', 2]]) } },
    nowMs: () => 0,
  },
  store: { webhooks: { all: () => Promise.reject(new Error('the store is away')) } },
  admissionControl: { counts: { subjects: 3, refused: 2, guesses_refused: 0 } },
  requests: new RequestMetrics(),
  pool: {
    counts: { workers: 1, running: 1, waiting: 4, refused: 2, died: 0 },
    totals: new Map([['exit', { count: 3, seconds: 0.5 }]]),
  },
} as unknown as Omit<MetricSources, 'stream'>;
