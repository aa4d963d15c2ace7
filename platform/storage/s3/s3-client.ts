// Signed requests to one bucket: time limits, retries with jitter, and a clock that follows the store's.
import { Readable } from 'node:stream';
import { AwsV4Signer } from 'aws4fetch';
import { type Agent, request as send } from 'undici';
import { sha256HexOf } from '../canonical.ts';
import type { S3Location } from './location.ts';
import { refused, StoreError } from './store-error.ts';

export interface S3Request {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'DELETE';
  /** Empty for the bucket itself. */
  readonly key: string;
  readonly query?: { readonly [name: string]: string };
  readonly headers?: { readonly [name: string]: string };
  readonly chunks?: readonly Uint8Array[];
  /** Status codes, in addition to 2xx, that the caller handles. */
  readonly expected?: readonly number[];
}

export interface S3Response {
  readonly status: number;
  readonly headers: { readonly [name: string]: string | undefined };
  readonly body: Buffer;
  /** An earlier attempt got no response, so it may have succeeded. */
  readonly isRepeated: boolean;
}

export interface S3Effects {
  readonly agent: Agent;
  readonly nowMs: () => number;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly wait: (ms: number) => Promise<void>;
}

export interface S3Limits {
  /** Attempts in total. */
  readonly tries: number;
  readonly baseMs: number;
  readonly capMs: number;
  /** Maximum time without a byte from the store. */
  readonly timeoutMs: number;
  /** Names in one page of a listing. */
  readonly pageKeys: number;
}

export const S3_LIMITS: S3Limits = {
  tries: 5,
  baseMs: 100,
  capMs: 5_000,
  timeoutMs: 20_000,
  pageKeys: 1_000,
};
const MAX_RETRY_AFTER_MS = 30_000;

export class S3Client {
  readonly #location: S3Location;
  readonly #effects: S3Effects;
  readonly #limits: S3Limits;
  /** How far the store's clock is ahead of this machine's. */
  #aheadMs = 0;

  constructor(location: S3Location, effects: S3Effects, limits = S3_LIMITS) {
    this.#location = location;
    this.#effects = effects;
    this.#limits = limits;
  }

  get pageKeys(): number {
    return this.#limits.pageKeys;
  }

  get prefix(): string {
    return this.#location.prefix;
  }

  nameOf = (key: string): string =>
    `s3://${this.#location.bucket}/${this.#location.prefix}${key}`.replace(/\/$/, '');

  /** @throws StoreError after the last attempt. */
  async call(request: S3Request): Promise<S3Response> {
    let isRepeated = false;
    for (let attempt = 1; ; attempt++) {
      try {
        return { ...(await this.#once(request)), isRepeated };
      } catch (error) {
        if (!(error instanceof StoreError) || error.fault !== 'network' || attempt >= this.#limits.tries)
          throw error;
        isRepeated = true;
        await this.#effects.wait(this.#waitBefore(attempt, error.retryAfterMs));
      }
    }
  }

  #waitBefore(attempt: number, retryAfterMs: number | null): number {
    const { baseMs, capMs } = this.#limits;
    const spread = this.#effects.random() * Math.min(capMs, baseMs * 2 ** attempt);
    return retryAfterMs === null ? spread : Math.min(retryAfterMs, MAX_RETRY_AFTER_MS) + spread;
  }

  async #once(request: S3Request): Promise<Omit<S3Response, 'isRepeated'>> {
    const response = await this.#exchange(request);
    const { status, headers } = response;
    if (status >= 200 && status < 300) return response;
    const { code, message } = parseError(response.body.toString());
    if (request.expected?.includes(status) && code !== 'NoSuchBucket') return response;
    const what = `${request.method} ${this.nameOf(request.key)}`;
    if (code === 'RequestTimeTooSkewed' && this.#follow(headers['date']))
      throw new StoreError('network', `${what}: the clocks differ (${message}).`, { retryAfterMs: 0 });
    // Two writers at the same moment: the store asks for a retry.
    if (status === 409 && code !== 'BucketAlreadyExists')
      throw new StoreError('network', `${what}: another write is under way (${code}).`);
    throw refused(what, { status, code, message, retryAfterMs: secondsToMs(headers['retry-after']) });
  }

  /** Follows the store's clock; true if its time was not known before. */
  #follow(date: string | undefined): boolean {
    const ms = Date.parse(date ?? '') - this.#effects.nowMs();
    if (Number.isNaN(ms) || Math.abs(ms - this.#aheadMs) < 60_000) return false;
    this.#aheadMs = ms;
    return true;
  }

  async #exchange({
    method,
    key,
    query,
    headers,
    chunks,
  }: S3Request): Promise<Omit<S3Response, 'isRepeated'>> {
    const { timeoutMs } = this.#limits;
    const url = this.#urlOf(key, query);
    const bytes = chunks?.reduce((sum, chunk) => sum + chunk.length, 0) ?? 0;
    const signed = await this.#signed(method, url, {
      ...headers,
      'x-amz-content-sha256': sha256HexOf(chunks ?? []),
    });
    try {
      const response = await send(url, {
        method,
        headers: chunks === undefined ? signed : { ...signed, 'content-length': String(bytes) },
        body: bytes === 0 ? null : Readable.from(chunks ?? []),
        dispatcher: this.#effects.agent,
        headersTimeout: timeoutMs,
        bodyTimeout: timeoutMs,
      });
      const body = Buffer.from(await response.body.arrayBuffer());
      return { status: response.statusCode, headers: plainHeaders(response.headers), body };
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message || cause.name : String(cause);
      throw new StoreError('network', `${method} ${this.nameOf(key)}: no response (${reason}).`, { cause });
    }
  }

  #urlOf(key: string, query: S3Request['query'] = {}): string {
    const path = key === '' ? '' : `${this.#location.prefix}${key}`.split('/').map(encoded).join('/');
    const search = Object.entries(query).map(([name, value]) => `${encoded(name)}=${encoded(value)}`);
    return `${this.#location.url}/${path}${search.length === 0 ? '' : `?${search.join('&')}`}`;
  }

  async #signed(
    method: string,
    url: string,
    headers: { readonly [name: string]: string },
  ): Promise<Record<string, string>> {
    const now = new Date(this.#effects.nowMs() + this.#aheadMs).toISOString();
    const { credentials, region } = this.#location;
    const signer = new AwsV4Signer({
      ...credentials,
      method,
      url,
      headers,
      service: 's3',
      region,
      datetime: now.replace(/\.\d+|[-:]/g, ''),
      allHeaders: true,
    });
    return Object.fromEntries((await signer.sign()).headers);
  }
}

const encoded = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);

const plainHeaders = (headers: NodeJS.Dict<string | string[]>): S3Response['headers'] =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value?.toString()]));

function secondsToMs(text: string | undefined): number | null {
  const seconds = Number(text ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1_000 : null;
}

// Reads the few elements that are needed from S3's XML responses. Names in listings are URL-encoded, as requested.

export interface Listing {
  readonly keys: readonly string[];
  /** Common prefixes. */
  readonly prefixes: readonly string[];
  /** Null on the last page. */
  readonly next: string | null;
}

export function parseListing(xml: string): Listing {
  const inside = (element: string, name: string) =>
    [...xml.matchAll(new RegExp(`<${element}>(.*?)</${element}>`, 'gs'))].map(([, text = '']) =>
      nameIn(textOf(text, name)),
    );
  const isTruncated = textOf(xml, 'IsTruncated') === 'true';
  return {
    keys: inside('Contents', 'Key'),
    prefixes: inside('CommonPrefixes', 'Prefix'),
    next: isTruncated ? textOf(xml, 'NextContinuationToken') : null,
  };
}

const parseError = (xml: string): { readonly code: string; readonly message: string } => ({
  code: textOf(xml, 'Code'),
  message: textOf(xml, 'Message'),
});

const textOf = (xml: string, name: string): string =>
  plain(new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1] ?? '');

const ENTITIES: { readonly [name: string]: string } = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };

const plain = (text: string): string =>
  text.replace(/&(?:(lt|gt|quot|apos|amp)|#(\d+)|#x([0-9a-fA-F]+));/g, (whole, name, decimal, hex) => {
    if (name !== undefined) return ENTITIES[name] ?? '';
    const point = Number.parseInt(decimal ?? hex, hex ? 16 : 10);
    return point <= MAX_CODE_POINT ? String.fromCodePoint(point) : whole;
  });

const MAX_CODE_POINT = 0x10_ff_ff;

function nameIn(encoded: string): string {
  try {
    return decodeURIComponent(encoded.replaceAll('+', '%20'));
  } catch (cause) {
    throw new StoreError(
      'answer',
      `A listing has a name that is not URL-encoded: ${encoded.slice(0, 200)}.`,
      {
        cause,
      },
    );
  }
}
