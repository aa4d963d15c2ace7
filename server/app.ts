// The server as one object: follows a snapshot folder, answers from the read path or from Koa, stops without cutting anybody off.
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import type { PlanName } from '../schemas/plans.ts';
import type { Disk } from '../snapshots/disk.ts';
import { type Answer, sendAnswer } from './answer.ts';
import type { Caller, Endpoint } from './define.ts';
import { ENDPOINTS } from './endpoints.ts';
import { errorAnswer, failureOf } from './error-answer.ts';
import { hasBody } from './guard.ts';
import { answerProtocolErrors, DEADLINES, type Deadlines, serverOptions } from './protocol-errors.ts';
import { QuietConnections } from './quiet-connections.ts';
import { type MakeRequestId, requestIdOf } from './request-id.ts';
import { createRouting, type Outcome } from './routing.ts';
import { SlowReaders } from './slow-readers.ts';
import { type Log, SnapshotHost } from './snapshot-host.ts';

export interface ServerDeps {
  readonly disk: Disk;
  readonly snapshotDir: string;
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** Plan of a caller without a key. */
  readonly anonymousPlan: PlanName;
  /** Address of the documentation; empty takes `/docs` of this server. */
  readonly docsUrl: string;
  readonly serviceVersion: string;
  readonly nowMs: () => number;
  readonly makeRequestId: MakeRequestId;
  readonly log: Log;
  /** Calls its argument every `ms` milliseconds until the returned function is called. */
  readonly every: (ms: number, work: () => void) => () => void;
  /** Resolves after so many milliseconds. */
  readonly wait: (ms: number) => Promise<void>;
  readonly pollMs?: number;
  readonly endpoints?: readonly Endpoint[];
  /** Compare every routed answer with its schema. For tests. */
  readonly isResponseChecked?: boolean;
  /** How long the server still accepts connections and says that it is not ready, before it stops listening. */
  readonly lingerMs?: number;
  readonly deadlines?: Deadlines;
  /** Name under which the served version is held against collection; without one it is not held. */
  readonly readerId?: string;
  /** How long requests under way may take to end. */
  readonly drainMs?: number;
}

export interface RunningServer {
  /** `http://host:port` */
  readonly url: string;
  readonly port: number;
  /** Looks for a newer version now, and resolves when it is served, replay included. */
  refresh(): Promise<void>;
  /** Ready turns 503, requests under way end, connections close. */
  stop(): Promise<void>;
}

const DEFAULT_POLL_MS = 1_000;
const DEFAULT_DRAIN_MS = 10_000;

/** Listens at once, before anything was published, and follows the snapshot folder from then on. */
export async function startServer(deps: ServerDeps): Promise<RunningServer> {
  const app = new App(deps);
  await app.start();
  return app;
}

class App implements RunningServer {
  readonly #deps: ServerDeps;
  readonly #host: SnapshotHost;
  readonly #http: Server;
  readonly #caller: Caller;
  readonly #route: (request: IncomingMessage, response: ServerResponse) => void;
  readonly #requestIds = new WeakMap<IncomingMessage, string>();
  readonly #slowReaders: SlowReaders;
  readonly #quiet: QuietConnections;
  readonly #deadlines: Deadlines;
  #cancelSweep: () => void = () => undefined;
  #stopped: Promise<void> | undefined;

  constructor(deps: ServerDeps) {
    this.#deps = deps;
    this.#deadlines = deps.deadlines ?? DEADLINES;
    this.#slowReaders = new SlowReaders(this.#deadlines.answerMs);
    this.#quiet = new QuietConnections(this.#deadlines.quietMs);
    this.#caller = { plan: deps.anonymousPlan, is_keyed: false };
    const endpoints = deps.endpoints ?? ENDPOINTS;
    this.#host = new SnapshotHost({ ...deps, endpoints, caller: this.#caller });
    const koa = createRouting({
      endpoints,
      services: this.#host.services,
      callerOf: () => this.#caller,
      isResponseChecked: deps.isResponseChecked ?? false,
      send: (context, outcome) => this.#sendOutcome(context.req, context.res, outcome),
    });
    koa.on('error', (error: Error) => deps.log.error({ err: error }, 'request failed'));
    this.#route = koa.callback();
    this.#http = createHttpServer(serverOptions(this.#deadlines), (request, response) =>
      this.#onRequest(request, response),
    );
    this.#http.on('connection', (socket) => this.#quiet.add(socket, deps.nowMs()));
    answerProtocolErrors(this.#http, {
      makeRequestId: deps.makeRequestId,
      docsUrl: () => this.docsUrl,
    });
  }

  get port(): number {
    return (this.#http.address() as AddressInfo | null)?.port ?? this.#deps.port;
  }

  get url(): string {
    const { host } = this.#deps;
    return `http://${host.includes(':') ? `[${host}]` : host}:${this.port}`;
  }

  get docsUrl(): string {
    return this.#deps.docsUrl === '' ? `${this.url}/docs` : this.#deps.docsUrl.replace(/\/+$/, '');
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#http.once('error', reject);
      this.#http.listen(this.#deps.port, this.#deps.host, resolve);
    });
    this.#cancelSweep = this.#deps.every(this.#deadlines.checkEveryMs, () => this.#sweep());
    this.#host.start(this.#deps.pollMs ?? DEFAULT_POLL_MS);
  }

  #sweep(): void {
    const nowMs = this.#deps.nowMs();
    this.#slowReaders.sweep(nowMs);
    this.#quiet.sweep(nowMs);
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
    const deadline = this.#deps.wait(this.#deps.drainMs ?? DEFAULT_DRAIN_MS);
    await Promise.race([closed, deadline]);
    this.#http.closeAllConnections();
    await closed;
    this.#cancelSweep();
    await this.#host.stop();
  }

  #onRequest(request: IncomingMessage, response: ServerResponse): void {
    const requestId = requestIdOf(request.headers['x-request-id'], this.#deps.makeRequestId);
    const { method } = request;
    if (this.#host.isStopping) response.shouldKeepAlive = false;
    const prepared =
      (method === 'GET' || method === 'HEAD') && !hasBody(request)
        ? this.#host.readPath.get(request.url ?? '')
        : undefined;
    if (prepared === undefined) {
      this.#requestIds.set(request, requestId);
      this.#route(request, response);
      return;
    }
    try {
      this.#send(request, response, { answer: prepared.answer(), requestId });
    } catch (thrown) {
      this.#requestIds.set(request, requestId);
      this.#sendOutcome(request, response, { endpoint: prepared.endpoint, thrown });
    }
  }

  #sendOutcome(request: IncomingMessage, response: ServerResponse, outcome: Outcome): void {
    const requestId = this.#requestIds.get(request) ?? this.#deps.makeRequestId();
    const answer = outcome.answer ?? this.#errorAnswer(request, requestId, outcome);
    if (response.headersSent) response.destroy();
    else this.#send(request, response, { answer, requestId });
  }

  #errorAnswer(request: IncomingMessage, requestId: string, { endpoint, thrown }: Outcome): Answer {
    const failure = failureOf(thrown);
    if (failure.cause !== undefined) {
      this.#deps.log.error({ err: failure.cause, request_id: requestId, url: request.url }, 'request failed');
    }
    return errorAnswer(failure, { requestId, docsUrl: this.docsUrl, endpoint });
  }

  #send(
    request: IncomingMessage,
    response: ServerResponse,
    made: { answer: Answer; requestId: string },
  ): void {
    sendAnswer(request, response, made.answer, made.requestId);
    this.#slowReaders.watch(response, this.#deps.nowMs);
  }
}
