// One HTTP exchange on undici: returns the whole body or throws a NetFault. Follows redirects within limits; retries nothing.
import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib';
import { type Agent, errors, request as send } from 'undici';
import { NetFault, type NetFaultKind } from './net-fault.ts';

export interface HttpRequest {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers: { readonly [name: string]: string };
  readonly body: string | null;
}

export interface HttpResponse {
  readonly status: number;
  /** Names in lower case; the values of a repeated header are joined by commas. */
  readonly headers: { readonly [name: string]: string };
  /** After decoding of the content encoding. */
  readonly body: ReceivedBody;
  /** Final address, after redirects. */
  readonly url: string;
}

/** The text of a body, and its parsed JSON. */
export interface ParsedBody {
  readonly text: string;
  readonly document: unknown;
}

export interface ExchangeLimits {
  readonly timeoutMs: number;
  /** Maximum size of the body, before and after decoding. */
  readonly maxBytes: number;
  /** Called before each request that follows a redirect. */
  readonly onRedirect?: () => void;
  /** Called with the bytes of each part of a body as it arrives, also if the response turns out to be useless. */
  readonly onBytes?: (bytes: number) => void;
}

export type Exchange = (
  request: HttpRequest,
  limits: ExchangeLimits,
  signal?: AbortSignal,
) => Promise<HttpResponse>;

const MAX_REDIRECTS = 3;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

export function undiciExchange(agent: Agent): Exchange {
  return async (request, limits, signal) => {
    const deadline = AbortSignal.timeout(limits.timeoutMs);
    const either = signal === undefined ? deadline : AbortSignal.any([deadline, signal]);
    let next = request;
    for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
      const response = await once(agent, next, { limits, signal: either, deadline });
      if (!REDIRECTS.has(response.status)) return response;
      next = redirected(next, response);
      limits.onRedirect?.();
    }
    throw new NetFault('redirect', `more than ${MAX_REDIRECTS} redirects from ${new URL(request.url).host}.`);
  };
}

async function once(
  agent: Agent,
  request: HttpRequest,
  {
    limits,
    signal,
    deadline,
  }: { readonly limits: ExchangeLimits; readonly signal: AbortSignal; readonly deadline: AbortSignal },
) {
  const headers = { 'accept-encoding': 'gzip, br', ...request.headers };
  try {
    const response = await send(request.url, {
      method: request.method,
      dispatcher: agent,
      headers,
      body: request.body,
      signal,
      headersTimeout: limits.timeoutMs,
      bodyTimeout: limits.timeoutMs,
    });
    const packed = await readAll(response.body, limits);
    const plainHeaders = headersOf(response.headers);
    const body = unpacked(packed, plainHeaders['content-encoding'], limits.maxBytes);
    return { status: response.statusCode, headers: plainHeaders, body, url: request.url };
  } catch (error) {
    throw faultOf(error, request.url, { deadline, timeoutMs: limits.timeoutMs });
  }
}

async function readAll(
  chunks: AsyncIterable<Uint8Array>,
  { maxBytes, onBytes }: ExchangeLimits,
): Promise<ReceivedBody> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    onBytes?.(chunk.length);
    if (bytes > maxBytes) throw tooLarge(maxBytes);
    parts.push(chunk);
  }
  return new ReceivedBody(parts);
}

const tooLarge = (maxBytes: number) =>
  new NetFault('too_large', `the body is larger than ${maxBytes} bytes.`, {
    todo: 'Raise guards.max_bytes if the source has really grown that much',
  });

function unpacked(packed: ReceivedBody, encoding: string | undefined, maxBytes: number): ReceivedBody {
  if (packed.length === 0 || encoding === undefined || encoding === 'identity') return packed;
  return new ReceivedBody([unpackedBytes(packed.bytes, encoding, maxBytes)]);
}

function unpackedBytes(body: Buffer, encoding: string, maxBytes: number): Buffer {
  const options = { maxOutputLength: maxBytes };
  try {
    switch (encoding.trim().toLowerCase()) {
      case 'gzip':
      case 'x-gzip':
        return gunzipSync(body, options);
      case 'br':
        return brotliDecompressSync(body, options);
      case 'deflate':
        return inflateSync(body, options);
      case 'zstd':
        return zstdDecompressSync(body, options);
      default:
        throw new NetFault('content', 'the body has an unknown content encoding.');
    }
  } catch (cause) {
    if (cause instanceof NetFault) throw cause;
    if ((cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(maxBytes);
    throw new NetFault('cut', 'the compressed body is damaged or cut short.', { cause });
  }
}

const headersOf = (headers: NodeJS.Dict<string | string[]>): HttpResponse['headers'] =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name.toLowerCase(), [value].flat().join(', ')]],
    ),
  );

/** Sends credentials and bodies, which may hold some, only to their own host, and never follows a redirect from https to http. */
function redirected(request: HttpRequest, { status, headers, url }: HttpResponse): HttpRequest {
  const { host } = new URL(url);
  const location = headers['location'];
  if (location === undefined)
    throw new NetFault('redirect', `${host} redirects without a Location.`, { status });
  const { url: to, isTrusted } = destinationOf(location, url, 'redirect');
  const becomesGet = request.method === 'POST' && status !== 307 && status !== 308;
  if (!isTrusted && !becomesGet && request.body !== null)
    throw new NetFault('redirect', `${host} redirects the body of the request to ${to.origin}.`, {
      status,
      todo: 'Correct the url of the source',
    });
  const kept = isTrusted ? request.headers : pick(request.headers, ['accept', 'user-agent', 'content-type']);
  return {
    method: becomesGet ? 'GET' : request.method,
    url: to.href,
    headers: kept,
    body: becomesGet ? null : request.body,
  };
}

const pick = (headers: HttpRequest['headers'], names: readonly string[]) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => names.includes(name.toLowerCase())));

/** `UND_ERR_SOCKET` after the headers means that the other side closed before the end of the body. */
function faultOf(
  error: unknown,
  url: string,
  { deadline, timeoutMs }: { deadline: AbortSignal; timeoutMs: number },
): Error {
  if (error instanceof NetFault) return error;
  const host = new URL(url).host;
  const isTimeout = error instanceof errors.HeadersTimeoutError || error instanceof errors.BodyTimeoutError;
  if (deadline.aborted || isTimeout)
    return new NetFault('timeout', `${host} did not respond within ${timeoutMs} ms.`, { cause: error });
  const code = (error as { code?: string }).code ?? '';
  if (
    code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH' ||
    /terminated|aborted|other side closed/.test(String(error))
  )
    return new NetFault('cut', `${host} closed the connection before the end of the body.`, { cause: error });
  const why = code === '' ? String((error as Error).message ?? error) : code;
  return new NetFault('network', `${host} cannot be reached (${why}).`, { cause: error });
}

// Where an address that a response gives may lead: what follows redirects and what follows pages ask here.

interface Destination {
  readonly url: URL;
  /** Whether credentials may go there: the same host and port, and no less protected. */
  readonly isTrusted: boolean;
}

/** `from` is a complete address. @throws NetFault of that kind for what is no address, or for one that gives up https */
export function destinationOf(given: string, from: string, kind: NetFaultKind): Destination {
  const base = new URL(from);
  const url = URL.canParse(given, from) ? new URL(given, from) : null;
  if (url === null || !['http:', 'https:'].includes(url.protocol))
    throw new NetFault(kind, `${base.host} leads to what is not an http or https address.`);
  if (base.protocol === 'https:' && url.protocol === 'http:')
    throw new NetFault(kind, `${base.host} leads from https to the insecure http://${url.host}.`, {
      todo: 'Correct the url of the source',
    });
  return { url, isTrusted: url.host === base.host };
}

// A received body, in parts. Text is decoded part by part, because joining a large body first costs more than reading it.

export class ReceivedBody {
  readonly length: number;
  readonly #parts: readonly Uint8Array[];
  #whole: Buffer | null = null;

  constructor(parts: readonly Uint8Array[]) {
    this.#parts = parts;
    this.length = parts.reduce((sum, { length }) => sum + length, 0);
  }

  get bytes(): Buffer {
    this.#whole ??= Buffer.concat(this.#parts);
    return this.#whole;
  }

  text(): string {
    const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
    let text = '';
    for (const part of this.#parts) text += decoder.decode(part, { stream: true });
    return text + decoder.decode();
  }

  /** The text of its first bytes. */
  start(length: number): string {
    const first: Uint8Array[] = [];
    let taken = 0;
    for (const part of this.#parts) {
      if (taken >= length) break;
      first.push(part.subarray(0, length - taken));
      taken += part.length;
    }
    return Buffer.concat(first).toString('utf8');
  }
}
