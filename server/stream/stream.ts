// The WebSocket stream: turns upgrade requests into connections and wakes the hub when there may be new events (4.25, decisions 51, 52).
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type ServerOptions, WebSocketServer } from 'ws';
import { whenResolved } from '../../platform/base/tasks.ts';
import { LIMITS } from '../../schemas/plans.ts';
import { STREAM_PATH } from '../../schemas/stream.ts';
import type { AdmissionControl } from '../access/admit.ts';
import type { KeyRing } from '../access/key-ring.ts';
import type { StreamSlots } from '../access/limits.ts';
import type { UsageCounter } from '../access/usage.ts';
import { Failure } from '../define/failure.ts';
import { hostProblem } from '../http/guard.ts';
import type { ReceivedRequest, RequestGate } from '../http/request-gate.ts';
import type { Responder } from '../http/responder.ts';
import { failureOf } from '../replies/error-response.ts';
import { Connection, closeReason, type Sockets } from './connection.ts';
import { Connections, type StreamCounts } from './connections.ts';
import type { EventFilter } from './event-filter.ts';
import {
  checkUpgrade,
  closeCodeOf,
  closeReasonOf,
  type HandshakeDeps,
  isBrowser,
  respondToUpgrade,
  type StreamRequest,
  stopping,
  tokenOf,
} from './handshake.ts';
import { Hub, type HubDeps } from './hub.ts';

const CHECK_MS = 1_000;
/**
 * How long a client may take to read what is on its way to it, and to reply to the close frame behind that. The kernel may hold some megabytes
 * for a slow client.
 */
const CLOSE_MS = 60_000;
const STOP_MS = 1_000;
/** A message of maximum size in more fragments than this is an attack. */
const MAX_FRAGMENTS = 64;
const MAX_BUFFERED_CHUNKS = 256;

export interface StreamDeps extends Omit<HandshakeDeps, 'asOfMs'>, HubDeps {
  readonly admissionControl: AdmissionControl;
  readonly streams: StreamSlots;
  readonly ring: KeyRing;
  readonly usage: UsageCounter;
  readonly requestGate: RequestGate;
  /** @throws Failure `validation_failed` for a chain or protocol that nothing has, `unavailable` if that cannot be said */
  readonly checkNames: (filter: EventFilter) => Promise<unknown>;
  readonly responder: Responder;
  readonly nowMs: () => number;
  readonly steadyMs: () => number;
  /** Returns unpredictable bytes. */
  readonly randomBytes: (count: number) => Uint8Array;
  readonly every: (ms: number, work: () => void) => () => void;
}

export interface Stream {
  /** Whether a request with an `Upgrade` header is for the stream; others are handled as if they had none. */
  isFor(request: IncomingMessage): boolean;
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Reports that there may be new events. Resolves when all known events have been sent. */
  wake(): Promise<void>;
  /** Closes all connections. */
  stop(): Promise<void>;
  readonly counts: StreamCounts;
}

export function createStream(deps: StreamDeps): Stream {
  return new OpenStream(deps);
}

interface Upgrade {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
}

class OpenStream implements Stream {
  readonly #deps: StreamDeps;
  readonly #hub: Hub;
  readonly #connections = new Connections();
  /** Ends the lookup of names of a client that is not connected yet. */
  readonly #lookups = new Set<(failure: Failure) => void>();
  readonly #webSockets = new WebSocketServer(SOCKET_OPTIONS);
  readonly #cancels: readonly (() => void)[];

  constructor(deps: StreamDeps) {
    this.#deps = deps;
    this.#hub = new Hub(deps);
    this.#cancels = [
      deps.every(CHECK_MS, () => this.#check()),
      deps.ring.onEnded((keys) => this.#connections.closeKeys(keys)),
    ];
    this.#webSockets.on('headers', (headers, request) => this.#addHeaders(headers, request));
    this.#webSockets.on('wsClientError', (error, socket, request) =>
      this.#respond(request, socket, new Failure('invalid_request', `${error.message}.`)),
    );
  }

  get counts(): StreamCounts {
    return { ...this.#connections.counts, sent: this.#hub.sent };
  }

  isFor({ url = '' }: IncomingMessage): boolean {
    return url === STREAM_PATH || url.startsWith(`${STREAM_PATH}?`);
  }

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', () => socket.destroy());
    void whenResolved(this.#deps.requestGate.receiveWith(request, tokenOf(request)), (received) =>
      this.#admit({ request, socket, head }, received),
    );
  }

  #admit({ request, socket, head }: Upgrade, received: ReceivedRequest): void {
    this.#deps.requestGate.remember(request, received);
    const problem = hostProblem(request);
    if (problem !== undefined) {
      this.#respond(request, socket, new Failure('invalid_request', problem));
      return;
    }
    try {
      const wanted = checkUpgrade(request, received, { ...this.#deps, asOfMs: () => this.#asOfMs });
      const { chain, protocol } = wanted.filter;
      if (chain === undefined && protocol === undefined)
        this.#accept({ request, socket, head }, received, wanted);
      else this.#acceptNamed({ request, socket, head }, received, wanted);
    } catch (thrown) {
      this.#refuse({ request, socket, head }, failureOf(thrown));
    }
  }

  /** Names are looked up in the published version and the log. The key may end meanwhile, or the server stop: neither waits for the lookup. */
  #acceptNamed(upgrade: Upgrade, received: ReceivedRequest, wanted: StreamRequest): void {
    const { key } = received.admission.caller;
    const end = (failure?: Failure): void => {
      if (!this.#lookups.delete(end)) return;
      cancel();
      if (failure === undefined) this.#accept(upgrade, received, wanted);
      else this.#refuse(upgrade, failure);
    };
    const cancel = this.#deps.ring.onEnded((keys) => {
      const ended = keys.find(({ id }) => id === key?.id);
      if (ended !== undefined) end(new Failure(ended.revoked_ms === null ? 'expired_key' : 'revoked_key'));
    });
    this.#lookups.add(end);
    void Promise.resolve(this.#deps.checkNames(wanted.filter)).then(
      () => end(),
      (thrown: unknown) => end(failureOf(thrown)),
    );
  }

  #accept({ request, socket, head }: Upgrade, received: ReceivedRequest, wanted: StreamRequest): void {
    this.#webSockets.handleUpgrade(request, socket, head, (webSocket) =>
      this.#open({ webSocket, socket }, { request, received, wanted }),
    );
  }

  wake(): Promise<void> {
    return this.#hub.wake();
  }

  async stop(): Promise<void> {
    for (const cancel of this.#cancels) cancel();
    for (const end of this.#lookups) end(stopping());
    const closed = this.#connections.closeAll(1001, 'stopping: reconnect with the last id');
    await Promise.race([closed, this.#deps.wait(STOP_MS)]);
    for (const webSocket of this.#webSockets.clients) webSocket.terminate();
  }

  /** Undefined until it is known after which event a new client starts. */
  get #asOfMs(): number | undefined {
    return this.#hub.head === undefined ? undefined : this.#deps.events.asOfMs;
  }

  #open(
    sockets: Sockets,
    {
      request,
      received,
      wanted,
    }: { request: IncomingMessage; received: ReceivedRequest; wanted: StreamRequest },
  ): void {
    const { admissionControl, usage, nowMs } = this.#deps;
    const { caller } = received.admission;
    const { key, limits } = caller;
    const owner = key === undefined ? `address ${admissionControl.address(request)}` : `org ${key.org}`;
    const after = wanted.after ?? this.#hub.head ?? '';
    const facts = { id: received.requestId, caller, owner, isControl: wanted.isControl, after };
    const connection = new Connection(facts, sockets, this.#deps);
    sockets.webSocket.once('close', () => this.#forget(connection));
    if (key !== undefined) usage.count(key.org, { nowMs: nowMs() });
    this.#connections.add(connection);
    const { stream_connections: limit } = limits;
    void whenResolved(this.#deps.streams.take(owner, limit), (isTaken) => {
      if (isTaken) this.#begin(connection, wanted);
      else connection.close(4009, `too_many_connections: the plan includes ${limit}`);
    });
  }

  #begin(connection: Connection, wanted: StreamRequest): void {
    const { owner } = connection.facts;
    if (this.#connections.hold(connection, () => this.#deps.streams.release(owner))) {
      this.#greet(connection, wanted);
      void this.#hub.follow(connection, wanted.filter);
    }
  }

  #greet(connection: Connection, { gap }: StreamRequest): void {
    const { id, after, caller } = connection.facts;
    const { replay_window_days } = caller.limits;
    connection.control({
      op: 'hello',
      connection_id: id,
      after_event_id: after || null,
      as_of: isoTime(this.#asOfMs ?? 0),
      replay_window_days,
      heartbeat_seconds: LIMITS.stream.ping_seconds,
    });
    if (gap === undefined) return;
    const { since_event_id, fromMs } = gap;
    connection.control({ op: 'gap', since_event_id, from: isoTime(fromMs), replay_window_days });
  }

  #forget(connection: Connection): void {
    this.#hub.leave(connection);
    this.#connections.remove(connection);
  }

  #check(): void {
    const ts = isoTime(this.#deps.nowMs());
    this.#connections.check((connection) =>
      connection.control({ op: 'heartbeat', ts, last_event_id: this.#hub.reachedBy(connection) || null }),
    );
    // Retries events that could not be read when they were published.
    void this.#hub.wake();
  }

  #refuse({ request, socket, head }: Upgrade, failure: Failure): void {
    if (!isBrowser(request)) {
      this.#respond(request, socket, failure);
      return;
    }
    this.#webSockets.handleUpgrade(request, socket, head, (webSocket) => {
      webSocket.on('error', () => webSocket.terminate());
      webSocket.close(closeCodeOf(failure), closeReason(closeReasonOf(failure)));
    });
  }

  #respond(request: IncomingMessage, socket: Duplex, thrown: Failure): void {
    const { requestGate, responder } = this.#deps;
    const received = requestGate.of(request);
    respondToUpgrade(request, socket, (response) =>
      responder.respond({ request, response, received }, { endpoint: undefined, thrown }),
    );
  }

  #addHeaders(headers: string[], request: IncomingMessage): void {
    const { requestGate } = this.#deps;
    headers.push(requestGate.ownLines(request, requestGate.of(request)).trimEnd());
  }
}

/** The last three options are newer than the package's types. */
const SOCKET_OPTIONS: ServerOptions & Readonly<Record<string, unknown>> = {
  noServer: true,
  perMessageDeflate: false,
  autoPong: false,
  maxPayload: LIMITS.stream.inbound_frame_bytes,
  handleProtocols: () => false,
  maxFragments: MAX_FRAGMENTS,
  maxBufferedChunks: MAX_BUFFERED_CHUNKS,
  closeTimeout: CLOSE_MS,
};

/** `2026-03-01T12:00:00Z` */
const isoTime = (ms: number) => `${new Date(ms).toISOString().slice(0, 19)}Z`;
