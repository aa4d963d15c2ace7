// The server as one object: follows a snapshot folder, answers from the read path or from Koa, stops without cutting anybody off.
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { DEPRECATIONS } from '../schemas/deprecations.ts';
import { AccessControl } from './access/access-control.ts';
import { authorize } from './access/authorize.ts';
import { SnapshotHost } from './data/snapshot-host.ts';
import { checkSunset, type Ending, withEndings } from './define/deprecation.ts';
import type { Endpoint } from './define/endpoint.ts';
import type { RunningServer, ServerDeps } from './deps.ts';
import { ENDPOINTS } from './endpoints.ts';
import { hasBody, hostProblem } from './http/guard.ts';
import { respondToProtocolErrors, DEADLINES, type Deadlines, serverOptions } from './http/protocol-errors.ts';
import { QuietConnections } from './http/quiet-connections.ts';
import { RequestGate } from './http/request-gate.ts';
import { Responder } from './http/responder.ts';
import { createRouting } from './http/routing.ts';
import { SlowReaders } from './http/slow-readers.ts';
import { createMetrics, type Metrics } from './metrics/metrics.ts';
import { serveMetrics } from './metrics/serve-metrics.ts';
import { createStream, type Stream } from './stream/stream.ts';
import { Webhooks } from './webhooks/webhooks.ts';

/** An event waits for half of this on its way from its publication to those who listen. */
const DEFAULT_POLL_MS = 250;
const DEFAULT_DRAIN_MS = 10_000;

/** Listens at once, before anything was published, and follows the snapshot folder from then on. */
export async function startServer(deps: ServerDeps): Promise<RunningServer> {
  const app = new App(deps);
  await app.start();
  return app;
}

type Route = (request: IncomingMessage, response: ServerResponse) => void;

class App implements RunningServer {
  readonly #deps: ServerDeps;
  readonly #endings: readonly Ending[];
  readonly #endpoints: readonly Endpoint[];
  readonly #access: AccessControl;
  readonly #host: SnapshotHost;
  readonly #webhooks: Webhooks;
  readonly #metrics: Metrics;
  readonly #requestGate: RequestGate;
  readonly #responder: Responder;
  readonly #stream: Stream;
  readonly #route: Route;
  readonly #http: Server;
  readonly #slowReaders: SlowReaders;
  readonly #quiet: QuietConnections;
  readonly #deadlines: Deadlines;
  #metricsServer: Server | undefined;
  #cancelSweep: () => void = () => undefined;
  #stopped: Promise<void> | undefined;

  constructor(deps: ServerDeps) {
    const steadyMs = deps.steadyMs ?? deps.nowMs;
    this.#deps = deps;
    const { deprecations = DEPRECATIONS, deprecationHeader: form = 'true' } = deps;
    this.#endings = deprecations.map((entry) => ({ entry, form }));
    this.#endpoints = withEndings(deps.endpoints ?? ENDPOINTS, this.#endings);
    this.#deadlines = deps.deadlines ?? DEADLINES;
    this.#slowReaders = new SlowReaders(this.#deadlines.responseMs);
    this.#quiet = new QuietConnections(this.#deadlines.quietMs);
    this.#access = new AccessControl(deps, steadyMs);
    this.#host = this.#makeHost();
    this.#webhooks = new Webhooks({ ...deps, ...deps.webhooks, events: this.#host.services.replay });
    const { admissionControl, usage } = this.#access;
    this.#metrics = createMetrics({
      services: this.#host.services,
      admissionControl,
      stream: () => this.#stream.counts,
    });
    this.#requestGate = new RequestGate({ ...deps, admissionControl, steadyMs });
    this.#responder = new Responder({
      ...deps,
      steadyMs,
      usage,
      requestGate: this.#requestGate,
      requests: this.#metrics.requests,
      slowReaders: this.#slowReaders,
      docsUrl: () => this.docsUrl,
    });
    this.#stream = this.#makeStream();
    this.#route = this.#makeRoute();
    this.#http = this.#makeHttp();
  }

  #makeHost(): SnapshotHost {
    const { store } = this.#deps;
    const { admissionControl, usage, watch } = this.#access;
    const webhooks = () => this.#webhooks;
    return new SnapshotHost({
      ...this.#deps,
      endpoints: this.#endpoints,
      onEvents: () => {
        webhooks().wake();
        void this.#stream.wake();
      },
      live: {
        store,
        usage,
        get webhooks() {
          return webhooks();
        },
        rateOf: (caller) => admissionControl.rateOf(caller),
        storeNotices: () => watch.notices,
        upgradeUrl: this.#upgradeUrl,
      },
    });
  }

  #makeStream(): Stream {
    const { streamOrigins, webhooks } = this.#deps;
    const { admissionControl, ring, usage } = this.#access;
    return createStream({
      ...this.#deps,
      admissionControl,
      ring,
      usage,
      steadyMs: this.#deps.steadyMs ?? this.#deps.nowMs,
      randomBytes: webhooks.randomBytes,
      events: this.#host.services.replay,
      requestGate: this.#requestGate,
      responder: this.#responder,
      origins: streamOrigins === undefined ? undefined : new Set(streamOrigins),
      upgradeUrl: this.#upgradeUrl,
      isStopping: () => this.#host.isStopping,
    });
  }

  #makeRoute(): Route {
    const { isResponseChecked = false, log } = this.#deps;
    const koa = createRouting({
      endpoints: this.#endpoints,
      endings: this.#endings,
      services: this.#host.services,
      askedOf: (request) => this.#requestGate.ask(request),
      isResponseChecked,
      send: (context, outcome) => this.#responder.sendOutcome(context.req, context.res, outcome),
    });
    koa.on('error', (error: Error) => log.error({ err: error }, 'request failed'));
    return koa.callback();
  }

  #makeHttp(): Server {
    const { makeRequestId, nowMs } = this.#deps;
    const options = {
      ...serverOptions(this.#deadlines),
      shouldUpgradeCallback: (request: IncomingMessage) => this.#stream.isFor(request),
    };
    const http = createHttpServer(options, (request, response) => this.#onRequest(request, response));
    http.on('connection', (socket) => this.#quiet.add(socket, nowMs()));
    http.on('upgrade', (request, socket, head) => {
      this.#quiet.release(request.socket);
      this.#stream.upgrade(request, socket, head);
    });
    respondToProtocolErrors(http, {
      makeRequestId,
      docsUrl: () => this.docsUrl,
      ownLines: (requestId, request) => this.#requestGate.linesOfImproper(requestId, request),
    });
    return http;
  }

  get port(): number {
    return (this.#http.address() as AddressInfo | null)?.port ?? this.#deps.port;
  }

  get url(): string {
    const { host } = this.#deps;
    return `http://${host.includes(':') ? `[${host}]` : host}:${this.port}`;
  }

  get docsUrl(): string {
    return this.#deps.docsUrl === '' ? this.url : this.#deps.docsUrl.replace(/\/+$/, '');
  }

  readonly #upgradeUrl = (): string => `${this.docsUrl}/docs#plans`;

  async start(): Promise<void> {
    await this.#access.start();
    await new Promise<void>((resolve, reject) => {
      this.#http.once('error', reject);
      this.#http.listen(this.#deps.port, this.#deps.host, resolve);
    });
    await this.#serveMetrics();
    this.#cancelSweep = this.#deps.every(this.#deadlines.checkEveryMs, () => this.#sweep());
    this.#webhooks.start();
    this.#host.start(this.#deps.pollMs ?? DEFAULT_POLL_MS);
  }

  /** Figures are not worth an outage: without their port the service goes on without them, and says so. */
  async #serveMetrics(): Promise<void> {
    const { metrics, log } = this.#deps;
    if (metrics === undefined) return;
    try {
      this.#metricsServer = await serveMetrics(this.#metrics.registry, metrics);
    } catch (error) {
      log.error({ err: error, ...metrics }, '/metrics cannot be served');
    }
  }

  #sweep(): void {
    const nowMs = this.#deps.nowMs();
    this.#slowReaders.sweep(nowMs);
    this.#quiet.sweep(nowMs);
    this.#access.admissionControl.sweep();
  }

  refresh(): Promise<void> {
    return this.#host.refresh();
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #stop(): Promise<void> {
    this.#host.markStopping();
    await this.#deps.wait(this.#deps.lingerMs ?? 0);
    const closed = new Promise<void>((resolve) => this.#http.close(() => resolve()));
    await this.#stream.stop();
    const deadline = this.#deps.wait(this.#deps.drainMs ?? DEFAULT_DRAIN_MS);
    await Promise.race([closed, deadline]);
    this.#http.closeAllConnections();
    this.#metricsServer?.close();
    await closed;
    this.#cancelSweep();
    await this.#webhooks.stop();
    await this.#access.stop();
    await this.#host.stop();
  }

  #onRequest(request: IncomingMessage, response: ServerResponse): void {
    const { method } = request;
    if (this.#host.isStopping) response.shouldKeepAlive = false;
    const isPlain =
      (method === 'GET' || method === 'HEAD') && !hasBody(request) && hostProblem(request) === undefined;
    const prepared = isPlain ? this.#host.readPath.get(request.url ?? '') : undefined;
    if (prepared === undefined) {
      this.#route(request, response);
      return;
    }
    const received = this.#requestGate.receive(request);
    const { endpoint } = prepared;
    try {
      if (endpoint.ending !== undefined) checkSunset(endpoint.ending, this.#deps.nowMs());
      if (received.admission.failure !== undefined) throw received.admission.failure;
      authorize(endpoint.access, received.admission.caller, this.#upgradeUrl);
      this.#responder.send(request, response, { answer: prepared.answer(), received, endpoint });
    } catch (thrown) {
      this.#requestGate.remember(request, received);
      this.#responder.sendOutcome(request, response, { endpoint, thrown });
    }
  }
}
