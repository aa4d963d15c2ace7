// The head of a response: rendered once as text, and sent by placing it where Node's own `writeHead` would. The members set for this are private to Node.
// A probe compares the bytes with those of `writeHead` once per process; if they differ, every response is written with `writeHead`.
import {
  IncomingMessage,
  ServerResponse,
  STATUS_CODES,
  validateHeaderName,
  validateHeaderValue,
} from 'node:http';
import { Socket } from 'node:net';
import { Writable } from 'node:stream';

export interface WholeResponse {
  readonly status: number;
  /** Status line and header lines, without `Connection` and the terminating empty line. */
  readonly head: string;
  /** Undefined if this status has no body. */
  readonly body: Buffer | undefined;
}

/** Sends a response in one write. Everything in `head` is already validated. */
export type SendHead = (response: ServerResponse, whole: WholeResponse) => void;

/** The members that `writeHead` sets in a response: undocumented, but as old as Node and used by much middleware. */
interface HeadMembers {
  _header: string;
  _hasBody: boolean;
  _last: boolean;
}

export const sendPrepared: SendHead = (response, { status, head, body }) => {
  const written = response as ServerResponse & HeadMembers;
  const isLast = !response.shouldKeepAlive;
  response.statusCode = status;
  written._header = head + (isLast ? 'Connection: close\r\n\r\n' : 'Connection: keep-alive\r\n\r\n');
  if (isLast) written._last = true;
  if (body === undefined) written._hasBody = false;
  // A response to HEAD has no body either.
  if (written._hasBody) response.end(body);
  else response.end();
};

export const sendByWriteHead: SendHead = (response, { status, head, body }) => {
  response.writeHead(status, headersOfLines(head));
  response.end(body);
};

/**
 * The head of a response as text. Node's own `writeHead` validates and joins every header for every response, which cost as much as the
 * rest of the read path. Here headers are validated and joined once, when a response is rendered.
 */
export const statusLine = (status: number): string =>
  `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'unknown'}\r\n`;

/**
 * A flat string, for text that is sent many times. V8 stores concatenated strings as a tree and walks it each time it is sent; only `join`
 * creates a flat string.
 */
export const inOnePiece = (...parts: readonly (string | number)[]): string => parts.join('');

/** Formats a flat list of names and values as terminated lines. @throws TypeError for characters that are invalid in headers. */
export function headerLines(headers: readonly string[]): string {
  const parts: string[] = [];
  for (let at = 0; at < headers.length; at += 2) {
    const [name = '', value = ''] = headers.slice(at, at + 2);
    validateHeaderName(name);
    validateHeaderValue(name, value);
    parts.push(name, ': ', value, '\r\n');
  }
  return inOnePiece(...parts);
}

/** The names and values in a head as a flat list, without the status line. */
export const headersOfLines = (head: string): string[] =>
  head
    .split('\r\n')
    .slice(1, -1)
    .flatMap((line) => {
      const colon = line.indexOf(': ');
      return [line.slice(0, colon), line.slice(colon + 2)];
    });

/** The `Date` line, rebuilt once per second. */
export class DateLine {
  #second = Number.NaN;
  #line = '';

  at(nowMs: number): string {
    const second = Math.floor(nowMs / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#line = inOnePiece('Date: ', new Date(nowMs).toUTCString(), '\r\n');
    }
    return this.#line;
  }
}

const HEAD = statusLine(200) + headerLines(['ETag', '"a"', 'Date', 'Thu, 01 Jan 1970 00:00:00 GMT']);
const BODY = Buffer.from('body');
const withBody = `${HEAD}Content-Length: ${BODY.length}\r\n`;

/** Responses that cover the states that Node keeps about them. */
const PROBES: readonly (readonly [method: string, isKept: boolean, whole: WholeResponse])[] = [
  ['GET', true, { status: 200, head: withBody, body: BODY }],
  ['GET', false, { status: 200, head: withBody, body: BODY }],
  ['HEAD', true, { status: 200, head: withBody, body: BODY }],
  ['GET', true, { status: 304, head: HEAD.replace(statusLine(200), statusLine(304)), body: undefined }],
  ['POST', false, { status: 204, head: HEAD.replace(statusLine(200), statusLine(204)), body: undefined }],
];

/** Whether responses have the same bytes and the same final state as with `writeHead`. */
export function sendsAsNodeDoes(send: SendHead): boolean {
  return PROBES.every(([method, isKept, whole]) => {
    try {
      return sentBy(send, method, isKept, whole) === sentBy(sendByWriteHead, method, isKept, whole);
    } catch {
      return false;
    }
  });
}

/** The bytes that an in-memory response sends, and its state afterwards. */
function sentBy(send: SendHead, method: string, isKept: boolean, whole: WholeResponse): string {
  const chunks: Buffer[] = [];
  const socket = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk);
      done();
    },
  });
  const request = new IncomingMessage(new Socket());
  Object.assign(request, { method, httpVersionMajor: 1, httpVersionMinor: 1 });
  const response = new ServerResponse(request);
  response.shouldKeepAlive = isKept;
  // Only members common to all streams are used.
  response.assignSocket(socket as unknown as Socket);
  send(response, whole);
  const { headersSent, writableEnded, statusCode } = response;
  response.detachSocket(socket as unknown as Socket);
  return JSON.stringify([Buffer.concat(chunks).toString('latin1'), headersSent, writableEnded, statusCode]);
}

let isSafe: boolean | undefined;

/** Whether this version of Node accepts prepared heads; probed once. */
export function isPreparedHeadSafe(): boolean {
  isSafe ??= sendsAsNodeDoes(sendPrepared);
  return isSafe;
}

export const sendWhole: SendHead = (response, whole) =>
  isPreparedHeadSafe() ? sendPrepared(response, whole) : sendByWriteHead(response, whole);
