// The running server: listens, routes each request to the read path or to Koa, and drains requests in progress when it stops.
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { whenResolved } from '../platform/base/tasks.ts';
import { FLUSH_MS } from '../platform/tracing/open-traces.ts';
import type { RunningServer, ServerDeps } from './deps.ts';
import { hasBody, hostProblem } from './http/guard.ts';
import { respondToProtocolErrors, serverOptions } from './http/protocol-errors.ts';
import type { PreparedResponse } from './http/read-path.ts';
import { serveMetrics } from './metrics/serve-metrics.ts';
import { isPreparedHeadSafe } from './replies/send-head.ts';
import { type Parts, wire } from './wiring.ts';

/** An event waits half of this on average between its publication and its delivery. */
const DEFAULT_POLL_MS = 250;
/** How long requests in progress may take to finish when the server stops. */
const DRAIN_MS = 10_000;

/** Listens at once, before anything is published, and follows the snapshot folder from then on. */
export async function startServer(deps: ServerDeps): Promise<RunningServer> {
  const app = new App(deps, wire(deps));
  await app.start();
  return app;
}

class App implements RunningServer {
  readonly #deps: ServerDeps;
  readonly #parts: Parts;
  readonly #route: (request: IncomingMessage, response: ServerResponse) => void;
  readonly #http: Server;
  #metricsServer: Server | undefined;
  #cancelSweep: () => void = () => undefined;
  #stopped: Promise<void> | undefined;

  constructor(deps: ServerDeps, parts: Parts) {
    this.#deps = deps;
    this.#parts = parts;
    const { koa } = parts;
    koa.on('error', (error: Error) => deps.log.error({ err: error }, 'request failed'));
    this.#route = koa.callback();
    this.#http = this.#createHttp();
  }

  #createHttp(): Server {
    const { makeRequestId, nowMs } = this.#deps;
    const { deadlines, stream, quiet, links, requestGate } = this.#parts;
    const options = {
      ...serverOptions(deadlines),
      shouldUpgradeCallback: (request: IncomingMessage) => stream.isFor(request),
    };
    const http = createHttpServer(options, (request, response) => this.#onRequest(request, response));
    http.on('connection', (socket) => quiet.add(socket, nowMs()));
    http.on('upgrade', (request, socket, head) => {
      quiet.release(request.socket);
      stream.upgrade(request, socket, head);
    });
    respondToProtocolErrors(http, { makeRequestId, links, requestGate });
    return http;
  }

  get port(): number {
    return this.#parts.links.port;
  }

  get url(): string {
    return this.#parts.links.server;
  }

  async start(): Promise<void> {
    if (!isPreparedHeadSafe())
      this.#deps.log.warn(
        { node: process.version },
        'this version of Node does not accept prepared heads; responses use more CPU time',
      );
    const { host, port, every, pollMs = DEFAULT_POLL_MS } = this.#deps;
    const { access, links, deadlines, webhooks } = this.#parts;
    await access.start();
    await new Promise<void>((resolve, reject) => {
      this.#http.once('error', reject);
      this.#http.listen(port, host, resolve);
    });
    links.listeningOn((this.#http.address() as AddressInfo).port);
    await this.#serveMetrics();
    this.#cancelSweep = every(deadlines.checkEveryMs, () => this.#sweep());
    webhooks.start();
    this.#parts.host.start(pollMs);
  }

  /** Metrics are not worth an outage: if their port is unavailable, the service logs it and runs without them. */
  async #serveMetrics(): Promise<void> {
    const { metrics, log } = this.#deps;
    if (metrics === undefined) return;
    try {
      this.#metricsServer = await serveMetrics(this.#parts.metrics, metrics);
    } catch (error) {
      log.error({ err: error, ...metrics }, '/metrics cannot be served; set METRICS_PORT to a free port');
    }
  }

  #sweep(): void {
    const nowMs = this.#deps.nowMs();
    const { slowReaders, quiet, access } = this.#parts;
    slowReaders.sweep(nowMs);
    quiet.sweep(nowMs);
    access.admissionControl.sweep();
  }

  refresh(): Promise<void> {
    return this.#parts.host.refresh();
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #stop(): Promise<void> {
    const { host, stream, webhooks, access, analytics } = this.#parts;
    const { wait, lingerMs = 0 } = this.#deps;
    host.markStopping();
    await wait(lingerMs);
    const closed = new Promise<void>((resolve) => this.#http.close(() => resolve()));
    await stream.stop();
    await Promise.race([closed, wait(DRAIN_MS)]);
    this.#http.closeAllConnections();
    this.#metricsServer?.close();
    await closed;
    this.#cancelSweep();
    await analytics.pool.stop();
    await webhooks.stop();
    await access.stop();
    await host.stop();
    await this.#deps.traces?.exporter.stop(FLUSH_MS);
  }

  #onRequest(request: IncomingMessage, response: ServerResponse): void {
    const { host, requestGate, responder } = this.#parts;
    if (host.isStopping) response.shouldKeepAlive = false;
    const prepared = this.#preparedFor(request);
    void whenResolved(requestGate.receive(request), (received) => {
      if (prepared === undefined) {
        requestGate.remember(request, received);
        this.#route(request, response);
        return;
      }
      responder.respond({ request, response, received }, prepared.outcomeFor(received));
    });
  }

  #preparedFor(request: IncomingMessage): PreparedResponse | undefined {
    const { method, url = '' } = request;
    const isPlain =
      (method === 'GET' || method === 'HEAD') && !hasBody(request) && hostProblem(request) === undefined;
    return isPlain ? this.#parts.readPath.get(url) : undefined;
  }
}
