// Constructs the parts of a server from its dependencies, each after the parts it uses. Starts nothing.
import type { Registry } from 'prom-client';
import { DEPRECATIONS } from '../schemas/deprecations.ts';
import { AccessControl } from './access/access-control.ts';
import { datasetAccess } from './access/authorize.ts';
import { type Analytics, createAnalytics } from './analytics/analytics.ts';
import { SnapshotHost } from './data/snapshot-host.ts';
import { type Ending, withEndings } from './define/deprecation.ts';
import type { Endpoint } from './define/endpoint.ts';
import { listsOf } from './define/list-shape.ts';
import { currentVersion } from './define/missing-data.ts';
import type { ServerDeps } from './deps.ts';
import { ALL_ENDPOINTS } from './endpoints.ts';
import { DEADLINES, type Deadlines } from './http/protocol-errors.ts';
import { QuietConnections, SlowReaders } from './http/quiet-connections.ts';
import { ReadPath } from './http/read-path.ts';
import { RequestGate } from './http/request-gate.ts';
import { RequestSpans } from './http/request-spans.ts';
import { Responder } from './http/responder.ts';
import { createRouting } from './http/routing.ts';
import { ServiceLinks } from './http/service-links.ts';
import { McpEndpoint } from './mcp/mcp-endpoint.ts';
import { createMetrics } from './metrics/metrics.ts';
import { RequestMetrics } from './metrics/request-metrics.ts';
import { EventTail } from './replay/event-tail.ts';
import { openReplay } from './replay/replay-log.ts';
import { eventNames, requireKnownNames } from './replies/known-names.ts';
import { alertFacts } from './replies/story/alert-facts.ts';
import { createStream, type Stream } from './stream/stream.ts';
import { missingPages } from './web/error-pages.ts';
import { Webhooks } from './webhooks/webhooks.ts';

/** The published data, and who may read it. */
interface DataParts {
  readonly endpoints: readonly Endpoint[];
  readonly endings: readonly Ending[];
  readonly links: ServiceLinks;
  readonly access: AccessControl;
  readonly tail: EventTail;
  readonly webhooks: Webhooks;
  readonly analytics: Analytics;
  readonly readPath: ReadPath;
  readonly host: SnapshotHost;
}

/** The parts that requests pass through. */
interface HttpParts {
  readonly deadlines: Deadlines;
  readonly slowReaders: SlowReaders;
  readonly quiet: QuietConnections;
  readonly requestGate: RequestGate;
  readonly requests: RequestMetrics;
  readonly responder: Responder;
}

export interface Parts extends DataParts, HttpParts {
  readonly stream: Stream;
  readonly koa: ReturnType<typeof createRouting>;
  readonly metrics: Registry;
}

export function wire(deps: ServerDeps): Parts {
  const data = wireData(deps);
  const http = wireHttp(deps, data);
  const { host, access, webhooks } = data;
  const stream = wireStream(deps, { ...data, ...http });
  data.tail.subscribe({
    onEvents: () => {
      webhooks.wake();
      void stream.wake();
    },
  });
  const { isResponseChecked = false, streamOrigins } = deps;
  const allowed = streamOrigins === undefined ? undefined : new Set(streamOrigins);
  const mcp = new McpEndpoint({
    services: host.services,
    links: data.links,
    origins: { host: deps.host, allowed },
    log: deps.log,
    isResponseChecked,
  });
  const koa = createRouting({
    ...data,
    services: host.services,
    receivedOf: (request) => http.requestGate.of(request),
    isResponseChecked,
    mcp,
    respond: (exchange, outcome) => http.responder.respond(exchange, outcome),
    missingPage: missingPages(data.endpoints, host),
  });
  const metrics = createMetrics({
    services: host.services,
    store: deps.store,
    admissionControl: access.admissionControl,
    stream,
    requests: http.requests,
    pool: data.analytics.pool,
    spans: deps.traces?.exporter,
  });
  return { ...data, ...http, stream, koa, metrics };
}

function wireData(deps: ServerDeps): DataParts {
  const { deprecations = DEPRECATIONS, deprecationHeader: form = 'true' } = deps;
  const endings = deprecations.map((entry) => ({ entry, form }));
  const endpoints = withEndings(deps.endpoints ?? ALL_ENDPOINTS, endings);
  const links = new ServiceLinks(deps);
  const access = new AccessControl(deps);
  const { admissionControl, usage, watch } = access;
  const tail = new EventTail(openReplay(deps));
  const webhooks = new Webhooks({
    ...deps,
    ...deps.webhooks,
    ...{ events: tail.replay, spans: deps.traces?.exporter },
    messageSources: {
      factsOf: (event, report) => alertFacts(host.services, event, report),
      base: () => links.service,
    },
  });
  const readPath = new ReadPath(endpoints);
  const analytics = createAnalytics(deps, { usage, upgradeUrl: () => links.upgrade });
  const host: SnapshotHost = new SnapshotHost({
    ...deps,
    tail,
    datasetAccess: datasetAccess(endpoints),
    lists: listsOf(endpoints),
    onVersion(services) {
      readPath.prepare(services);
      if (deps.analytics?.isWarm) analytics.pool.warm();
    },
    live: {
      store: deps.store,
      usage,
      analytics,
      webhooks,
      rateOf: (caller) => admissionControl.rateOf(caller),
      storeNotices: () => watch.notices,
      upgradeUrl: () => links.upgrade,
    },
  });
  return { endpoints, endings, links, access, tail, webhooks, analytics, readPath, host };
}

function wireHttp(deps: ServerDeps, { access, links }: DataParts): HttpParts {
  const { deadlines = DEADLINES } = deps;
  const { admissionControl, usage } = access;
  const slowReaders = new SlowReaders(deadlines.responseMs);
  const quiet = new QuietConnections(deadlines.quietMs);
  const requestGate = new RequestGate({ ...deps, admissionControl });
  const requests = new RequestMetrics();
  const { traces, webhooks } = deps;
  const spans = traces && new RequestSpans({ ...traces, sink: traces.exporter, random: webhooks.random });
  const responder = new Responder({ ...deps, requestGate, requests, spans, usage, slowReaders, links });
  return { deadlines, slowReaders, quiet, requestGate, requests, responder };
}

function wireStream(deps: ServerDeps, parts: DataParts & HttpParts): Stream {
  const { access, host, links, tail, requestGate, responder } = parts;
  const { admissionControl, ring, usage, limits } = access;
  const { streamOrigins, webhooks } = deps;
  return createStream({
    ...deps,
    admissionControl,
    streams: limits.streams,
    ring,
    usage,
    requestGate,
    responder,
    randomBytes: webhooks.randomBytes,
    events: tail.replay,
    origins: streamOrigins === undefined ? undefined : new Set(streamOrigins),
    upgradeUrl: () => links.upgrade,
    isStopping: () => host.isStopping,
    checkNames: async ({ chain, protocol }) => {
      await deps.beforeNames?.();
      const names = (name: string | undefined) => (name === undefined ? undefined : new Set([name]));
      const given = eventNames({ chain: names(chain), protocol: names(protocol) });
      return requireKnownNames(host.services, given, currentVersion(host.services));
    },
  });
}
