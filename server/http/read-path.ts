// Answers that need no routing: a map from request target to a prepared answer, looked into before Koa and replaced as a whole when
// a new version arrives. An answer is made at its first request, by the same functions as everywhere else.

import { type Endpoint, pathOf, type Reply } from '../define/endpoint.ts';
import { readingInput } from '../define/reading-input.ts';
import type { Services } from '../define/services.ts';
import { renderReply } from './render-reply.ts';
import type { RenderedResponse } from './rendered-response.ts';

/** The same for every caller that its endpoint lets in. */
export class PreparedResponse {
  readonly endpoint: Endpoint;
  readonly #services: Services;
  readonly #params: Readonly<Record<string, unknown>>;
  #reply: Reply | undefined;
  /** Unix milliseconds of what the answer's age counts from; undefined when it tells no age. */
  #computedMs: number | undefined;
  #answer: RenderedResponse | undefined;
  /** When the answer tells an age, it holds for this second only. */
  #second = -1;

  constructor(endpoint: Endpoint, params: Readonly<Record<string, unknown>>, services: Services) {
    this.endpoint = endpoint;
    this.#params = params;
    this.#services = services;
  }

  answer(): RenderedResponse {
    if (this.#answer !== undefined && this.#computedMs === undefined) return this.#answer;
    const nowMs = this.#services.nowMs();
    this.#reply ??= this.#ask();
    const second = this.#computedMs === undefined ? 0 : Math.floor((nowMs - this.#computedMs) / 1000);
    if (this.#answer === undefined || second !== this.#second) {
      this.#second = second;
      this.#answer = renderReply(this.endpoint, this.#reply, nowMs);
    }
    return this.#answer;
  }

  #ask(): Reply {
    const reply = this.endpoint.handle(readingInput(this.#params), this.#services);
    if (reply instanceof Promise)
      throw new Error(`endpoint ${this.endpoint.path}: a prepared answer cannot wait`);
    if (reply.about !== undefined) this.#computedMs = Date.parse(reply.about.computed_at);
    return reply;
  }
}

export type ReadPath = ReadonlyMap<string, PreparedResponse>;

/** Every answer that the endpoints can prepare from the version that `services` now hold. */
export function prepareReadPath(endpoints: readonly Endpoint[], services: Services): ReadPath {
  const paths = new Map<string, PreparedResponse>();
  for (const endpoint of endpoints) {
    for (const params of endpoint.prepare?.(services) ?? []) {
      paths.set(pathOf(endpoint, params), new PreparedResponse(endpoint, params, services));
    }
  }
  return paths;
}
