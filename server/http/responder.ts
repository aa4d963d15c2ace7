// The end of every request: an answer or, of whatever was thrown, its error goes out; it is counted, measured and logged.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { UsageCounter } from '../access/usage.ts';
import type { Log } from '../data/snapshot-host.ts';
import type { Endpoint } from '../define/endpoint.ts';
import type { RequestMetrics } from '../metrics/request-metrics.ts';
import { errorResponse } from './error-response.ts';
import { failureOf } from './failure-of.ts';
import { hasBody } from './guard.ts';
import { type RenderedResponse, sendResponse } from './rendered-response.ts';
import type { ReceivedRequest, RequestGate } from './request-gate.ts';
import type { Outcome } from './routing.ts';
import type { SlowReaders } from './slow-readers.ts';

export interface ResponderDeps {
  readonly requestGate: RequestGate;
  readonly requests: RequestMetrics;
  readonly usage: UsageCounter;
  readonly slowReaders: SlowReaders;
  readonly log: Log;
  readonly nowMs: () => number;
  readonly steadyMs: () => number;
  readonly docsUrl: () => string;
}

export interface Made {
  readonly answer: RenderedResponse;
  readonly received: ReceivedRequest;
  readonly endpoint: Endpoint | undefined;
}

export class Responder {
  readonly #deps: ResponderDeps;

  constructor(deps: ResponderDeps) {
    this.#deps = deps;
  }

  sendOutcome(request: IncomingMessage, response: ServerResponse, outcome: Outcome): void {
    const received = this.#deps.requestGate.ask(request);
    const { endpoint } = outcome;
    const answer = outcome.answer ?? this.#errorResponse(request, received, outcome);
    // What is left of a body that nobody read would be taken for the next request.
    if (hasBody(request) && !request.complete) response.shouldKeepAlive = false;
    if (response.headersSent) response.destroy();
    else this.send(request, response, { answer, received, endpoint });
  }

  send(request: IncomingMessage, response: ServerResponse, { answer, received, endpoint }: Made): void {
    const { requestGate, slowReaders, usage, requests, log, nowMs, steadyMs } = this.#deps;
    sendResponse(request, response, answer, requestGate.ownLines(request, received));
    slowReaders.watch(response, nowMs);
    const { admission, at } = received;
    const { key } = admission.caller;
    if (key !== undefined) usage.count(key.org, at.nowMs);
    const seconds = (steadyMs() - at.steadyMs) / 1000;
    const status = response.statusCode;
    requests.record(endpoint?.path ?? 'none', status, seconds);
    log.debug?.({ ...factsOf(request, received), status, seconds }, 'answered');
  }

  #errorResponse(
    request: IncomingMessage,
    received: ReceivedRequest,
    { endpoint, thrown }: Outcome,
  ): RenderedResponse {
    const { requestId } = received;
    const failure = failureOf(thrown);
    if (failure.cause !== undefined)
      this.#deps.log.error({ err: failure.cause, ...factsOf(request, received) }, 'request failed');
    return errorResponse(failure, { requestId, docsUrl: this.#deps.docsUrl(), endpoint });
  }
}

/** What a log line says of a request: the path without its query, which may hold a token, and the key by its id. */
function factsOf({ method, url = '' }: IncomingMessage, { requestId, admission }: ReceivedRequest): object {
  const { key } = admission.caller;
  return { method, path: url.split('?', 1)[0], request_id: requestId, key_id: key?.id, org: key?.org };
}
