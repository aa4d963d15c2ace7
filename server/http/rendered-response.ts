// A response ready to be sent: headers and body for each encoding, rendered once and sent any number of times.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { Media } from '../define/endpoint.ts';
import { headerLines, inOnePiece, statusLine } from './head.ts';
import { acceptedEncoding, type Encoding, encodedEtag, isMatchedBy } from './negotiate.ts';
import { sendWhole } from './send-head.ts';

/** Compressing fewer bytes saves nothing. */
const MIN_BYTES_TO_COMPRESS = 1_024;
/** Compressing more bytes would block all other requests. */
const MAX_BYTES_TO_COMPRESS = 8 * 1_024 * 1_024;
const GZIP_LEVEL = 6;
const BROTLI_QUALITY = 4;

/** Sent with every response. */
export const COMMON_HEADERS: readonly string[] = ['X-Content-Type-Options', 'nosniff'];

export interface ResponseFacts {
  readonly status: number;
  readonly body: Buffer;
  /** With its quotes, and with `W/` in front if it is weak. */
  readonly etag?: string | undefined;
  /** Flat list of names and values, without length, encoding, ETag and request id. */
  readonly headers: readonly string[];
  /** The media type of a body that is not JSON. */
  readonly media?: Pick<Media, 'type' | 'isCompact'> | undefined;
  /** Whether the body is a file of which clients can request a part. */
  readonly hasRanges?: boolean;
}

interface Form {
  readonly head: string;
  readonly notModifiedHead: string;
  readonly body: Buffer | undefined;
}

const NOT_MODIFIED = statusLine(304);

export class RenderedResponse {
  readonly status: number;
  readonly etag: string | undefined;
  readonly body: Buffer;
  readonly #headers: readonly string[];
  readonly media: ResponseFacts['media'];
  readonly hasRanges: boolean;
  readonly #forms = new Map<Encoding, Form>();
  #plain: Form | undefined;

  constructor(facts: ResponseFacts) {
    this.status = facts.status;
    this.etag = facts.etag;
    this.body = facts.body;
    this.#headers = facts.headers;
    this.media = facts.media;
    this.hasRanges = facts.hasRanges === true;
  }

  get isJson(): boolean {
    return this.media === undefined;
  }

  /** The headers without length, encoding and ETag. */
  get headers(): readonly string[] {
    return this.#headers;
  }

  /** The form for an `Accept-Encoding` header, compressed at the first request that accepts it. */
  form(acceptEncoding: string | undefined): Form {
    const encoding = this.#isWorthCompressing() ? acceptedEncoding(acceptEncoding) : 'identity';
    if (encoding === 'identity') {
      this.#plain ??= this.#makeForm(encoding);
      return this.#plain;
    }
    let form = this.#forms.get(encoding);
    if (form === undefined) {
      form = this.#makeForm(encoding);
      this.#forms.set(encoding, form);
    }
    return form;
  }

  #isWorthCompressing(): boolean {
    const { length } = this.body;
    return (
      this.media?.isCompact !== true && length >= MIN_BYTES_TO_COMPRESS && length <= MAX_BYTES_TO_COMPRESS
    );
  }

  #makeForm(encoding: Encoding): Form {
    const body = compress(this.body, encoding);
    const kept = [...COMMON_HEADERS, ...this.#headers];
    if (this.etag !== undefined) kept.push('ETag', encodedEtag(this.etag, encoding));
    if (this.status === 204) {
      const head = statusLine(204) + headerLines(kept);
      return { head, notModifiedHead: head, body: undefined };
    }
    // A 304 needs it too: with `nosniff`, Chromium refuses a stylesheet whose 304 has no Content-Type.
    kept.push('Content-Type', this.media?.type ?? 'application/json');
    const lines = headerLines(kept);
    const ofBody = ['Content-Length', `${body.length}`];
    // Ranges count the bytes of the file, so a compressed form has none.
    if (encoding === 'identity' && this.hasRanges) ofBody.push('Accept-Ranges', 'bytes');
    if (encoding !== 'identity') ofBody.push('Content-Encoding', encoding);
    return {
      head: inOnePiece(statusLine(this.status), lines, headerLines(ofBody)),
      notModifiedHead: inOnePiece(NOT_MODIFIED, lines),
      body,
    };
  }
}

function compress(body: Buffer, encoding: Encoding): Buffer {
  if (encoding === 'gzip') return gzipSync(body, { level: GZIP_LEVEL });
  if (encoding === 'identity') return body;
  return brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } });
}

/**
 * Sends the response with `own`, the header lines of this request only, or 304 if the client has it, whatever its Cache-Control (decision
 * 39).
 */
export function sendResponse(
  request: IncomingMessage,
  response: ServerResponse,
  rendered: RenderedResponse,
  own: string,
): void {
  const { headers } = request;
  const { status } = rendered;
  const { head, notModifiedHead, body } = rendered.form(headers['accept-encoding'] as string | undefined);
  if (status === 200 && isMatchedBy(headers['if-none-match'], rendered.etag))
    sendWhole(response, { status: 304, head: notModifiedHead + own, body: undefined });
  else sendWhole(response, { status, head: head + own, body });
}
