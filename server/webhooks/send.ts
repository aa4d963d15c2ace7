// One POST to a receiver, with limits on its time, the bytes read and its destination. Returns the outcome and never throws. The dispatcher
// decides when and what to send.
import { Client, type Dispatcher } from 'undici';
import { AddressError, type AddressGuard, guardedConnector, type Target } from './address-guard.ts';

export interface TimeLimits {
  readonly connectMs: number;
  /** Limit of the whole exchange, including the connection. */
  readonly totalMs: number;
}

/** Decision 45. */
const TIME_LIMITS: TimeLimits = { connectMs: 5_000, totalMs: 15_000 };
const CHECK_MS = 100;
const MAX_HEADER_BYTES = 16_384;
const IDLE_POOL_MS = 60_000;

export interface DeliveryRequest {
  /** Attempts at one endpoint share its connections, which no others use. */
  readonly endpoint: string;
  readonly url: string;
  /** Name, value, name, value. */
  readonly headers: string[];
  readonly body: Buffer;
}

export interface SenderDeps {
  readonly guard: AddressGuard;
  readonly nowMs: () => number;
  /** Monotonic milliseconds; default: the clock. */
  readonly steadyMs?: () => number;
  /** Calls back once, unless cancelled before. */
  readonly after: (ms: number, work: () => void) => () => void;
  /** Maximum number of connections to one endpoint. */
  readonly connections: number;
  readonly ca?: string | undefined;
  readonly limits?: TimeLimits;
}

export class Sender {
  readonly #deps: SenderDeps;
  readonly #limits: TimeLimits;
  readonly #steadyMs: () => number;
  readonly #pools = new Map<string, ConnectionPool>();
  /** Open exchanges, oldest first, with the monotonic time at which each must end. */
  readonly #open = new Map<Exchange, number>();
  #cancelWatch: (() => void) | undefined;

  constructor(deps: SenderDeps) {
    this.#deps = deps;
    this.#limits = deps.limits ?? TIME_LIMITS;
    this.#steadyMs = deps.steadyMs ?? deps.nowMs;
  }

  send(request: DeliveryRequest): Promise<Outcome> {
    return new Promise((resolve) => {
      const exchange = new Exchange(this.#deps.nowMs, (outcome) => {
        this.#open.delete(exchange);
        resolve(outcome);
      });
      this.#open.set(exchange, this.#steadyMs() + this.#limits.totalMs);
      this.#watch();
      this.#begin(request, exchange);
    });
  }

  /** Checks the address at every attempt; the connector checks it again for a new connection. */
  #begin(request: DeliveryRequest, exchange: Exchange): void {
    try {
      const target = this.#deps.guard.inspect(request.url);
      if (target.isLiteral) this.#dispatch(request, target, exchange);
      else this.#resolveAndDispatch(request, target, exchange);
    } catch (error) {
      exchange.fail(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #resolveAndDispatch(request: DeliveryRequest, target: Target, exchange: Exchange): void {
    this.#deps.guard.addresses(target.host).then(
      () => {
        if (!exchange.isOver) this.#dispatch(request, target, exchange);
      },
      (error: Error) => exchange.fail(error),
    );
  }

  /** One timer for all exchanges: they have the same limit, so the oldest ends first. */
  #watch(): void {
    this.#cancelWatch ??= this.#deps.after(CHECK_MS, () => {
      this.#cancelWatch = undefined;
      const steadyMs = this.#steadyMs();
      for (const [exchange, endMs] of this.#open) {
        if (endMs > steadyMs) break;
        exchange.expire(this.#limits.totalMs);
      }
      if (this.#open.size > 0) this.#watch();
    });
  }

  /** Closes connections of idle endpoints. */
  sweep(): void {
    const beforeMs = this.#deps.nowMs() - IDLE_POOL_MS;
    for (const [endpoint, pool] of this.#pools) {
      if (!pool.isUsed && pool.usedMs < beforeMs) this.#drop(endpoint, pool);
    }
  }

  close(): void {
    this.#cancelWatch?.();
    for (const [endpoint, pool] of this.#pools) this.#drop(endpoint, pool);
  }

  #dispatch(
    { endpoint, headers, body }: DeliveryRequest,
    { origin, path }: Target,
    exchange: Exchange,
  ): void {
    const pool = this.#poolOf(endpoint, origin);
    pool.usedMs = this.#deps.nowMs();
    pool.send({ method: 'POST', path, headers, body }, exchange);
  }

  #poolOf(endpoint: string, origin: string): ConnectionPool {
    const current = this.#pools.get(endpoint);
    if (current?.origin === origin) return current;
    if (current !== undefined) this.#drop(endpoint, current);
    const { guard, connections: max, ca } = this.#deps;
    const client = {
      connect: guardedConnector({ guard, ca, timeoutMs: this.#limits.connectMs }),
      maxHeaderSize: MAX_HEADER_BYTES,
      // The sender enforces the deadline of the whole exchange.
      headersTimeout: 0,
      bodyTimeout: 0,
    };
    const pool = new ConnectionPool({ origin, max, client });
    this.#pools.set(endpoint, pool);
    return pool;
  }

  #drop(endpoint: string, pool: ConnectionPool): void {
    this.#pools.delete(endpoint);
    pool.close();
  }
}

interface PoolOptions {
  readonly origin: string;
  readonly max: number;
  readonly client: Client.Options;
}

type HttpRequest = Omit<Dispatcher.DispatchOptions, 'origin'>;

/**
 * The connections to one endpoint. Each exchange uses one exclusively, or waits for one. A connection whose exchange did not complete is
 * closed.
 */
export class ConnectionPool {
  /** Time of the last request. */
  usedMs = 0;
  readonly #options: PoolOptions;
  readonly #all = new Set<Client>();
  /** Most recently used first, so that surplus connections can time out. */
  readonly #free: Client[] = [];
  #waiting: (readonly [HttpRequest, Exchange])[] = [];

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  get origin(): string {
    return this.#options.origin;
  }

  get isUsed(): boolean {
    return this.#all.size > this.#free.length;
  }

  send(request: HttpRequest, exchange: Exchange): void {
    const client = this.#free.pop() ?? this.#another();
    if (client === undefined) this.#waiting.push([request, exchange]);
    else this.#use(client, request, exchange);
  }

  /** Fails exchanges in progress and waiting ones. */
  close(): void {
    for (const client of this.#all) void client.destroy();
    for (const [, exchange] of this.#waiting.splice(0)) exchange.fail(new Error('closed'));
  }

  #another(): Client | undefined {
    const { origin, max, client: options } = this.#options;
    if (this.#all.size >= max) return undefined;
    const client = new Client(origin, options);
    this.#all.add(client);
    return client;
  }

  #use(client: Client, request: HttpRequest, exchange: Exchange): void {
    exchange.onEnd((isWhole) => this.#ended(client, isWhole));
    client.dispatch(request, exchange);
  }

  #ended(client: Client, isWhole: boolean): void {
    if (isWhole) {
      this.#free.push(client);
    } else {
      this.#all.delete(client);
      void client.destroy();
    }
    this.#serveNext();
  }

  #serveNext(): void {
    if (this.#waiting.length === 0) return;
    const [next, ...others] = this.#waiting.filter(([, exchange]) => !exchange.isOver);
    this.#waiting = others;
    if (next !== undefined) this.send(...next);
  }
}

/** Of a response. A record shows the first 1,024 of them; what follows completes a secret that begins there, so that it is recognised. */
const MAX_READ_BYTES = 4_096;

export interface Outcome {
  /** Status of a response that was read to its end or the limit; otherwise null. */
  readonly status: number | null;
  readonly error: AttemptError | null;
  readonly retryAfter: string | undefined;
  /** The start of the response body as text, longer than what records show; null without a response. */
  readonly body: string | null;
  readonly endedMs: number;
  readonly duration_ms: number;
}

/** One request and its response, which is read up to a limit: turns every way in which it can end into one outcome. */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #nowMs: () => number;
  readonly #resolve: (outcome: Outcome) => void;
  readonly #startedMs: number;
  #onEnd: ((isWhole: boolean) => void) | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #status: number | null = null;
  #retryAfter: string | undefined;
  #chunks: Buffer[] = [];
  #read = 0;
  #isOver = false;

  constructor(nowMs: () => number, resolve: (outcome: Outcome) => void) {
    this.#nowMs = nowMs;
    this.#resolve = resolve;
    this.#startedMs = nowMs();
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** `isWhole`: the response was read to its end, so its connection can be reused. */
  onEnd(work: (isWhole: boolean) => void): void {
    this.#onEnd = work;
  }

  expire(limitMs: number): void {
    this.#finish(null, {
      code: 'timeout',
      message: `There was no complete response within ${limitMs / 1_000} s.`,
    });
  }

  fail(error: Error): void {
    this.#finish(null, failureOf(error));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // If waiting for a connection timed out, nothing may be sent.
    if (this.#isOver) controller.abort(new Error('abandoned'));
  }

  onResponseStart(
    _: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    if (status < 200) return;
    this.#status = status;
    const retryAfter = headers['retry-after'];
    this.#retryAfter = typeof retryAfter === 'string' ? retryAfter : retryAfter?.[0];
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#read < MAX_READ_BYTES) this.#chunks.push(Buffer.from(chunk.subarray(0, MAX_READ_BYTES)));
    this.#read += chunk.length;
    if (this.#read >= MAX_READ_BYTES) this.#answered(false);
  }

  onResponseEnd(): void {
    this.#controller = undefined;
    this.#answered(true);
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#controller = undefined;
    this.fail(error);
  }

  #answered(isWhole: boolean): void {
    const status = this.#status ?? 0;
    const isGood = status >= 200 && status < 300;
    const error = isGood ? null : { code: 'http_status', message: `The receiver returned status ${status}.` };
    this.#finish(status, error, isWhole);
  }

  #finish(status: number | null, error: AttemptError | null, isWhole = false): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#onEnd?.(isWhole);
    const endedMs = this.#nowMs();
    const body = this.#status === null ? null : bodyText(this.#chunks);
    this.#chunks = [];
    this.#resolve({
      status,
      error,
      retryAfter: this.#retryAfter,
      body,
      endedMs,
      duration_ms: Math.max(0, endedMs - this.#startedMs),
    });
    // The rest of the response is not read, so the connection is closed.
    this.#controller?.abort(new Error('enough was read'));
  }
}

/** NUL terminates text in some databases. */
const bodyText = (chunks: readonly Buffer[]): string =>
  chunks.length === 0
    ? ''
    : Buffer.concat(chunks).subarray(0, MAX_READ_BYTES).toString('utf8').replaceAll('\0', '\ufffd');

/** Error codes for connections to receivers. The codes are public: delivery records show them. */
export interface AttemptError {
  readonly code: string;
  readonly message: string;
}

export const BLOCKED = 'blocked_url';

/** By the code of the error or of its cause. */
const FAILURES: readonly (readonly [codes: RegExp, code: string, message: string])[] = [
  [/^UND_ERR_CONNECT_TIMEOUT$|^ETIMEDOUT$/, 'connect_timeout', 'No connection was made in time.'],
  [/^ECONNREFUSED$/, 'connection_refused', 'The receiver refused the connection.'],
  [/^(EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL)$/, 'unreachable', 'There is no route to the receiver.'],
  [/^(ENOTFOUND|EAI_AGAIN)$/, 'unresolved_name', 'The name could not be resolved.'],
  [/^UND_ERR_HEADERS_OVERFLOW$/, 'answer_too_large', 'The headers of the response are too long.'],
  [
    /^(HTTPParserError|HPE_|UND_ERR_(RES_CONTENT_LENGTH_MISMATCH|INFO|INVALID))/,
    'invalid_answer',
    'The response is not valid HTTP.',
  ],
  [
    /^(UND_ERR_SOCKET|ECONNRESET|EPIPE|ECONNABORTED)$/,
    'connection_closed',
    'The connection ended before the response was complete.',
  ],
  [/^(ERR_(TLS|SSL)|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|ERR_OSSL|EPROTO)/, 'tls', 'TLS failed'],
];

function failureOf(error: Error): AttemptError {
  const addressError = causesOf(error).find((cause) => cause instanceof AddressError);
  if (addressError instanceof AddressError) {
    const code = addressError.kind === 'blocked' ? BLOCKED : 'unresolved_name';
    return { code, message: `The URL ${addressError.message}.` };
  }
  for (const cause of causesOf(error)) {
    const failure = FAILURES.find(([codes]) => codes.test(codeOf(cause)));
    if (failure === undefined) continue;
    const [, code, message] = failure;
    return { code, message: code === 'tls' ? `TLS failed: ${codeOf(cause)}.` : message };
  }
  return { code: 'failed', message: 'The request could not be sent.' };
}

/** Errors of the HTTP parser have a name but no code. */
const codeOf = (error: unknown): string => {
  if (!(error instanceof Error)) return '';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
};

/** The error and its causes, of which there are several if several addresses were tried. */
function causesOf(error: unknown, depth = 0): readonly unknown[] {
  if (!(error instanceof Error) || depth > 4) return [];
  const inner = error instanceof AggregateError ? error.errors : [];
  return [error, ...[error.cause, ...inner].flatMap((cause) => causesOf(cause, depth + 1))];
}
