// Classifies a response: data, or the fault that it reports. Rate limits come as 429, as 403 and as errors inside a 200; outages come as
// HTML pages.
import type { HttpResponse, ParsedBody } from './exchange.ts';
import { NetFault, type NetFaultFacts } from './net-fault.ts';
import { parseExactly } from './value-at.ts';

export interface ExpectedResponse {
  readonly format: 'json' | 'ndjson' | 'csv';
  /** Form of the errors inside a 200. */
  readonly protocol: 'plain' | 'graphql' | 'json_rpc';
  /** Whether numbers that JavaScript would change stay text. */
  readonly isExact?: boolean;
}

const RETRIED = new Set([408, 425]);
/** -32005 limit exceeded (EIP-1474), -32029 and -32097…-32090 of providers; 429 as a code. */
const LIMIT_CODES = new Set([-32005, -32029, -32090, -32097, 429]);
/** Errors of a node that the request did not cause. */
const BUSY_CODES = new Set([-32603, -32000, -32002]);
const LIMIT_WORDS = /rate.?limit|too many requests|throttl|quota|capacity|slow down|complexity budget/i;
/** Nodes report a request for too many blocks or logs with the codes of rate limits and of server errors, but a retry cannot help. */
const RANGE_WORDS =
  /block.?range|max results|more than [\d,]+ (results|logs)|response size|limited to a|ranges over|too many blocks/i;
const TROUBLE_WORDS = /internal|timeout|timed out|unavailable/i;
const MAX_QUOTE = 200;

/** Null for data in a format other than JSON. `nowMs` is needed for a Retry-After that is a date. */
export function judgeResponse(
  response: HttpResponse,
  expected: ExpectedResponse,
  nowMs: number,
): NetFault | ParsedBody | null {
  const { status } = response;
  const facts = { status, ...retryAfter(response, nowMs) };
  if (status === 429 || (status === 403 && isLimit(response)))
    return new NetFault('limit', `too many requests (HTTP ${status}).`, facts);
  if (status >= 500 || RETRIED.has(status))
    return new NetFault('server', `HTTP ${status}${quote(response)}.`, facts);
  if (status === 202) return new NetFault('server', 'the response is not ready yet (HTTP 202).', facts);
  // 203 is a whole document that a proxy has changed; 206 and the others are not whole, or are no documents.
  if (status !== 200 && status !== 201 && status !== 203)
    return new NetFault('refused', `HTTP ${status}${quote(response)}.`, {
      ...facts,
      todo: adviceFor(status),
    });
  if (isHtml(response)) return new NetFault('html', 'a web page instead of data.', facts);
  return expected.format === 'json' ? faultInside(response, expected, facts) : null;
}

/** GitHub and others respond with 403 to a rate limit: no remaining requests, a Retry-After, or a text that says so. */
const isLimit = ({ headers, body }: HttpResponse): boolean =>
  headers['x-ratelimit-remaining'] === '0' ||
  headers['retry-after'] !== undefined ||
  /rate limit|abuse detection/i.test(body.start(2_000));

function adviceFor(status: number): string {
  switch (status) {
    case 401:
    case 403:
      return 'Check the key of the source and its permissions';
    case 402:
      return 'The source now requires payment: turn it off, or give it a key';
    case 206:
      return 'The source sends only a part of its document: read it in pages';
    case 404:
    case 410:
      return 'The address has moved: check the documentation of the source and correct the url';
    default:
      return 'Correct the request; `sources check` shows what is sent';
  }
}

/** No service asks for more, and a wrong number must not turn a source off permanently. */
export const MAX_RETRY_AFTER_MS = 86_400_000;

/** From seconds, an HTTP date, or the time at which a rate limit resets: between 0 and a day. */
function retryAfter({ headers }: HttpResponse, nowMs: number): Pick<NetFaultFacts, 'retryAfterMs'> {
  const ms = waitIn(headers, nowMs);
  return Number.isNaN(ms) ? {} : { retryAfterMs: Math.min(Math.max(0, ms), MAX_RETRY_AFTER_MS) };
}

function waitIn(headers: HttpResponse['headers'], nowMs: number): number {
  const given = headers['retry-after']?.trim();
  if (given !== undefined)
    return /^\d+(\.\d+)?$/.test(given) ? Number(given) * 1000 : Date.parse(given) - nowMs;
  const reset = Number(headers['x-ratelimit-reset']);
  if (headers['x-ratelimit-remaining'] !== '0' || !(reset > 1e9)) return Number.NaN;
  return (reset > 1e12 ? reset : reset * 1000) - nowMs;
}

function isHtml({ headers, body }: HttpResponse): boolean {
  const type = headers['content-type'] ?? '';
  return /text\/html|application\/xhtml/.test(type) || /^\s*<(!doctype html|html)/i.test(body.start(200));
}

function quote({ body }: HttpResponse): string {
  const text = body.start(MAX_QUOTE).replaceAll(/\s+/g, ' ').trim();
  return text === '' || text.startsWith('<') ? '' : `: ${text}`;
}

function faultInside(
  { body }: HttpResponse,
  { protocol, isExact = false }: ExpectedResponse,
  facts: NetFaultFacts,
): NetFault | ParsedBody {
  const given = body.text();
  // Some servers begin with a byte order mark.
  const text = given.startsWith('\uFEFF') ? given.slice(1) : given;
  let document: unknown;
  try {
    document = isExact ? parseExactly(text) : JSON.parse(text);
  } catch (cause) {
    const isCut = body.length === 0 || /unexpected end|unterminated/i.test(String(cause));
    return isCut
      ? new NetFault('cut', 'the JSON ends before it is complete.', { ...facts, cause })
      : new NetFault('content', 'the body is not JSON.', { ...facts, cause });
  }
  const fault =
    protocol === 'graphql'
      ? graphqlFault(document, facts)
      : protocol === 'json_rpc'
        ? rpcFault(document, facts)
        : null;
  return fault ?? { text, document };
}

/** What stands in the place of an error: an object with these members, plain text, or anything else. */
interface ErrorEntry {
  readonly code?: unknown;
  readonly message?: unknown;
}

const isObject = (value: unknown): value is ErrorEntry => typeof value === 'object' && value !== null;

/** Objects are not converted: their members, which the server chooses, decide how, and whether that fails. */
const messageOf = (message: unknown): string =>
  isObject(message) || message === undefined ? 'an error without a message' : String(message);

function graphqlFault(document: unknown, facts: NetFaultFacts): NetFault | null {
  const { errors, data } = (document ?? {}) as { errors?: readonly unknown[]; data?: unknown };
  if (Array.isArray(errors) && errors.length > 0) {
    const text = errors
      .map((one) => messageOf(isObject(one) ? one.message : one))
      .join('; ')
      .slice(0, MAX_QUOTE);
    if (LIMIT_WORDS.test(text)) return new NetFault('limit', `GraphQL: ${text}.`, facts);
    if (TROUBLE_WORDS.test(text)) return new NetFault('server', `GraphQL: ${text}.`, facts);
    return new NetFault('refused', `GraphQL: ${text}.`, {
      ...facts,
      todo: 'The schema has changed or the query is wrong: compare the query with the schema of the source',
    });
  }
  return data === undefined || data === null
    ? new NetFault('content', 'a GraphQL response without data.', facts)
    : null;
}

function rpcFault(document: unknown, facts: NetFaultFacts): NetFault | null {
  const responses = [document].flat() as { error?: unknown; result?: unknown }[];
  const failed = responses.find((response) => response?.error !== undefined && response.error !== null);
  if (failed?.error === undefined || failed.error === null) {
    const isWhole =
      responses.length > 0 && responses.every((response) => isObject(response) && 'result' in response);
    return isWhole ? null : new NetFault('content', 'a JSON-RPC response without result or error.', facts);
  }
  const { code: given, message } = isObject(failed.error)
    ? failed.error
    : { code: undefined, message: failed.error };
  const code = isObject(given) ? Number.NaN : Number(given);
  const number = Number.isNaN(code) ? '' : ` ${code}`;
  const text = `JSON-RPC error${number}: ${messageOf(message).slice(0, MAX_QUOTE)}`;
  if (RANGE_WORDS.test(text)) return new NetFault('refused', `${text}.`, facts);
  if (LIMIT_CODES.has(code) || LIMIT_WORDS.test(text)) return new NetFault('limit', `${text}.`, facts);
  return BUSY_CODES.has(code) || (given === undefined && TROUBLE_WORDS.test(text))
    ? new NetFault('server', `${text}.`, facts)
    : new NetFault('refused', `${text}.`, { ...facts, todo: 'Correct the request' });
}
