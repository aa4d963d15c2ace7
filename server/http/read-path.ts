// Responses that need no routing: a map from request target to a prepared response, consulted before Koa and replaced as a whole when a new
// version arrives. A response is rendered at its first request, by the same functions as everywhere else. Pages of lists join them when they
// have been requested once.

import { LRUCache } from 'lru-cache';
import { readingInput } from '../access/reading-input.ts';
import { type Endpoint, pathOf, type Reply } from '../define/endpoint.ts';
import { renderReply } from '../replies/render-reply.ts';
import type { RenderedResponse } from '../replies/rendered-response.ts';
import type { LoadedVersion, Services } from '../services.ts';
import { admitToEndpoint } from './admit-to-endpoint.ts';
import type { Outcome, ReceivedRequest } from './request-gate.ts';

/** Path parameters by name. */
type Params = Readonly<Record<string, string>>;

/** A response that is the same for every caller its endpoint admits. */
export class PreparedResponse {
  readonly endpoint: Endpoint;
  readonly #services: Services;
  readonly #params: Params;
  #reply: Reply | undefined;
  /** Unix milliseconds from which the response's age is counted; undefined if it has no age. */
  #computedMs: number | undefined;
  #rendered: RenderedResponse | undefined;
  /** The second for which a response with an age is valid. */
  #second = -1;

  /** `reply`: the reply of the handler, if it is known. */
  constructor(endpoint: Endpoint, params: Params, services: Services, reply?: Reply) {
    this.endpoint = endpoint;
    this.#params = params;
    this.#services = services;
    if (reply !== undefined) this.#take(reply);
  }

  outcomeFor(received: ReceivedRequest): Outcome {
    const { endpoint } = this;
    try {
      admitToEndpoint(endpoint, received, { params: this.#params, services: this.#services });
      return { endpoint, rendered: this.#render() };
    } catch (thrown) {
      return { endpoint, thrown };
    }
  }

  #render(): RenderedResponse {
    if (this.#rendered !== undefined && this.#computedMs === undefined) return this.#rendered;
    const nowMs = this.#services.nowMs();
    const reply = this.#reply ?? this.#take(this.#handle());
    const second = this.#computedMs === undefined ? 0 : Math.floor((nowMs - this.#computedMs) / 1000);
    if (this.#rendered === undefined || second !== this.#second) {
      this.#second = second;
      this.#rendered = renderReply(this.endpoint, reply, nowMs);
    }
    return this.#rendered;
  }

  #handle(): Reply {
    const reply = this.endpoint.handle(readingInput(this.#params), this.#services);
    if (reply instanceof Promise)
      throw new Error(`Endpoint ${this.endpoint.path}: a prepared response must not be asynchronous.`);
    return reply;
  }

  #take(reply: Reply): Reply {
    if (reply.about !== undefined) this.#computedMs = Date.parse(reply.about.computed_at);
    this.#reply = reply;
    return reply;
  }
}

export type PreparedResponses = ReadonlyMap<string, PreparedResponse>;

/** Every response that the endpoints can prepare from the version that `services` currently serve, by request target. */
export function prepareResponses(endpoints: readonly Endpoint[], services: Services): PreparedResponses {
  const prepared = new Map<string, PreparedResponse>();
  for (const endpoint of endpoints) {
    for (const params of endpoint.prepare?.(services) ?? [])
      prepared.set(pathOf(endpoint, params), new PreparedResponse(endpoint, textsOf(params), services));
  }
  return prepared;
}

const textsOf = (params: Readonly<Record<string, unknown>>): Params =>
  Object.fromEntries(Object.entries(params).map(([name, value]) => [name, String(value)]));

/** Bound of the memory for pages of lists, with the rendered and the compressed form of each. */
const MAX_PAGE_BYTES = 64 * 1_024 * 1_024;
const FORMS = 3;

/** A page of a list as its endpoint replied. */
export interface PageReply {
  readonly endpoint: Endpoint;
  readonly params: Params;
  readonly reply: Reply;
  /** The version that was served when the request arrived. */
  readonly version: LoadedVersion | undefined;
}

/** The prepared responses of the served version. */
export class ReadPath {
  readonly #endpoints: readonly Endpoint[];
  #prepared: PreparedResponses = new Map();
  /** Pages of lists by request target, those used last. */
  readonly #pages = new LRUCache<string, PreparedResponse>({ maxSize: MAX_PAGE_BYTES });

  constructor(endpoints: readonly Endpoint[]) {
    this.#endpoints = endpoints;
  }

  get(target: string): PreparedResponse | undefined {
    return this.#prepared.get(target) ?? this.#pages.get(target);
  }

  /** Call this in the same turn of the event loop in which `services` start to serve another version. */
  prepare(services: Services): void {
    this.#prepared = prepareResponses(this.#endpoints, services);
    this.#pages.clear();
  }

  /** Keeps a page for the next request with this target, if it is one of the served version and the same for every caller. */
  keep(target: string, page: PageReply, services: Services): void {
    const { endpoint, params, reply } = page;
    if (!isOfServed(page, services) || endpoint.accessOf !== undefined || reply.isPrivate === true) return;
    if (!Buffer.isBuffer(reply.payload)) return;
    const size = (target.length + reply.payload.length) * FORMS;
    this.#pages.set(target, new PreparedResponse(endpoint, params, services, reply), { size });
  }
}

/** A version may have arrived meanwhile, and a cursor may name an earlier one. */
const isOfServed = ({ endpoint, reply, version }: PageReply, { versions }: Services): boolean =>
  endpoint.list !== undefined &&
  reply.about !== undefined &&
  versions.current === version &&
  version?.dataset(endpoint.list.dataset)?.entry === reply.about;
