// The client: every endpoint with its types, lists row by row, histories as rows, and events without gaps. It needs nothing but `fetch`, and
// runs in Node and in browsers.
import { type Answer, answerOf, apiErrorOf, type DataOf, type RawAnswer, readAnswer } from './answer.ts';
import type { Endpoints, Event, Series } from './api-types.ts';
import { type History, historyOf } from './history.ts';
import { List, replayed } from './lists.ts';
import { DEFAULT_RETRY, type RetryRules, withRetries } from './retry.ts';
import { type FollowOptions, firstIdAt, follow } from './stream.ts';

export type { Answer, Freshness, QualityGate } from './answer.ts';
export { ApiError, ConnectionError, GapError, InvalidAnswerError, RefusedError } from './errors.ts';
export type { FollowOptions } from './stream.ts';
export { checkSecret, sign, verifyWebhook, WebhookError } from './webhooks.ts';

export interface ClientOptions {
  readonly baseUrl: string;
  /** Without a key only open endpoints are available. */
  readonly key?: string | undefined;
  /** Number of answers to remember, which the service then confirms instead of sending them again; default: none. */
  readonly rememberedAnswers?: number;
  /** Milliseconds for one attempt, the body included. */
  readonly timeoutMs?: number;
  readonly retry?: Partial<RetryRules>;
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
}

interface Endpoint {
  params: object;
  query: object;
  body: unknown;
  answer: unknown;
}
type Paths<M extends keyof Endpoints> = keyof Endpoints[M] & string;
type At<M extends keyof Endpoints, P extends Paths<M>> = Endpoints[M][P] extends Endpoint
  ? Endpoints[M][P]
  : never;
/** A member is optional if nothing in it is required. */
type Member<Name extends string, Value> =
  Record<never, never> extends Value ? { readonly [N in Name]?: Value } : { readonly [N in Name]: Value };

export interface RequestControl {
  readonly signal?: AbortSignal | undefined;
  /** Of a write: a request with the same key takes effect once, also after a restart of the caller. By default each call has its own. */
  readonly idempotencyKey?: string | undefined;
}
export type Input<E extends Endpoint> = Member<'params', E['params']> &
  Member<'query', E['query']> &
  (undefined extends E['body'] ? Record<never, never> : { readonly body: E['body'] }) &
  RequestControl;
type Arguments<E extends Endpoint> =
  Record<never, never> extends Input<E> ? [input?: Input<E>] : [input: Input<E>];

export type GetPath = Paths<'get'>;
type Row<P extends GetPath> = DataOf<At<'get', P>['answer']> extends ReadonlyArray<infer R> ? R : never;
/** Paths whose data are rows. */
export type ListPath = { [P in GetPath]: [Row<P>] extends [never] ? never : P }[GetPath];
/** Paths whose data are a series. */
export type HistoryPath = {
  [P in GetPath]: DataOf<At<'get', P>['answer']> extends Series ? P : never;
}[GetPath];

interface AnyInput extends RequestControl {
  readonly params?: object;
  readonly query?: object;
  readonly body?: unknown;
}

const TIMEOUT_MS = 30_000;
const NOT_MODIFIED = 304;

export class Client {
  readonly baseUrl: string;
  readonly key: string | undefined;
  readonly #rules: RetryRules;
  readonly #timeoutMs: number;
  readonly #fetch: (url: string, init: RequestInit) => Promise<Response>;
  readonly #remembered: Memory;

  constructor({ baseUrl, key, rememberedAnswers = 0, timeoutMs = TIMEOUT_MS, retry, fetch }: ClientOptions) {
    this.baseUrl = addressOf(baseUrl);
    this.key = key;
    this.#rules = { ...DEFAULT_RETRY, ...retry };
    this.#timeoutMs = timeoutMs;
    this.#fetch = fetch ?? ((url, init) => globalThis.fetch(url, init));
    this.#remembered = new Memory(rememberedAnswers);
  }

  /** @throws ApiError, ConnectionError, InvalidAnswerError; like every method */
  async get<P extends GetPath>(
    path: P,
    ...[input]: Arguments<At<'get', P>>
  ): Promise<Answer<At<'get', P>['answer']>> {
    const raw = await this.#getRaw(filled(path, input), input);
    return answerOf(raw.answer, raw.isUnchanged);
  }

  async post<P extends Paths<'post'>>(
    path: P,
    ...[input]: Arguments<At<'post', P>>
  ): Promise<Answer<At<'post', P>['answer']>> {
    return answerOf(await this.#write('POST', path, input));
  }

  async patch<P extends Paths<'patch'>>(
    path: P,
    ...[input]: Arguments<At<'patch', P>>
  ): Promise<Answer<At<'patch', P>['answer']>> {
    return answerOf(await this.#write('PATCH', path, input));
  }

  async delete<P extends Paths<'delete'>>(
    path: P,
    ...[input]: Arguments<At<'delete', P>>
  ): Promise<Answer<At<'delete', P>['answer']>> {
    return answerOf(await this.#write('DELETE', path, input));
  }

  /** The rows of all pages: `for await (const row of client.list('/v2/pegs'))`. All pages are of the version of the first one. */
  list<P extends ListPath>(
    path: P,
    ...[input]: Arguments<At<'get', P>>
  ): List<Row<P>, At<'get', P>['answer']> {
    const { query, ...rest }: AnyInput = input ?? {};
    return new List(path, async (more) => {
      const raw = await this.#getRaw(filled(path, { ...rest, query: { ...query, ...more } }), rest);
      return answerOf(raw.answer, raw.isUnchanged);
    });
  }

  /** A history as rows, with its gaps. */
  async history<P extends HistoryPath>(
    path: P,
    ...[input]: Arguments<At<'get', P>>
  ): Promise<History<At<'get', P>['answer']>> {
    const raw = await this.#getRaw(filled(path, input), input);
    return historyOf(answerOf(raw.answer, raw.isUnchanged));
  }

  /** Why a protocol has its overall score: the receipts of the last seven days, newest first. */
  receipts(protocol: string, query: At<'get', '/v2/scores/overall/{protocol}'>['query'] = {}) {
    return this.get('/v2/scores/overall/{protocol}', { params: { protocol }, query });
  }

  /** Why an event was reported: its story, the rules, the points around it, and what is missing. */
  evidence(eventId: string, query: At<'get', '/v2/events/{id}/evidence'>['query'] = {}) {
    return this.get('/v2/events/{id}/evidence', { params: { id: eventId }, query });
  }

  /** Past events in the order of the log, after the last one that the caller has. Store `event_id` to continue from there. */
  events(
    query: At<'get', '/v2/events/replay'>['query'] = {},
    control: RequestControl = {},
  ): AsyncGenerator<Event> {
    return replayed(async (since) => {
      const more = since === undefined ? {} : { since_event_id: since };
      return (await this.get('/v2/events/replay', { ...control, query: { ...query, ...more } })).body;
    }, query.since_event_id);
  }

  /** Every event once, in order, over the stream and by replay; see `FollowOptions`. @throws GapError, RefusedError too */
  follow(options: FollowOptions = {}): AsyncGenerator<Event> {
    return follow(this, options);
  }

  /** The position of "from now on": the id of the newest published event. */
  async latestEventId(): Promise<string> {
    const { events, as_of } = (await this.get('/v1/status')).body;
    return events.last_event_id ?? firstIdAt(as_of === null ? 0 : Date.parse(as_of));
  }

  /** Any path as bytes, such as `/v2/datasets/pegs.parquet`. */
  async download(path: string, control: RequestControl = {}): Promise<RawAnswer> {
    return (await this.#getRaw(path, control)).answer;
  }

  async #getRaw(path: string, { signal }: RequestControl = {}) {
    const known = this.#remembered.get(path);
    const headers = known === undefined ? {} : { 'If-None-Match': known.etag };
    const raw = await this.#exchange('GET', path, { headers, signal });
    if (raw.status === NOT_MODIFIED && known !== undefined) {
      const both = new Headers(known.answer.headers);
      for (const [name, value] of raw.headers) both.set(name, value);
      return { answer: { ...known.answer, headers: both }, isUnchanged: true };
    }
    if (raw.status >= 300) throw apiErrorOf(raw);
    this.#remembered.put(path, raw);
    return { answer: raw, isUnchanged: false };
  }

  async #write(method: string, path: string, input: AnyInput = {}): Promise<RawAnswer> {
    const { body, signal, idempotencyKey = crypto.randomUUID(), ...rest } = input;
    const headers: Record<string, string> = {};
    if (method !== 'DELETE') headers['X-Idempotency-Key'] = idempotencyKey;
    if (body !== undefined) headers['Content-Type'] = 'application/json';
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const raw = await this.#exchange(method, filled(path, rest), { headers, signal, ...sent });
    if (raw.status >= 300) throw apiErrorOf(raw);
    return raw;
  }

  #exchange(method: string, path: string, { headers, signal, body }: RequestParts): Promise<RawAnswer> {
    const url = this.baseUrl + path;
    const withKey = {
      Accept: 'application/json, */*;q=0.5',
      ...headers,
      ...(this.key !== undefined && { Authorization: `Bearer ${this.key}` }),
    };
    const send = async (): Promise<RawAnswer> => {
      const limit = AbortSignal.timeout(this.#timeoutMs);
      const both = signal == null ? limit : AbortSignal.any([limit, signal]);
      const init = { method, headers: withKey, signal: both, ...(body !== undefined && { body }) };
      // A redirect could send the key elsewhere; the service sends none.
      const response = await this.#fetch(url, { ...init, redirect: 'manual' });
      return readAnswer(response, `${method} ${path}`);
    };
    return withRetries(send, this.#rules, signal ?? undefined);
  }
}

interface RequestParts {
  readonly headers: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  readonly body?: string;
}

function addressOf(baseUrl: string): string {
  if (!/^https?:\/\/[^/?#]+/.test(baseUrl))
    throw new Error(`"${baseUrl}" is not the address of a service: it must begin with https:// or http://.`);
  return baseUrl.replace(/\/+$/, '');
}

/** The path with its parameters and its query. @throws Error for a parameter that is missing or empty */
export function filled(path: string, { params = {}, query = {} }: AnyInput = {}): string {
  const values = params as Readonly<Record<string, unknown>>;
  const whole = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined || value === null || value === '')
      throw new Error(`${path} needs the parameter ${name}.`);
    return encodeURIComponent(String(value));
  });
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== null) search.append(name, String(value));
  const text = search.toString();
  if (text === '') return whole;
  return `${whole}${whole.includes('?') ? '&' : '?'}${text}`;
}

/** The newest answers by path, with the tag by which the service knows them. */
class Memory {
  readonly #size: number;
  readonly #answers = new Map<string, { readonly etag: string; readonly answer: RawAnswer }>();

  constructor(size: number) {
    this.#size = size;
  }

  get(path: string) {
    return this.#answers.get(path);
  }

  put(path: string, answer: RawAnswer): void {
    const etag = answer.headers.get('ETag');
    if (this.#size === 0 || etag === null) return;
    this.#answers.delete(path);
    this.#answers.set(path, { etag, answer });
    const [oldest] = this.#answers.keys();
    if (this.#answers.size > this.#size && oldest !== undefined) this.#answers.delete(oldest);
  }
}
