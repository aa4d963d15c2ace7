import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import {
  DateLine,
  headerLines,
  headersOfLines,
  isPreparedHeadSafe,
  type SendHead,
  sendByWriteHead,
  sendPrepared,
  sendsAsNodeDoes,
  sendWhole,
  statusLine,
} from '../../../server/replies/send-head.ts';
import { rawHttpToTheEnd } from '../http/raw-http.ts';

const NOON_MS = Date.parse('2026-03-01T12:00:00Z');
const HEADERS = ['ETag', '"a"', 'Date', 'Sun, 01 Mar 2026 12:00:00 GMT', 'X-Name', 'caf\u00e9'];

let server: Server | undefined;
afterEach(() => server?.close());

async function answerTo(bytes: string, listener: RequestListener): Promise<string> {
  server = createServer({ keepAliveTimeout: 0 }, listener);
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const text = await rawHttpToTheEnd(port, bytes);
  server.close();
  return text;
}

const ours = (
  response: ServerResponse,
  status: number,
  body: Buffer | undefined,
  send: SendHead = sendWhole,
): void => {
  const length = body === undefined ? [] : ['Content-Length', `${body.length}`];
  send(response, { status, head: statusLine(status) + headerLines([...HEADERS, ...length]), body });
};

const nodes = (response: ServerResponse, status: number, body: Buffer | undefined): void => {
  const length = body === undefined ? [] : ['Content-Length', `${body.length}`];
  response.writeHead(status, [...HEADERS, ...length]);
  response.end(body);
};

const BODY = Buffer.from('{"a":1}');
const BIG = Buffer.alloc(300_000, 'x');
const asked = (method: string, more = '', version = '1.1') =>
  `${method} / HTTP/${version}\r\nHost: a\r\n${more}\r\n`;

test.each([
  ['a response with a body', asked('GET'), 200, BODY],
  ['an empty body', asked('GET'), 200, Buffer.alloc(0)],
  ['a body larger than a socket takes at once', asked('GET'), 200, BIG],
  ['an error', asked('GET'), 429, BODY],
  ['a status that Node has no name for', asked('GET'), 599, BODY],
  ['the response to HEAD', asked('HEAD'), 200, BODY],
  ['no change', asked('GET'), 304, undefined],
  ['a response that never has a body', asked('POST', 'Content-Length: 0\r\n'), 204, undefined],
  ['the last response of a connection', asked('GET', 'Connection: close\r\n'), 200, BODY],
  ['no change, as the last of a connection', asked('GET', 'Connection: close\r\n'), 304, undefined],
  ['an old client', asked('GET', '', '1.0'), 200, BODY],
  ['an old client with keep-alive', asked('GET', 'Connection: keep-alive\r\n', '1.0'), 200, BODY],
  ['several requests in one packet', asked('GET').repeat(3) + asked('HEAD'), 200, BODY],
])('%s has the same bytes as from Node', async (_name, bytes, status, body) => {
  const expected = await answerTo(bytes, (_request, response) => nodes(response, status, body));
  for (const send of [sendPrepared, sendByWriteHead]) {
    const text = await answerTo(bytes, (_request, response) => ours(response, status, body, send));
    expect(text).toBe(expected);
    expect(text).toContain(`HTTP/1.1 ${status}`);
  }
});

test('responses finished out of order are sent in the order of the requests', async () => {
  const waiting: (() => void)[] = [];
  const text = await answerTo(asked('GET').repeat(3), (_request, response) => {
    const body = Buffer.from(`body ${waiting.length}`);
    waiting.unshift(() => ours(response, 200, body));
    if (waiting.length === 3) for (const send of waiting) send();
  });
  expect(text.match(/body \d/g)).toEqual(['body 0', 'body 1', 'body 2']);
});

test('a response knows that it was sent, and reports when it has finished', async () => {
  const seen: unknown[] = [];
  await answerTo(asked('GET'), (_request, response) => {
    response.on('finish', () => seen.push('finish'));
    ours(response, 200, BODY);
    seen.push(response.headersSent, response.writableEnded, response.statusCode);
  });
  expect(seen).toEqual([true, true, 200, 'finish']);
});

test('the probe finds that this Node accepts prepared heads, and that the fallback equals itself', () => {
  expect(isPreparedHeadSafe()).toBe(true);
  expect(sendsAsNodeDoes(sendPrepared)).toBe(true);
  expect(sendsAsNodeDoes(sendByWriteHead)).toBe(true);
});

const without =
  (...members: readonly string[]): SendHead =>
  (response, whole) => {
    for (const member of members)
      Object.defineProperty(response, member, { get: () => undefined, set: () => undefined });
    sendPrepared(response, whole);
  };

test.each<[string, SendHead]>([
  ['the head is kept elsewhere', without('_header')],
  ['whether there is a body is kept elsewhere', without('_hasBody')],
  [
    'the end of the connection is not signalled',
    (response, whole) => {
      response.shouldKeepAlive = true;
      sendPrepared(response, whole);
    },
  ],
  [
    'setting a member throws',
    () => {
      throw new TypeError('frozen');
    },
  ],
])('the probe finds a Node in which %s', (_name, send) => {
  expect(sendsAsNodeDoes(send)).toBe(false);
});

test('the lines of a head parse back to the headers they were built from', () => {
  const headers = ['ETag', '"a: b"', 'Date', 'Sun, 01 Mar 2026 12:00:00 GMT', 'X-Empty', ''];
  expect(headersOfLines(statusLine(200) + headerLines(headers))).toEqual(headers);
});

test.each([
  [['a b', 'c']],
  [['', 'c']],
  [['A', 'b\r\nSet-Cookie: c']],
  [['A', 'b\nc']],
  [['A', '\u0000']],
  [['A', '\u20ac']],
])('a header that would break the head is refused: %j', (headers) => {
  expect(() => headerLines(headers)).toThrow(TypeError);
});

test('the date follows the second of the clock, in whichever direction it steps', () => {
  const date = new DateLine();
  const at = (ms: number) => date.at(NOON_MS + ms);
  expect(at(0)).toBe('Date: Sun, 01 Mar 2026 12:00:00 GMT\r\n');
  expect(at(999)).toBe(at(0));
  expect(at(1_000)).toBe('Date: Sun, 01 Mar 2026 12:00:01 GMT\r\n');
  expect(at(-1)).toBe('Date: Sun, 01 Mar 2026 11:59:59 GMT\r\n');
});
