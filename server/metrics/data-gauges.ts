// Gauges of what the service says of its data, and of the webhooks that carry it: what an operator is called for.
import { Gauge, type Registry } from 'prom-client';
import { verdictOf } from '../replies/verdict.ts';
import type { Services } from '../services.ts';
import type { WebhookRecord, WebhookStore } from '../store/webhook-store.ts';

const STATES = ['ok', 'degraded', 'empty', 'stopping'] as const;
const VERDICTS = ['pass', 'warn', 'fail', 'not_evaluated'] as const;
const WEBHOOK_STATES = ['active', 'paused', 'disabled'] as const;

/** Each state of a set is a series, 1 for the one that holds: a rule names the state instead of a number. */
export function dataGauges(services: Services, registry: Registry): void {
  const registers = [registry];
  new Gauge({
    name: 'service_status',
    help: '1 for the status that /v1/status has, 0 for the others',
    labelNames: ['status'],
    registers,
    collect() {
      const { status } = verdictOf(services);
      for (const state of STATES) this.set({ status: state }, Number(state === status));
    },
  });
  new Gauge({
    name: 'conditions_open',
    help: 'Open conditions of the served version by severity; no value while their number is not known',
    labelNames: ['severity'],
    registers,
    collect() {
      this.reset();
      const { open_conditions } = verdictOf(services);
      for (const [severity, count] of Object.entries(open_conditions ?? {})) this.set({ severity }, count);
    },
  });
  new Gauge({
    name: 'dataset_gate',
    help: '1 for the verdict of the quality gate over a dataset, 0 for the others',
    labelNames: ['dataset', 'verdict'],
    registers,
    collect() {
      this.reset();
      const datasets = services.versions.current?.manifest.datasets ?? {};
      for (const [dataset, { quality_gate }] of Object.entries(datasets))
        for (const verdict of VERDICTS)
          this.set({ dataset, verdict }, Number(quality_gate.verdict === verdict));
    },
  });
}

export interface WebhookSource {
  readonly webhooks: Pick<WebhookStore, 'all'>;
  readonly nowMs: () => number;
}

/** Subscriptions of all organisations; one query of the store a scrape, which both gauges wait for. */
export function webhookGauges({ webhooks, nowMs }: WebhookSource, registry: Registry): void {
  const registers = [registry];
  const subscriptions = readOnce(() => webhooks.all().catch(() => undefined));
  new Gauge({
    name: 'webhook_subscriptions',
    help: 'Subscriptions by status; no value while the store does not answer',
    labelNames: ['status'],
    registers,
    async collect() {
      const all = await subscriptions();
      this.reset();
      if (all === undefined) return;
      for (const status of WEBHOOK_STATES)
        this.set({ status }, all.filter((one) => one.status === status).length);
    },
  });
  new Gauge({
    name: 'webhook_failing_seconds',
    help: 'How long the active subscription has failed that fails longest; 0 if none does',
    registers,
    async collect() {
      const all = await subscriptions();
      this.set(all === undefined ? Number.NaN : longestFailureMs(all, nowMs()) / 1000);
    },
  });
}

function longestFailureMs(all: readonly WebhookRecord[], nowMs: number): number {
  const since = all.flatMap(({ status, failing_since_ms }) =>
    status === 'active' && failing_since_ms !== null ? [failing_since_ms] : [],
  );
  return since.length === 0 ? 0 : nowMs - Math.min(...since);
}

/** Callers during one reading share it. */
function readOnce<Value>(read: () => Promise<Value>): () => Promise<Value> {
  let reading: Promise<Value> | undefined;
  return () => {
    reading ??= read().finally(() => {
      reading = undefined;
    });
    return reading;
  };
}
