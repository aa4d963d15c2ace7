// The end of every request: sends its response or error, and counts, measures and logs it.
import type { IncomingMessage } from 'node:http';
import type { UsageCounter } from '../access/usage.ts';
import { deprecationHeaders, pathParams } from '../define/deprecation.ts';
import type { Endpoint } from '../define/endpoint.ts';
import type { Log } from '../log.ts';
import type { RequestMetrics } from '../metrics/request-metrics.ts';
import { errorResponse, failureOf } from '../replies/error-response.ts';
import { headerLines } from '../replies/head.ts';
import { isNotModified, type RenderedResponse, sendResponse } from '../replies/rendered-response.ts';
import { SERVICE } from '../store/latency-buckets.ts';
import { partOf } from './byte-range.ts';
import type { Exchange, Outcome } from './exchange.ts';
import { hasBody } from './guard.ts';
import type { ReceivedRequest, RequestGate } from './request-gate.ts';
import type { ServiceLinks } from './service-links.ts';
import type { SlowReaders } from './slow-readers.ts';

const FIRST_ERROR_STATUS = 400;
const GONE = 410;

export interface ResponderDeps {
  readonly requestGate: RequestGate;
  readonly requests: RequestMetrics;
  readonly usage: UsageCounter;
  readonly slowReaders: SlowReaders;
  readonly links: ServiceLinks;
  readonly log: Log;
  readonly nowMs: () => number;
  readonly steadyMs: () => number;
}

export class Responder {
  readonly #deps: ResponderDeps;

  constructor(deps: ResponderDeps) {
    this.#deps = deps;
  }

  respond(exchange: Exchange, outcome: Outcome): void {
    const { request, response } = exchange;
    const rendered = this.#renderedFor(exchange, outcome);
    // The rest of an unread body would be parsed as the next request.
    if (hasBody(request) && !request.complete) response.shouldKeepAlive = false;
    const compression = isNotModified(request, rendered)
      ? undefined
      : rendered.compress(request.headers['accept-encoding'] as string | undefined);
    if (compression === undefined) this.#send(exchange, rendered, outcome);
    else void this.#sendCompressed(exchange, rendered, { outcome, compression });
  }

  /** Waits for the compressed form; without it, the response is sent as it is. */
  async #sendCompressed(
    exchange: Exchange,
    rendered: RenderedResponse,
    { outcome, compression }: { readonly outcome: Outcome; readonly compression: Promise<void> },
  ): Promise<void> {
    try {
      await compression;
    } catch (err) {
      this.#deps.log.warn({ err }, 'a response cannot be compressed');
    }
    this.#send(exchange, rendered, outcome);
  }

  #renderedFor(exchange: Exchange, outcome: Outcome): RenderedResponse {
    if (outcome.rendered === undefined) return this.#errorResponse(exchange, outcome);
    try {
      return partOf(exchange.request, outcome.rendered);
    } catch (thrown) {
      return this.#errorResponse(exchange, { ...outcome, thrown });
    }
  }

  #send(
    { request, response, received }: Exchange,
    rendered: RenderedResponse,
    { endpoint, counted: own }: Outcome,
  ): void {
    const route = own?.route ?? endpoint?.path ?? 'none';
    const { requestGate, slowReaders, usage, requests, log, nowMs, steadyMs } = this.#deps;
    if (response.headersSent) {
      response.destroy();
      return;
    }
    const lines = requestGate.ownLines(request, received);
    sendResponse(request, response, rendered, lines + endingLines(request, rendered, endpoint));
    slowReaders.watch(response, nowMs);
    const { admission, at } = received;
    const { key } = admission.caller;
    const seconds = (steadyMs() - at.steadyMs) / 1000;
    const status = own?.status ?? response.statusCode;
    const counted = { nowMs: at.nowMs, isError: status >= FIRST_ERROR_STATUS, tookMs: seconds * 1_000 };
    if (key !== undefined) usage.count(key.org, counted);
    if (isOfApi(route)) usage.count(SERVICE, counted);
    requests.record(route, status, seconds);
    log.debug?.({ ...factsOf(request, received), ...(own && { route }), status, seconds }, 'responded');
  }

  #errorResponse({ request, received }: Exchange, { endpoint, thrown }: Outcome): RenderedResponse {
    const { log, links } = this.#deps;
    const { requestId } = received;
    const failure = failureOf(thrown);
    if (failure.cause !== undefined)
      log.error({ err: failure.cause, ...factsOf(request, received) }, 'request failed');
    const docsUrl = links.documentationFor(request.headers);
    return errorResponse(failure, { requestId, docsUrl, endpoint });
  }
}

/** The headers of a deprecated path, on every response but a 410, which has them already. */
function endingLines(
  { url = '' }: IncomingMessage,
  { status }: RenderedResponse,
  endpoint: Endpoint | undefined,
): string {
  if (endpoint?.ending === undefined || status === GONE) return '';
  return headerLines(deprecationHeaders(endpoint.ending, pathParams(endpoint.path, url)));
}

/** Whether a route serves data, as opposed to pages and monitoring. */
const isOfApi = (route: string): boolean => /^\/(?:(?:v\d|data|scores)\/|mcp\b)/.test(route);

/** The facts of a request in a log line: the path without its query, which may contain a token, and without a key in the path; and the id of the key. */
function factsOf({ method, url = '' }: IncomingMessage, { requestId, admission }: ReceivedRequest): object {
  const { key } = admission.caller;
  const path = (url.split('?', 1)[0] ?? '').replace(/rk_[a-z]+_\w+/gi, 'rk_…');
  return { method, path, request_id: requestId, key_id: key?.id, org: key?.org };
}
