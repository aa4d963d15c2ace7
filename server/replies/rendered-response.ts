// A response ready to be sent: headers and body for each encoding, rendered once and sent any number of times.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { brotliCompress, brotliCompressSync, constants, gzip, gzipSync } from 'node:zlib';
import { oncePer } from '../../platform/base/once-per.ts';
import type { Media } from '../define/endpoint.ts';
import { acceptedEncoding, type Encoding, encodedEtag, isMatchedBy } from './negotiate.ts';
import { headerLines, inOnePiece, sendWhole, statusLine } from './send-head.ts';

/** Compressing fewer bytes saves nothing. */
const MIN_BYTES_TO_COMPRESS = 1_024;
const MAX_BYTES_TO_COMPRESS = 8 * 1_024 * 1_024;
/** Fewer bytes are compressed at once, within about a millisecond; more would hold up all other requests. */
const MAX_BYTES_AT_ONCE = 32 * 1_024;
const GZIP = { level: 6 } as const;
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } } as const;
/** Takes some 100 ms for 64 KB, once per file. */
const BEST_BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 10 } } as const;
const onThread = { gzip: promisify(gzip), br: promisify(brotliCompress) } as const;
/** Compressed bodies, as long as the body lives: a file that is cached is compressed once, for all its responses. */
const compressedForms = oncePer((_: Buffer) => new Map<Encoding, Promise<Buffer>>());

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
  readonly media?: Pick<Media, 'type' | 'isCompact' | 'isLasting'> | undefined;
  /** Whether the body is a file of which clients can request a part. */
  readonly hasRanges?: boolean;
}

interface Form {
  readonly head: string;
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
  readonly #notModified = new Map<Encoding, string>();

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

  /** Compresses a large body off the event loop. Undefined if `form` returns the form for this `Accept-Encoding` at once. */
  compress(acceptEncoding: string | undefined): Promise<void> | undefined {
    const encoding = this.#encodingFor(acceptEncoding);
    if (encoding === 'identity' || this.body.length <= MAX_BYTES_AT_ONCE || this.#forms.has(encoding))
      return undefined;
    return compressedOnThread(this.body, encoding, this.media?.isLasting).then((body) => {
      this.#forms.set(encoding, this.#makeForm(encoding, body));
    });
  }

  /** The form for an `Accept-Encoding` header. A large body that `compress` has not compressed is sent as it is. */
  form(acceptEncoding: string | undefined): Form {
    const encoding = this.#encodingFor(acceptEncoding);
    const isAtOnce = encoding === 'identity' || this.body.length <= MAX_BYTES_AT_ONCE;
    const form = this.#forms.get(encoding);
    if (form !== undefined) return form;
    if (!isAtOnce) return this.form(undefined);
    const made = this.#makeForm(encoding, compressAtOnce(this.body, encoding));
    this.#forms.set(encoding, made);
    return made;
  }

  /** The head of a 304 for an `Accept-Encoding` header; needs no compression. */
  notModifiedHead(acceptEncoding: string | undefined): string {
    const encoding = this.#encodingFor(acceptEncoding);
    let head = this.#notModified.get(encoding);
    if (head === undefined) {
      head =
        this.status === 204
          ? this.#makeForm(encoding, this.body).head
          : inOnePiece(NOT_MODIFIED, this.#headFor(encoding));
      this.#notModified.set(encoding, head);
    }
    return head;
  }

  #encodingFor(acceptEncoding: string | undefined): Encoding {
    return this.#isWorthCompressing() ? acceptedEncoding(acceptEncoding) : 'identity';
  }

  #isWorthCompressing(): boolean {
    const { length } = this.body;
    return (
      this.media?.isCompact !== true && length >= MIN_BYTES_TO_COMPRESS && length <= MAX_BYTES_TO_COMPRESS
    );
  }

  #makeForm(encoding: Encoding, body: Buffer): Form {
    const lines = this.#headFor(encoding);
    if (this.status === 204) return { head: inOnePiece(statusLine(204), lines), body: undefined };
    const ofBody = ['Content-Length', `${body.length}`];
    // Ranges count the bytes of the file, so a compressed form has none.
    if (encoding === 'identity' && this.hasRanges) ofBody.push('Accept-Ranges', 'bytes');
    if (encoding !== 'identity') ofBody.push('Content-Encoding', encoding);
    return { head: inOnePiece(statusLine(this.status), lines, headerLines(ofBody)), body };
  }

  /** The header lines that do not depend on the body. */
  #headFor(encoding: Encoding): string {
    const headers = [...COMMON_HEADERS, ...this.#headers];
    if (this.etag !== undefined) headers.push('ETag', encodedEtag(this.etag, encoding));
    // A 304 needs it too: with `nosniff`, Chromium refuses a stylesheet whose 304 has no Content-Type.
    if (this.status !== 204) headers.push('Content-Type', this.media?.type ?? 'application/json');
    return headerLines(headers);
  }
}

function compressAtOnce(body: Buffer, encoding: Encoding): Buffer {
  if (encoding === 'gzip') return gzipSync(body, GZIP);
  return encoding === 'identity' ? body : brotliCompressSync(body, BROTLI);
}

function compressedOnThread(body: Buffer, encoding: 'gzip' | 'br', isLasting = false): Promise<Buffer> {
  const forms = compressedForms(body);
  let form = forms.get(encoding);
  if (form === undefined) {
    form =
      encoding === 'gzip' ? onThread.gzip(body, GZIP) : onThread.br(body, isLasting ? BEST_BROTLI : BROTLI);
    forms.set(encoding, form);
  }
  return form;
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
  const accepted = headers['accept-encoding'] as string | undefined;
  if (isNotModified(request, rendered)) {
    sendWhole(response, { status: 304, head: rendered.notModifiedHead(accepted) + own, body: undefined });
    return;
  }
  const { head, body } = rendered.form(accepted);
  sendWhole(response, { status, head: head + own, body });
}

/** Whether the client has the response already. */
export const isNotModified = ({ headers }: IncomingMessage, { status, etag }: RenderedResponse): boolean =>
  status === 200 && isMatchedBy(headers['if-none-match'], etag);
