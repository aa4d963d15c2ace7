// The end of every request: an answer or, of whatever was thrown, its error goes out; it is counted, measured and logged.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { UsageCounter } from '../access/usage.ts';
import type { Log } from '../data/snapshot-host.ts';
import type { Endpoint } from '../define/endpoint.ts';
import type { RequestMetrics } from '../metrics/request-metrics.ts';
import { errorAnswer } from './error-response.ts';
import { failureOf } from './failure-of.ts';
import { hasBody } from './guard.ts';
import { type Answer, sendAnswer } from './rendered-response.ts';
import type { Asked, Reception } from './request-gate.ts';
import type { Outcome } from './routing.ts';
import type { SlowReaders } from './slow-readers.ts';

export interface ResponderDeps {
  readonly reception: Reception;
  readonly requests: RequestMetrics;
  readonly usage: UsageCounter;
  readonly slowReaders: SlowReaders;
  readonly log: Log;
  readonly nowMs: () => number;
  readonly steadyMs: () => number;
  readonly docsUrl: () => string;
}

export interface Made {
  readonly answer: Answer;
  readonly asked: Asked;
  readonly endpoint: Endpoint | undefined;
}

export class Responder {
  readonly #deps: ResponderDeps;

  constructor(deps: ResponderDeps) {
    this.#deps = deps;
  }

  sendOutcome(request: IncomingMessage, response: ServerResponse, outcome: Outcome): void {
    const asked = this.#deps.reception.ask(request);
    const { endpoint } = outcome;
    const answer = outcome.answer ?? this.#errorAnswer(request, asked, outcome);
    // What is left of a body that nobody read would be taken for the next request.
    if (hasBody(request) && !request.complete) response.shouldKeepAlive = false;
    if (response.headersSent) response.destroy();
    else this.send(request, response, { answer, asked, endpoint });
  }

  send(request: IncomingMessage, response: ServerResponse, { answer, asked, endpoint }: Made): void {
    const { reception, slowReaders, usage, requests, log, nowMs, steadyMs } = this.#deps;
    sendAnswer(request, response, answer, reception.ownLines(request, asked));
    slowReaders.watch(response, nowMs);
    const { admission, at } = asked;
    const { key } = admission.caller;
    if (key !== undefined) usage.count(key.org, at.nowMs);
    const seconds = (steadyMs() - at.steadyMs) / 1000;
    const status = response.statusCode;
    requests.record(endpoint?.path ?? 'none', status, seconds);
    log.debug?.({ ...factsOf(request, asked), status, seconds }, 'answered');
  }

  #errorAnswer(request: IncomingMessage, asked: Asked, { endpoint, thrown }: Outcome): Answer {
    const { requestId } = asked;
    const failure = failureOf(thrown);
    if (failure.cause !== undefined)
      this.#deps.log.error({ err: failure.cause, ...factsOf(request, asked) }, 'request failed');
    return errorAnswer(failure, { requestId, docsUrl: this.#deps.docsUrl(), endpoint });
  }
}

/** What a log line says of a request: the path without its query, which may hold a token, and the key by its id. */
function factsOf({ method, url = '' }: IncomingMessage, { requestId, admission }: Asked): object {
  const { key } = admission.caller;
  return { method, path: url.split('?', 1)[0], request_id: requestId, key_id: key?.id, org: key?.org };
}
