// Requests to the API, with the key of this tab and for the time that the dashboard shows. Identical concurrent requests share a response.
import { locate } from './origin.ts';
import { apiKey, asOf, onState, refuseKey } from './state.ts';

export interface Answer<T> {
  readonly data: T;
  readonly meta: Meta;
  readonly etag: string | null;
}

/** `meta` of a response; for datasets, the members of `_agentic` are in `meta` itself. */
export interface Meta {
  readonly [name: string]: unknown;
  readonly total?: number;
  readonly cursor?: string | null;
  readonly has_more?: boolean;
}

/** The details of an error, besides its message. */
interface ErrorDetails {
  readonly current_plan?: string;
  /** Lowest first. */
  readonly required_plans?: readonly string[];
  readonly required_scope?: string;
  /** Why data is missing for now. */
  readonly reason?: string;
  /** The oldest time of which there is a version, if an older one was asked for. */
  readonly oldest_as_of?: string;
  /** The wrong members of a request. */
  readonly fields?: readonly { readonly field: string; readonly problem: string }[];
}

interface ErrorParts {
  readonly code?: string;
  readonly status?: number;
  /** Seconds. */
  readonly retryAfter?: number;
  readonly details?: ErrorDetails | undefined;
}

export class ApiError extends Error {
  readonly code: string;
  readonly status: number;
  readonly retryAfter: number;
  readonly details: ErrorDetails;

  constructor(
    message: string,
    { code = 'unreachable', status = 0, retryAfter = 0, details = {} }: ErrorParts = {},
  ) {
    super(message);
    this.code = code;
    this.status = status;
    this.retryAfter = retryAfter;
    this.details = details;
  }
}

export type Params = Readonly<Record<string, string | number | undefined>>;

const WITHOUT_MOMENT = /^\/v1\/|^\/v2\/(event-types|webhooks|simulator)/;

/** The request target, with `as_of` on everything that is published. */
export function target(path: string, params: Params = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(params))
    if (value !== undefined && value !== '') search.set(name, String(value));
  const moment = asOf();
  if (moment !== undefined && !WITHOUT_MOMENT.test(path)) search.set('as_of', moment);
  const text = search.toString();
  return text === '' ? path : `${path}?${text}`;
}

/** Parts of a page that request the same within this time share one request. */
const SHARED_MS = 3_000;
const running = new Map<string, Promise<Answer<unknown>>>();

/** @throws ApiError with a message for the reader */
export function ask<T>(address: string): Promise<Answer<T>> {
  const known = running.get(address);
  if (known !== undefined) return known as Promise<Answer<T>>;
  const asked = receive<T>(address);
  const forget = () => {
    if (running.get(address) === asked) running.delete(address);
  };
  asked.then(() => setTimeout(forget, SHARED_MS), forget);
  running.set(address, asked);
  return asked;
}

onState(() => running.clear());

/** Posts a body. @throws ApiError */
export const send = <T>(address: string, body: unknown): Promise<Answer<T>> => write('POST', address, body);

/** Changes what is there. @throws ApiError */
export const change = <T>(address: string, body: unknown): Promise<Answer<T>> =>
  write('PATCH', address, body);

/** What was read before may have changed. */
const write = <T>(method: string, address: string, body: unknown): Promise<Answer<T>> =>
  receive<T>(address, { method, body: JSON.stringify(body) }).finally(() => running.clear());

async function receive<T>(address: string, init: RequestInit = {}): Promise<Answer<T>> {
  const response = await answerTo(address, init);
  const value = await jsonOf(response);
  locate(value, { address, pointer: '' });
  const { data, meta } = value as { data?: T; meta?: Meta };
  return { data: data ?? (value as T), meta: meta ?? {}, etag: response.headers.get('ETag') };
}

/** The response, if successful. Open data is read again without a key that was refused. @throws ApiError */
export async function answerTo(address: string, init: RequestInit = {}): Promise<Response> {
  const key = apiKey();
  const headers: Record<string, string> = {
    ...(init.body !== undefined && { 'Content-Type': 'application/json' }),
  };
  if (key !== undefined) headers['Authorization'] = `Bearer ${key}`;
  const response = await fetch(address, { ...init, headers }).catch(() => {
    throw new ApiError('The service does not respond');
  });
  if (response.ok) return response;
  const error = await errorOf(response);
  if (error.status !== 401 || key === undefined) throw error;
  refuseKey(key, error.message);
  return answerTo(address, init);
}

async function jsonOf(response: Response): Promise<unknown> {
  try {
    return await response.json();
  } catch {
    throw new ApiError('The response could not be read');
  }
}

async function errorOf(response: Response): Promise<ApiError> {
  const { status } = response;
  const body = (await response.json().catch(() => ({}))) as FlatError & { error?: unknown };
  const { error } = body;
  const { code, message, details } =
    typeof error === 'object' && error !== null
      ? (error as FlatError & { code?: string })
      : { code: String(error ?? status), message: body.message, details: body.details };
  const text = (message ?? `The service returned status ${status}`).replace(/\.$/, '');
  const retryAfter = Number(response.headers.get('Retry-After') ?? 0);
  return new ApiError(text, { code: code ?? String(status), status, retryAfter, details });
}

interface FlatError {
  readonly message?: string;
  readonly details?: ErrorDetails;
}

/** Commands that repeat a request outside the page. */
export function commandsFor(
  address: string,
  method = 'GET',
  body?: unknown,
): Readonly<Record<string, string>> {
  const url = location.origin + address;
  const quoted =
    body === undefined
      ? ''
      : ` -H 'Content-Type: application/json' -d '${JSON.stringify(body).replaceAll("'", `'\\''`)}'`;
  const authorization = apiKey() === undefined ? '' : ' -H "Authorization: Bearer $KEY"';
  const header = apiKey() === undefined ? '' : ', headers={"Authorization": f"Bearer {KEY}"}';
  const json = body === undefined ? '' : `, json=${JSON.stringify(body)}`;
  return {
    curl: `curl${method === 'GET' ? '' : ` -X ${method}`}${authorization}${quoted} '${url}'`,
    Python: `import requests\nrequests.${method.toLowerCase()}("${url}"${header}${json}).json()["data"]`,
    ...datasetCommand(url),
  };
}

/** Dataset files can be read by their URL. */
function datasetCommand(url: string): Readonly<Record<string, string>> {
  const [, base, query = ''] = /^(.*\/v2\/datasets\/[a-z0-9-]+)(\?.*)?$/.exec(url) ?? [];
  return base === undefined ? {} : { DuckDB: `SELECT * FROM read_csv('${base}.csv${query}');` };
}
