// What came back for a request: the body, and what the service says about its age. Reading refuses what is not an answer of the service.
import type { Agentic } from './api-types.ts';
import { ApiError, InvalidAnswerError } from './errors.ts';

export type Freshness = Agentic['freshness'];
export type QualityGate = Agentic['quality_gate'];

/** The rows or the object of a body; the body itself where there is no envelope. */
export type DataOf<Body> = Body extends { readonly data: infer Data } ? Data : Body;

export interface Answer<Body> {
  readonly data: DataOf<Body>;
  readonly body: Body;
  readonly status: number;
  /** Null where the service states none, such as on paths without an envelope. */
  readonly freshness: Freshness | null;
  /** The time whose data this is, ISO 8601; null where the service states none. */
  readonly asOf: string | null;
  readonly gate: QualityGate | null;
  /** The UTC day that is not over yet, if the answer covers it. */
  readonly partialDay: string | null;
  readonly requestId: string | null;
  /** Whether the service confirmed an earlier answer (status 304) instead of sending it again. */
  readonly isUnchanged: boolean;
  readonly headers: Headers;
}

/** A response whose body was read to its end. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array;
  /** The body if its content type is JSON, and it is readable. */
  readonly json: unknown;
  /** Method and path, for messages. */
  readonly request: string;
}

type Members = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const objectAt = (value: Members | undefined, name: string): Members | undefined => {
  const member = value?.[name];
  return isObject(member) ? member : undefined;
};
const textAt = (value: Members | undefined, name: string): string | null => {
  const member = value?.[name];
  return typeof member === 'string' ? member : null;
};

const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json\b/;
const isSuccess = (status: number): boolean => status >= 200 && status < 300;

/** Reads a response to its end. @throws InvalidAnswerError for a success whose JSON is cut off */
export async function readAnswer(response: Response, request: string): Promise<RawAnswer> {
  const { status, headers } = response;
  const bytes = new Uint8Array(await response.arrayBuffer());
  const raw = { status, headers, bytes, json: undefined, request };
  if (bytes.length === 0 || !JSON_TYPE.test(headers.get('Content-Type') ?? '')) return raw;
  try {
    return { ...raw, json: parsed(new TextDecoder().decode(bytes)) };
  } catch {
    if (isSuccess(status)) throw invalid(raw, 'is not complete: its JSON cannot be read');
    return raw;
  }
}

/** @throws InvalidAnswerError for a body of another content type */
export function answerOf<Body>(raw: RawAnswer, isUnchanged = false): Answer<Body> {
  const body = jsonOf(raw);
  const envelope = isObject(body) ? body : undefined;
  const meta = objectAt(envelope, 'meta');
  const agentic = objectAt(meta, '_agentic');
  const freshness = (objectAt(agentic, 'freshness') ?? null) as Freshness | null;
  return {
    data: (envelope !== undefined && 'data' in envelope ? envelope['data'] : body) as DataOf<Body>,
    body: body as Body,
    status: raw.status,
    freshness,
    asOf: textAt(meta, 'as_of') ?? freshness?.computed_at ?? textAt(envelope, 'as_of'),
    gate: (objectAt(agentic, 'quality_gate') ?? null) as QualityGate | null,
    partialDay: textAt(meta, 'partial_day') ?? raw.headers.get('X-Partial-Day'),
    requestId: raw.headers.get('X-Request-ID'),
    isUnchanged,
    headers: raw.headers,
  };
}

const hasNoBody = ({ status, bytes }: RawAnswer): boolean =>
  status === 204 || (status === 202 && bytes.length === 0);

function jsonOf(raw: RawAnswer): unknown {
  if (raw.json !== undefined || hasNoBody(raw)) return raw.json;
  const type = raw.headers.get('Content-Type') ?? '';
  const problem = type === '' ? 'no content type' : `the content type "${type}"`;
  throw invalid(raw, `has ${problem} and ${raw.bytes.length} bytes instead of JSON`);
}

function invalid({ status, headers, request }: RawAnswer, problem: string): InvalidAnswerError {
  const requestId = headers.get('X-Request-ID');
  const message = `The answer to ${request} ${problem} (status ${status}).`;
  return new InvalidAnswerError(message, { status, requestId });
}

/** Names under which other services of this interface send a member, with the name that the document gives it. */
const OTHER_SPELLINGS: Readonly<Record<string, string>> = {
  mid_level_topic_based_sentiment_distrubution: 'mid_level_topic_based_sentiment_distribution',
  consensus_algorithm: 'validation_mechanism',
};

function parsed(text: string): unknown {
  const others = Object.keys(OTHER_SPELLINGS).filter((name) => text.includes(`"${name}"`));
  if (others.length === 0) return JSON.parse(text);
  return JSON.parse(text, function respell(this: Record<string, unknown>, name, value: unknown) {
    const usual = others.includes(name) ? OTHER_SPELLINGS[name] : undefined;
    if (usual === undefined) return value;
    this[usual] ??= value;
    return undefined;
  });
}

/**
 * The error of a response that is none of success. Three bodies occur: with an object, with a code and with a sentence in `error`; what is in
 * between, such as a proxy, may send anything.
 */
export function apiErrorOf(raw: RawAnswer): ApiError {
  const body = isObject(raw.json) ? raw.json : undefined;
  const inner = objectAt(body, 'error');
  const flat = textAt(body, 'error');
  const isInFlight = flat !== null && textAt(body, 'message') === null;
  const details = objectAt(inner ?? body, 'details') ?? {};
  const requestId =
    raw.headers.get('X-Request-ID') ?? textAt(inner, 'request_id') ?? textAt(details, 'request_id');
  const code = textAt(inner, 'code') ?? (isInFlight ? 'idempotency_in_flight' : (flat ?? 'unknown'));
  const message = textAt(inner, 'message') ?? textAt(body, 'message') ?? flat ?? 'no explanation';
  const about = [raw.request, ...(requestId === null ? [] : [`request ${requestId}`])].join(', ');
  return new ApiError(`${raw.status} ${code}: ${message} (${about})`, {
    status: raw.status,
    code,
    requestId,
    details,
    retryAfterSeconds: retryAfterSeconds(raw.headers),
    documentationUrl: textAt(inner, 'documentation_url'),
  });
}

/** `Retry-After` in seconds; the header may also be a date. */
export function retryAfterSeconds(headers: Headers, nowMs = Date.now()): number | null {
  const text = headers.get('Retry-After')?.trim() ?? '';
  if (/^\d+$/.test(text)) return Number(text);
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - nowMs) / 1_000));
}
