// The head of an answer as text, and how an answer goes out with it. Node's own `writeHead` checks and joins every header again for
// every answer, which cost as much as all else the read path does; ours are checked and joined once, when an answer is made.
import { type ServerResponse, STATUS_CODES, validateHeaderName, validateHeaderValue } from 'node:http';

/** What `writeHead` leaves in a response: undocumented, but read by much middleware and as old as Node. head.test.ts holds it to Node's own answers. */
interface Written {
  _header: string;
  _hasBody: boolean;
  _last: boolean;
}

export interface Whole {
  readonly status: number;
  /** Status line and header lines, without `Connection` and the line that ends them. */
  readonly head: string;
  /** Undefined: this status has none. */
  readonly body: Buffer | undefined;
}

export const statusLine = (status: number): string =>
  `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'unknown'}\r\n`;

/**
 * Text that is kept and sent many times in one piece. A sum of strings is a tree to V8, which would be walked at every sending;
 * only `join` makes a string of its own.
 */
export const inOnePiece = (...parts: readonly (string | number)[]): string => parts.join('');

/** A flat list of names and values as lines, each with its end. @throws TypeError on what no header may hold. */
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

/** Sends an answer in one write. Everything in `head` was checked before. */
export function sendWhole(response: ServerResponse, { status, head, body }: Whole): void {
  const written = response as ServerResponse & Written;
  const isLast = !response.shouldKeepAlive;
  response.statusCode = status;
  written._header = head + (isLast ? 'Connection: close\r\n\r\n' : 'Connection: keep-alive\r\n\r\n');
  if (isLast) written._last = true;
  if (body === undefined) written._hasBody = false;
  // A HEAD request has no body to be sent either.
  if (written._hasBody) response.end(body);
  else response.end();
}

/** The `Date` line of answers, made once a second. */
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
