// The end of every request: sends its response or error, and counts, measures and logs it.
import type { IncomingMessage } from 'node:http';
import type { UsageCounter } from '../access/usage.ts';
import { deprecationHeaders, pathParams } from '../define/deprecation.ts';
import type { Endpoint } from '../define/endpoint.ts';
import { Failure } from '../define/failure.ts';
import type { Log } from '../log.ts';
import type { RequestMetrics } from '../metrics/request-metrics.ts';
import { errorResponse, failureOf } from '../replies/error-response.ts';
import { isMatchedBy } from '../replies/negotiate.ts';
import { isNotModified, RenderedResponse, sendResponse } from '../replies/rendered-response.ts';
import { headerLines } from '../replies/send-head.ts';
import { SERVICE } from '../store/latency-buckets.ts';
import { hasBody } from './guard.ts';
import type { SlowReaders } from './quiet-connections.ts';
import type { Exchange, Outcome, ReceivedRequest, RequestGate } from './request-gate.ts';
import type { RequestSpans } from './request-spans.ts';
import type { ServiceLinks } from './service-links.ts';

const FIRST_ERROR_STATUS = 400;
const GONE = 410;

export interface ResponderDeps {
  readonly requestGate: RequestGate;
  readonly requests: RequestMetrics;
  /** Undefined unless requests are traced. */
  readonly spans: RequestSpans | undefined;
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
    const { requestGate, slowReaders, usage, requests, spans, log, nowMs, steadyMs } = this.#deps;
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
    spans?.record(request, received, { route, status, seconds });
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

// Byte ranges of files (RFC 9110, 14): a single range of the uncompressed form. Several ranges, other units and invalid ranges get the
// whole file, as the standard allows.

const ONE_RANGE = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i;

/**
 * The part of a response that a request asks for, or the whole response.
 * @throws Failure if the range contains no byte of the file
 */
function partOf({ method, headers }: IncomingMessage, whole: RenderedResponse): RenderedResponse {
  if (headers.range === undefined || !whole.hasRanges || method !== 'GET') return whole;
  // A client that has the current file gets 304; a client that has another file needs the whole one.
  if (isMatchedBy(headers['if-none-match'], whole.etag)) return whole;
  const isCurrent = headers['if-range'] === undefined || headers['if-range'] === whole.etag;
  const range = isCurrent ? rangeOf(headers.range, whole.body.length) : 'whole';
  if (range === 'whole') return whole;
  const { first, last } = range;
  return new RenderedResponse({
    status: 206,
    body: whole.body.subarray(first, last + 1),
    etag: whole.etag,
    headers: [...whole.headers, 'Content-Range', `bytes ${first}-${last}/${whole.body.length}`],
    media: whole.media && { ...whole.media, isCompact: true },
    hasRanges: true,
  });
}

function rangeOf(
  header: string,
  length: number,
): { readonly first: number; readonly last: number } | 'whole' {
  const [, from = '', to = ''] = ONE_RANGE.exec(header) ?? [];
  if (from === '' && to === '') return 'whole';
  if (from !== '' && to !== '' && Number(to) < Number(from)) return 'whole';
  const first = from === '' ? Math.max(0, length - Number(to)) : Number(from);
  const last = from === '' || to === '' ? length - 1 : Math.min(Number(to), length - 1);
  if (first <= last) return { first, last };
  throw new Failure(
    'range_not_satisfiable',
    `The file has ${length} bytes, none of them in the range ${header}.`,
    {
      details: { bytes: length },
      headers: ['Content-Range', `bytes */${length}`],
    },
  );
}
