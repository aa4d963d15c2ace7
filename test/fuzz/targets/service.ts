// A running server: any client decides what comes over a connection.
import type { RunningServer } from '../../../server/deps.ts';
import { rawHttpToTheEnd } from '../../server/http/raw-http.ts';
import { eventCandidate, ServerFixture } from '../../server/server-fixture.ts';
import { ATTACKS } from '../../server/stream/frame-attacks.ts';
import { clientFrame, openRaw } from '../../server/stream/raw-client.ts';
import { demand, type FuzzTarget } from '../fuzz-target.ts';

interface Service {
  readonly fixture: ServerFixture;
  readonly server: RunningServer;
  readonly key: string;
}

let started: Promise<Service> | undefined;

/** Stops the server and removes its folders. */
export const close = async (): Promise<void> => void (await (await started)?.fixture.remove());

/** One for all targets. */
function service(): Promise<Service> {
  started ??= start();
  return started;
}

async function start(): Promise<Service> {
  const fixture = await ServerFixture.create();
  await fixture.append([eventCandidate(0), eventCandidate(1)]);
  await fixture.publish();
  const key = await fixture.key('enterprise', { limits: { requests_per_minute: 1_000_000 } });
  return { fixture, key, server: await fixture.serve() };
}

/** No request may make the server report a fault of its own. */
function demandNoFault({ fixture }: Service): void {
  const fault = fixture.logged.find((line) => line.includes('request failed'));
  fixture.logged.length = 0;
  demand(fault === undefined, `the server reports: ${fault?.slice(0, 400)}`);
}

const STATUS = /^HTTP\/1\.1 ([1-5]\d\d) /;

async function sendBytes(input: Buffer): Promise<void> {
  const running = await service();
  const text = await rawHttpToTheEnd(running.server.port, input);
  const status = Number(STATUS.exec(text)?.[1] ?? 0);
  demand(text === '' || status > 0, `a response of another form: ${JSON.stringify(text.slice(0, 80))}`);
  demand(status < 500 || status === 503, `status ${status}`);
  demandNoFault(running);
}

async function callAgents(input: Buffer): Promise<void> {
  const running = await service();
  const response = await fetch(`${running.server.url}/mcp`, {
    method: 'POST',
    body: new Uint8Array(input),
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      Authorization: `Bearer ${running.key}`,
    },
  });
  const text = await response.text();
  demand(response.status < 500, `status ${response.status}: ${text.slice(0, 200)}`);
  demandNoFault(running);
}

const CLOSE_CODES = new Set([1000, 1001, 1002, 1003, 1007, 1008, 1009]);
/** A connection that has been sent nothing wrong stays open. */
const SILENCE_MS = 15;

async function sendFrames(input: Buffer): Promise<void> {
  const running = await service();
  const client = await openRaw(running.server.port, running.key);
  client.socket.write(input);
  const silence = new Promise<void>((resolve) => setTimeout(resolve, SILENCE_MS));
  await Promise.race([client.closed, silence]);
  const close = client.frames().find(({ opcode }) => opcode === 8);
  client.socket.destroy();
  const code = close === undefined || close.payload.length < 2 ? 1000 : close.payload.readUInt16BE(0);
  // A client's own code is returned to it.
  demand(CLOSE_CODES.has(code) || (code >= 3_000 && code < 5_000) || code >= 1_010, `close code ${code}`);
  demandNoFault(running);
}

const call = (method: string, params: object) => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
const request = (...lines: string[]) => [...lines, '', ''].join('\r\n');
const HTTP = [
  request('GET /v2/events?limit=2&types=oracle.stale HTTP/1.1', 'Host: a', 'Connection: close'),
  request(
    'GET /v1/oracles/chainlink/pairs HTTP/1.1',
    'Host: a',
    'Accept-Encoding: br',
    'If-None-Match: "a"',
    'Range: bytes=0-9,20-',
  ),
  request(
    'GET /v2/datasets/oracle-pairs?as_of=2026-03-01T12:00:00Z HTTP/1.1',
    'Host: a',
    'X-Request-ID: a',
    'Origin: https://b',
  ),
  `${request('POST /v2/analytics/portfolio HTTP/1.1', 'Host: a', 'Content-Type: application/json', 'Idempotency-Key: a', 'Content-Length: 16')}{"positions":[]}`,
  `${request('POST /v1/webhooks HTTP/1.1', 'Host: a', 'Transfer-Encoding: chunked', 'Content-Type: application/json')}2\r\n{}\r\n0\r\n\r\n`,
  request(
    'GET /v2/ws/risk-events?types=x HTTP/1.1',
    'Host: a',
    'Upgrade: websocket',
    'Connection: Upgrade',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
  ),
];
const operations = () => 50_000_000;

export const TARGETS: readonly FuzzTarget[] = [
  {
    name: 'service/http',
    from: 'any client',
    seeds: HTTP,
    tokens: [
      'HTTP/1.1',
      'Host:',
      'Range: bytes=',
      'Expect: 100-continue',
      'Content-Length:',
      'Authorization: Bearer ',
      '%2e%2e/',
      '/v2/',
      '/v1/',
      '//',
      '\r\n',
    ],
    refuses: [],
    operations,
    run: sendBytes,
  },
  {
    name: 'service/mcp',
    from: 'agents',
    seeds: [
      call('tools/list', {}),
      call('tools/call', { name: 'is_it_usable', arguments: { subject: 'dataset:oracle-pairs' } }),
      call('initialize', {
        protocolVersion: '2025-06-18',
        capabilities: {},
        clientInfo: { name: 'a', version: '1' },
      }),
      call('subscriptions/listen', {}),
    ],
    refuses: [],
    operations,
    run: callAgents,
  },
  {
    name: 'service/stream',
    from: 'clients of the stream',
    seeds: [...ATTACKS.map(([, bytes]) => bytes).filter(({ length }) => length < 600), clientFrame(1, 'x')],
    refuses: [],
    operations,
    run: sendFrames,
  },
];
