// Metrics for Prometheus: requests, limits, the age of the served data, the event log. Values that already exist elsewhere are read on each
// scrape.
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { oncePer } from '../../platform/base/once-per.ts';
import type { ExportCounts } from '../../platform/tracing/exporter.ts';
import type { SourceReading } from '../../schemas/sources.ts';
import { WEBHOOK_FORMATS } from '../../schemas/webhooks.ts';
import { datasetsAsOf } from '../../snapshots/layout.ts';
import type { AdmissionControl } from '../access/admit.ts';
import type { PoolCounts, TaskTotals } from '../analytics/pool.ts';
import { sourceReadings } from '../replies/source-readings.ts';
import type { LoadedVersion, Services } from '../services.ts';
import type { OpsStore } from '../store/store.ts';
import type { StreamCounts } from '../stream/connections.ts';
import { dataGauges, webhookGauges } from './data-gauges.ts';
import type { RequestMetrics } from './request-metrics.ts';

export interface MetricSources {
  readonly services: Services;
  readonly store: Pick<OpsStore, 'webhooks'>;
  readonly admissionControl: AdmissionControl;
  readonly stream: { readonly counts: StreamCounts };
  readonly requests: RequestMetrics;
  readonly pool: PoolFigures;
  /** Undefined if nothing is traced: there is then nothing to count. */
  readonly spans?: { readonly counts: ExportCounts } | undefined;
}

/** What the analytics worker pool reports. */
export interface PoolFigures {
  readonly counts: PoolCounts;
  readonly totals: ReadonlyMap<string, TaskTotals>;
}

const DURATION = {
  name: 'http_request_duration_seconds',
  help: 'Time until the response was handed to the socket',
};

export function createMetrics(sources: MetricSources): Registry {
  const { services, store, admissionControl, stream, requests, pool, spans } = sources;
  const registry = new Registry();
  new RequestCounter(requests, registry);
  new RequestDurations(requests, registry);
  const registers = [registry];
  const gauge = (name: string, help: string, read: () => number | undefined) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read() ?? Number.NaN);
      },
    });
  gaugesOfData(services, gauge);
  dataGauges(services, registry);
  webhookGauges({ webhooks: store.webhooks, nowMs: services.nowMs }, registry);
  gaugesOfTraffic({ admissionControl, stream }, gauge);
  gaugesOfAnalytics(pool, gauge);
  if (spans !== undefined) gaugesOfSpans(spans, registry, gauge);
  gauge('process_resident_memory_bytes', 'Resident memory', () => process.memoryUsage.rss());
  new DatasetAges(services, registry);
  sourceGauges(services, registry);
  new StreamEnds(stream, registry);
  new RejectedMessages(services, registry);
  new AnalyticsTasks(pool, registry);
  new AnalyticsSeconds(pool, registry);
  return registry;
}

/** Spans for the collector of traces. */
function gaugesOfSpans(
  spans: NonNullable<MetricSources['spans']>,
  registry: Registry,
  gauge: AddGauge,
): void {
  gauge('trace_spans_sent', 'Spans that the collector took since start', () => spans.counts.sent);
  gauge('trace_spans_waiting', 'Spans that wait for the collector', () => spans.counts.waiting);
  new Gauge({
    name: 'trace_spans_dropped',
    help: 'Spans dropped since start: the queue was full, the collector refused them, or did not take them in time',
    labelNames: ['reason'],
    registers: [registry],
    collect() {
      for (const [reason, count] of Object.entries(spans.counts.dropped)) this.set({ reason }, count);
    },
  });
}

type AddGauge = (name: string, help: string, read: () => number | undefined) => void;

function gaugesOfData({ versions, replay, operations, nowMs }: Services, gauge: AddGauge): void {
  const manifest = () => versions.current?.manifest;
  const dataTime = () => versions.current && datasetsAsOf(versions.current.manifest);
  const age = (instant: string | undefined) => instant && (nowMs() - Date.parse(instant)) / 1000;
  gauge('snapshot_age_seconds', 'Time since the logical time of the served version', () =>
    Number(age(dataTime()) ?? Number.NaN),
  );
  gauge(
    'snapshot_notices',
    'Problems between the newest published version and the served one',
    () => operations.notices.length,
  );
  gauge('events_published', 'Events in the published log', () => manifest()?.events.count);
  gauge('events_unindexed', 'Published events that replay does not serve yet', () => {
    const count = manifest()?.events.count;
    return count === undefined ? undefined : count - replay.count;
  });
  gauge('ready', '1 when requests may be sent here', () =>
    versions.current !== undefined && !operations.isStopping ? 1 : 0,
  );
}

function gaugesOfTraffic(
  { admissionControl, stream }: Pick<MetricSources, 'admissionControl' | 'stream'>,
  gauge: AddGauge,
): void {
  gauge(
    'rate_limit_subjects',
    'Organisations and addresses with an open rate-limit window',
    () => admissionControl.counts.subjects,
  );
  gauge(
    'rate_limit_refused',
    'Requests refused by the limiter since start',
    () => admissionControl.counts.refused,
  );
  gauge(
    'key_guesses_refused',
    'Key guesses refused since start',
    () => admissionControl.counts.guesses_refused,
  );
  gauge(
    'joint_limits_alone',
    '1 while limits are not counted together with the other servers',
    () => admissionControl.counts.alone,
  );
  gauge('stream_connections', 'Open connections of the event stream', () => stream.counts.connections);
  gauge(
    'stream_frames_sent',
    'Events sent over the stream since start, counted per client',
    () => stream.counts.sent,
  );
}

function gaugesOfAnalytics(pool: PoolFigures, gauge: AddGauge): void {
  gauge('analytics_workers', 'Worker threads for calculations', () => pool.counts.workers);
  gauge('analytics_running', 'Running calculations', () => pool.counts.running);
  gauge('analytics_waiting', 'Calculations waiting for a worker', () => pool.counts.waiting);
  gauge(
    'analytics_refused',
    'Calculations refused since start because the queue was full',
    () => pool.counts.refused,
  );
  gauge('analytics_workers_died', 'Workers that ended since start', () => pool.counts.died);
}

class RequestCounter extends Counter {
  readonly #requests: RequestMetrics;

  constructor(requests: RequestMetrics, registry: Registry) {
    super({ name: 'http_requests_total', help: 'Responses by route and status', registers: [registry] });
    this.#requests = requests;
  }

  override async get() {
    return { ...(await super.get()), values: this.#requests.counts() };
  }
}

class RequestDurations extends Histogram {
  readonly #requests: RequestMetrics;

  constructor(requests: RequestMetrics, registry: Registry) {
    super({ ...DURATION, registers: [registry] });
    this.#requests = requests;
  }

  /** For a histogram the registry calls this instead of `get`, which uses it. The library's types omit it. */
  async getForPromString() {
    return {
      ...DURATION,
      type: 'histogram',
      aggregator: 'sum',
      values: this.#requests.durations(DURATION.name),
    };
  }
}

class DatasetAges extends Gauge {
  constructor({ versions, nowMs }: Services, registry: Registry) {
    super({
      name: 'dataset_age_seconds',
      help: 'Time since a dataset was computed',
      labelNames: ['dataset'],
      registers: [registry],
      collect() {
        this.reset();
        for (const [dataset, { computed_at }] of Object.entries(versions.current?.manifest.datasets ?? {}))
          this.set({ dataset }, (nowMs() - Date.parse(computed_at)) / 1000);
      },
    });
  }
}

class StreamEnds extends Gauge {
  constructor(stream: MetricSources['stream'], registry: Registry) {
    super({
      name: 'stream_connections_ended',
      help: 'Stream connections that ended since start, by the close code of the service; 0 if the client closed the connection or it was lost',
      labelNames: ['code'],
      registers: [registry],
      collect() {
        this.reset();
        for (const [code, count] of stream.counts.closed) this.set({ code }, count);
      },
    });
  }
}

class RejectedMessages extends Gauge {
  constructor({ webhooks }: Pick<Services, 'webhooks'>, registry: Registry) {
    super({
      name: 'webhook_messages_rejected',
      help: 'Messages since start whose form a chat or paging product refused, by format: a fault of the service',
      labelNames: ['format'],
      registers: [registry],
      // All from the start: a series that begins with its first message has no increase.
      collect() {
        const { rejected } = webhooks.messages;
        for (const format of WEBHOOK_FORMATS) this.set({ format }, rejected.get(format) ?? 0);
      },
    });
  }
}

class AnalyticsTasks extends Gauge {
  constructor(pool: PoolFigures, registry: Registry) {
    super({
      name: 'analytics_tasks',
      help: 'Calculations finished since start, by kind',
      labelNames: ['kind'],
      registers: [registry],
      collect() {
        this.reset();
        for (const [kind, { count }] of pool.totals) this.set({ kind }, count);
      },
    });
  }
}

class AnalyticsSeconds extends Gauge {
  constructor(pool: PoolFigures, registry: Registry) {
    super({
      name: 'analytics_task_seconds',
      help: 'Run time of calculations finished since start, by kind',
      labelNames: ['kind'],
      registers: [registry],
      collect() {
        this.reset();
        for (const [kind, { seconds }] of pool.totals) this.set({ kind }, seconds);
      },
    });
  }
}

// Gauges of fetched sources, labelled with the source's id. At most a hundred are shown, to bound the number of labels: first those that are
// not read, because a rule is silent about what is not shown.

const MAX_SOURCES = 100;

/** Null for sources that are off or lack their key. */
const isRead = ({ state, is_overdue }: SourceReading): boolean | null =>
  state === 'off' || state === 'needs_key' ? null : !is_overdue && state !== 'failing';

const shownSources = oncePer((version: LoadedVersion): readonly SourceReading[] =>
  sourceReadings(version)
    .toSorted((a, b) => Number(isRead(b) === false) - Number(isRead(a) === false))
    .slice(0, MAX_SOURCES),
);

export function sourceGauges({ versions, nowMs }: Services, registry: Registry): void {
  const gauge = (name: string, help: string, read: (source: SourceReading) => number | null) =>
    new Gauge({
      name,
      help,
      labelNames: ['source'],
      registers: [registry],
      collect() {
        this.reset();
        for (const source of versions.current === undefined ? [] : shownSources(versions.current)) {
          const value = read(source);
          if (value !== null) this.set({ source: source.id }, value);
        }
      },
    });
  const age = (instant: string | null) => (instant === null ? null : (nowMs() - Date.parse(instant)) / 1000);
  gauge('source_reading_age_seconds', 'Time since the last successful reading of a source', (source) =>
    age(source.last_read_at),
  );
  gauge('source_lag_seconds', 'How far reading of a source lags behind the clock', (source) =>
    age(source.read_through_at),
  );
  gauge(
    'source_up',
    '1 when the source is read on time; no value for sources that are off or lack their key',
    (source) => {
      const read = isRead(source);
      return read === null ? null : Number(read);
    },
  );
  gauge(
    'source_circuit_open',
    '1 while requests to the host of a source are paused after failures',
    (source) => Number(source.circuit_open_until !== null && Date.parse(source.circuit_open_until) > nowMs()),
  );
}
