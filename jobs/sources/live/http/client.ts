// The HTTP client of all sources: budget, retries and classification of responses around one exchange. A host can be reached at another
// address, such as a mirror.

import { NO_SECRETS, type Scrubber } from '../../../../platform/base/secrets.ts';
import type { Clock } from './clock.ts';
import {
  type Exchange,
  type ExchangeLimits,
  type HttpRequest,
  type HttpResponse,
  type ParsedBody,
  ReceivedBody,
} from './exchange.ts';
import { type HostBudget, HostGate, type HostUse, type Urgency } from './host-gate.ts';
import { type ExpectedResponse, judgeResponse } from './judge-response.ts';
import { NetFault } from './net-fault.ts';

export interface HostSettings extends HostBudget {
  /** Origin to send the requests to instead, for example `http://127.0.0.1:8000`. */
  readonly address: string | null;
}

export const DEFAULT_HOST: HostSettings = {
  in_flight: 1,
  requests_per_minute: 60,
  bytes_per_day: 2_000_000_000,
  address: null,
};

export interface ClientTools {
  readonly exchange: Exchange;
  readonly clock: Clock;
  readonly random: () => number;
  readonly hosts: { readonly [host: string]: HostSettings };
  readonly signal?: AbortSignal;
  readonly retryRules?: RetryRules;
  /** Cleans responses before anything reads or quotes them. */
  readonly scrubber: Scrubber;
}

export interface CallLimits extends ExchangeLimits {
  /** Maximum number of values in the body; without it, any number. */
  readonly maxValues?: number;
}

export interface Call {
  readonly request: HttpRequest;
  readonly expected: ExpectedResponse;
  readonly limits: CallLimits;
  readonly urgency: Urgency;
}

export interface JudgedResponse extends HttpResponse {
  /** Null if a format other than JSON was expected. */
  readonly parsed: ParsedBody | null;
  readonly values: number;
}

const USER_AGENT = 'defi-risk-data-service/1';

export class NetClient {
  readonly #tools: ClientTools;
  readonly #gates = new Map<string, HostGate>();

  constructor(tools: ClientTools) {
    this.#tools = tools;
  }

  gate(host: string): HostGate {
    const known = this.#gates.get(host);
    if (known !== undefined) return known;
    const gate = new HostGate(host, this.#tools.hosts[host] ?? DEFAULT_HOST, this.#tools.clock);
    this.#gates.set(host, gate);
    return gate;
  }

  /** Today's use of each host. */
  uses(): { readonly [host: string]: HostUse } {
    return Object.fromEntries([...this.#gates].map(([host, gate]) => [host, gate.use()]));
  }

  /** What it returns holds no secret. @throws NetFault after the last try. */
  async call({ request, expected, limits, urgency }: Call): Promise<JudgedResponse> {
    const { exchange, clock, hosts, signal, retryRules = RETRY_RULES, scrubber } = this.#tools;
    const { host } = addressOf(request);
    const sent = requestAt(request, hosts[host]?.address ?? null);
    const gate = this.gate(host);
    const counting = {
      onRedirect: () => gate.noteRedirect(),
      onBytes: (bytes: number) => gate.noteBytes(bytes),
    };
    const once = async () => {
      const response = cleaned(await exchange(sent, { ...limits, ...counting }, signal), scrubber);
      const values = valuesIn(response.body.bytes, expected.format);
      if (values > (limits.maxValues ?? Number.POSITIVE_INFINITY)) throw tooManyValues();
      const judged = judgeResponse(response, expected, clock.nowMs());
      if (judged instanceof NetFault) throw judged;
      return { ...response, url: request.url, parsed: judged, values };
    };
    return withRetries(() => gate.run(urgency, once, signal), retryRules, this.#tools);
  }
}

const tooManyValues = () =>
  new NetFault('too_much', 'the pages of one reading have too many values.', {
    todo: 'Read less at a time (`window.step`), or raise guards.max_values',
  });

function cleaned(response: HttpResponse, scrubber: Scrubber): HttpResponse {
  if (scrubber === NO_SECRETS) return response;
  const { body, headers } = response;
  const bytes = scrubber.bytes(body.bytes);
  return {
    ...response,
    body: bytes === body.bytes ? body : new ReceivedBody([bytes]),
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, scrubber.text(value)])),
  };
}

function addressOf({ url }: HttpRequest): URL {
  if (URL.canParse(url)) return new URL(url);
  throw new NetFault('refused', 'the url of the source is not an address once its values are filled in.', {
    todo: 'Correct the url, or the environment variables that it names',
  });
}

/** The request with the headers of every request, sent to that origin instead if one is given. */
function requestAt(request: HttpRequest, origin: string | null): HttpRequest {
  const url = addressOf(request);
  const headers = {
    accept: 'application/json, */*;q=0.5',
    'user-agent': USER_AGENT,
    ...(request.body === null ? {} : { 'content-type': 'application/json' }),
    ...basicAuth(url),
    ...request.headers,
  };
  const { pathname, search } = url;
  return { ...request, headers, url: `${origin?.replace(/\/$/, '') ?? url.origin}${pathname}${search}` };
}

/** The user and password of an address; undici ignores them. */
function basicAuth({ username, password }: URL): HttpRequest['headers'] {
  if (username === '' && password === '') return {};
  const pair = Buffer.from(`${username}:${password}`.replaceAll(/%[0-9a-f]{2}/gi, byteOf), 'latin1');
  return { authorization: `Basic ${pair.toString('base64')}` };
}

const byteOf = (escaped: string) => String.fromCharCode(Number.parseInt(escaped.slice(1), 16));

const [QUOTE, BACKSLASH, COMMA, OPEN_LIST, OPEN_OBJECT, NEWLINE] = [0x22, 0x5c, 0x2c, 0x5b, 0x7b, 0x0a];

/**
 * Counts the values of a body before it is parsed: each of them takes memory, and a small body can hold millions. Members, elements, lists
 * and objects at any depth of JSON; cells of other formats. At most, because empty lists count too.
 */
export function valuesIn(bytes: Uint8Array, format: 'json' | 'ndjson' | 'csv'): number {
  const isJson = format !== 'csv';
  let values = 1;
  let isText = false;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (isJson && byte === QUOTE) isText = !isText;
    else if (isText) {
      if (byte === BACKSLASH) at += 1;
    } else if (byte === COMMA || byte === NEWLINE) values += 1;
    else if (isJson && (byte === OPEN_LIST || byte === OPEN_OBJECT)) values += 1;
  }
  return values;
}

// The only place that retries after transient faults: full jitter, Retry-After, and one deadline for all attempts together.

interface RetryRules {
  /** Attempts in total. */
  readonly tries: number;
  readonly baseMs: number;
  readonly capMs: number;
  /** For all attempts and waits together. */
  readonly deadlineMs: number;
}

const RETRY_RULES: RetryRules = { tries: 5, baseMs: 500, capMs: 30_000, deadlineMs: 120_000 };

/** @throws the last fault: immediately if a retry cannot help or the wait would pass the deadline. */
async function withRetries<T>(
  action: () => Promise<T>,
  rules: RetryRules,
  {
    clock,
    random,
    signal,
  }: {
    readonly clock: Clock;
    /** Uniform in [0, 1). */
    readonly random: () => number;
    readonly signal?: AbortSignal;
  },
): Promise<T> {
  const endMs = clock.nowMs() + rules.deadlineMs;
  for (let attempt = 1; ; attempt++) {
    try {
      return await action();
    } catch (error) {
      if (!(error instanceof NetFault) || !error.isTransient || attempt >= rules.tries) throw error;
      const waitMs = waitBefore(attempt, error.retryAfterMs, { rules, random });
      if (clock.nowMs() + waitMs > endMs || signal?.aborted === true) throw error;
      await clock.sleep(waitMs, signal);
    }
  }
}

/** Retry-After is the minimum; jitter on top keeps clients from returning together. */
function waitBefore(
  attempt: number,
  retryAfterMs: number | null,
  { rules, random }: { rules: RetryRules; random: () => number },
): number {
  const spread = random() * Math.min(rules.capMs, rules.baseMs * 2 ** (attempt - 1));
  return retryAfterMs === null ? spread : retryAfterMs + random() * rules.baseMs;
}
