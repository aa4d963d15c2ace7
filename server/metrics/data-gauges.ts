// Gauges of what the service says of its data, and of the webhooks that carry it: what an operator is called for.
import { Gauge, type Registry } from 'prom-client';
import { SERVICE_STATUSES } from '../../schemas/service-status.ts';
import { WEBHOOK_STATUSES } from '../../schemas/webhooks.ts';
import { verdictOf } from '../replies/verdict.ts';
import type { Manifest } from '../../snapshots/layout.ts';
import type { Services } from '../services.ts';
import type { WebhookRecord, WebhookStore } from '../store/webhook-store.ts';

const VERDICTS = ['pass', 'warn', 'fail', 'not_evaluated'] as const;

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
      for (const state of SERVICE_STATUSES) this.set({ status: state }, Number(state === status));
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
  heldBackGauges(services, registers);
}

function heldBackGauges(services: Services, registers: Registry[]): void {
  new Gauge({
    name: 'dataset_gate',
    help: '1 for the verdict of the quality gate over a dataset, 0 for the others; `fail` for one that is held back, whose earlier rows are served',
    labelNames: ['dataset', 'verdict'],
    registers,
    collect() {
      this.reset();
      for (const [dataset, found] of gatesOf(services.versions.current?.manifest))
        for (const verdict of VERDICTS) this.set({ dataset, verdict }, Number(found === verdict));
    },
  });
  new Gauge({
    name: 'subjects_held_back',
    help: 'Pairs of a dataset and a subject that the served version leaves out because of a failing check',
    registers,
    collect() {
      const { current } = services.versions;
      this.set(current === undefined ? Number.NaN : (current.manifest.held_subjects?.total ?? 0));
    },
  });
}

/** The entry of a dataset that is held back has the verdict of its earlier rows, and one that was never published has no entry. */
function gatesOf(manifest: Manifest | undefined): ReadonlyMap<string, string> {
  const held = (manifest?.held_subjects?.list ?? []).filter(({ subject }) => subject === '*');
  return new Map([
    ...Object.entries(manifest?.datasets ?? {}).map(
      ([id, { quality_gate }]) => [id, quality_gate.verdict] as const,
    ),
    ...held.map(({ dataset }) => [dataset, 'fail'] as const),
  ]);
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
      for (const status of WEBHOOK_STATUSES)
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
