// The head of a response as text. Node's own `writeHead` validates and joins every header for every response, which cost as much as the
// rest of the read path. Here headers are validated and joined once, when a response is rendered.
import { STATUS_CODES, validateHeaderName, validateHeaderValue } from 'node:http';

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
