import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { createServer as createHttpServer, type IncomingHttpHeaders } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it, test, vi } from 'vitest';
import { AddressGuard, type Resolve } from '../../../server/webhooks/address-guard.ts';
import { type Outcome, Sender, type SenderDeps } from '../../../server/webhooks/send.ts';
import { COUNTS } from '../../reliability/counts.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { FAULTS, startFault } from './faulty-receivers.ts';

const LIMITS = { connectMs: 1_000, totalMs: 1_500 };
const BODY = Buffer.from('{"event_id":"01HZX3K9Q4T2V7B8N6M5P1R0SD","data":{"a":1}}');
const HEADERS = ['Content-Type', 'application/json'];
const unknownName: Resolve = async () => {
  throw new Error('no such name');
};

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

type Settings = Partial<SenderDeps> & { resolve?: Resolve; isLoopbackAllowed?: boolean };

function newSender({ resolve = unknownName, isLoopbackAllowed = true, ...deps }: Settings = {}): Sender {
  return new Sender({
    guard: new AddressGuard({ resolve, isLoopbackAllowed }),
    nowMs: Date.now,
    after: (ms, work) => {
      const timer = setTimeout(work, ms);
      return () => clearTimeout(timer);
    },
    connections: 8,
    limits: LIMITS,
    ...deps,
  });
}

function senderOf(settings: Settings = {}): Sender {
  const sender = newSender(settings);
  closers.push(() => sender.close());
  return sender;
}

const postTo = (url: string, endpoint = url) => ({ endpoint, url, headers: HEADERS, body: BODY });

function listen(server: ReturnType<typeof createServer>): Promise<number> {
  closers.push(() => server.close());
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}

describe('a receiver that misbehaves', () => {
  test('more than thirty kinds are covered', () => {
    expect(FAULTS.length).toBeGreaterThan(30);
  });

  it.concurrent.for(FAULTS)('$name ends in an outcome in time', async (fault, { onTestFinished }) => {
    const receiver = await startFault(fault);
    const sender = newSender();
    onTestFinished(() => {
      receiver.stop();
      sender.close();
    });
    const outcome = await sender.send(postTo(receiver.url));
    expect([outcome.status, outcome.error?.code ?? null, outcome.retryAfter]).toEqual([
      fault.status,
      fault.code,
      fault.retryAfter,
    ]);
    expect(outcome.duration_ms).toBeLessThan(LIMITS.totalMs + 1_000);
    expect(Buffer.byteLength(outcome.body ?? '')).toBeLessThanOrEqual(4_096);
  });
});

describe('a receiver that is unreachable', () => {
  it('because nothing listens there', async () => {
    const server = createServer();
    const port = await listen(server);
    await new Promise((resolve) => server.close(resolve));
    const { error } = await senderOf().send(postTo(`http://127.0.0.1:${port}/`));
    expect(error?.code).toBe('connection_refused');
  });

  it('because its name is unknown, or DNS does not respond', async () => {
    const { error } = await senderOf().send(postTo('https://receiver.example.com/'));
    expect(error?.code).toBe('unresolved_name');
    const silent = senderOf({ resolve: () => new Promise(() => undefined) });
    expect((await silent.send(postTo('https://receiver.example.com/'))).error?.code).toBe('timeout');
  });

  it('because it does not speak TLS', async () => {
    const port = await listen(createHttpServer((_, response) => response.end()));
    const { error } = await senderOf().send(postTo(`https://127.0.0.1:${port}/`));
    expect(error?.code).toBe('tls');
  });
});

/** A key and a self-signed certificate for 127.0.0.1 and localhost; undefined without openssl. */
function certificate(): { key: string; cert: string } | undefined {
  const dir = temporaryFolder('certificate');
  const made = spawnSync('openssl', [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'],
    ...['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'],
    ...['-keyout', join(dir, 'key.pem'), '-out', join(dir, 'cert.pem')],
  ]);
  const read = (name: string) => readFileSync(join(dir, name), 'utf8');
  const pair = made.status === 0 ? { key: read('key.pem'), cert: read('cert.pem') } : undefined;
  rmSync(dir, { recursive: true });
  return pair;
}

const pair = certificate();
describe.skipIf(pair === undefined)('over TLS (needs openssl)', () => {
  const start = () => listen(createHttpsServer(pair ?? {}, (_, response) => response.end('thanks')));

  it('delivers where the certificate is trusted', async () => {
    const sender = senderOf({ ca: pair?.cert });
    const outcome = await sender.send(postTo(`https://localhost:${await start()}/`));
    expect(outcome).toMatchObject({ status: 200, error: null, body: 'thanks' });
  });

  it('refuses an untrusted certificate', async () => {
    const { error } = await senderOf().send(postTo(`https://localhost:${await start()}/`));
    expect(error).toEqual({ code: 'tls', message: 'TLS failed: DEPTH_ZERO_SELF_SIGNED_CERT.' });
  });
});

test('the request is a POST with the exact body, without requesting a response encoding', async () => {
  const seen: { headers: IncomingHttpHeaders; method: string | undefined; body: string }[] = [];
  const server = createHttpServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    seen.push({ headers: request.headers, method: request.method, body });
    response.end('ok');
  });
  const port = await listen(server);
  await senderOf().send(postTo(`http://127.0.0.1:${port}/a?b=c`));
  expect(seen).toEqual([
    {
      method: 'POST',
      body: BODY.toString(),
      headers: {
        host: `127.0.0.1:${port}`,
        connection: 'keep-alive',
        'content-type': 'application/json',
        'content-length': String(BODY.length),
      },
    },
  ]);
});

test('proxy environment variables have no effect', async () => {
  const port = await listen(createHttpServer((_, response) => response.end()));
  const names = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'ALL_PROXY', 'NODE_USE_ENV_PROXY'];
  for (const name of names) process.env[name] = name === 'NODE_USE_ENV_PROXY' ? '1' : 'http://127.0.0.1:1';
  closers.push(() => {
    for (const name of names) delete process.env[name];
  });
  expect((await senderOf().send(postTo(`http://127.0.0.1:${port}/`))).status).toBe(200);
});

describe('a name whose addresses change', () => {
  /** A receiver on loopback that must never be reached, with the count of its connections. */
  async function forbiddenReceiver() {
    let connections = 0;
    const server = createServer((socket) => {
      connections++;
      socket.destroy();
    });
    return { port: await listen(server), connections: () => connections };
  }

  it(`never leads to a private address: ${COUNTS.dnsFlips} DNS answers that change between check and connection`, async () => {
    const receiver = await forbiddenReceiver();
    let asked = 0;
    // TEST-NET is refused by the check, so this uses a public address that does not respond in time.
    const resolve: Resolve = async () => (asked++ % 2 === 0 ? ['198.41.0.4'] : ['127.0.0.1']);
    const sender = senderOf({ resolve, isLoopbackAllowed: false });
    const url = `https://receiver.example.com:${receiver.port}/`;
    const codes = new Map<string, number>();
    for (let attempt = 0; attempt < COUNTS.dnsFlips; attempt++) {
      const { error } = await sender.send(postTo(url, String(attempt)));
      codes.set(error?.code ?? '', (codes.get(error?.code ?? '') ?? 0) + 1);
    }
    expect(Object.fromEntries(codes)).toEqual({ blocked_url: COUNTS.dnsFlips });
    expect(receiver.connections()).toBe(0);
    expect(asked).toBe(COUNTS.dnsFlips * 2);
  });

  it('is resolved again although a connection is still open', async () => {
    const port = await listen(createHttpServer((_, response) => response.end()));
    const answers = [['127.0.0.1'], ['127.0.0.1'], ['10.0.0.1']];
    const sender = senderOf({ resolve: async () => answers.shift() ?? [] });
    const url = `https://receiver.example.com:${port}/`;
    expect((await sender.send(postTo(url, 'one'))).error?.code).toBe('tls');
    expect((await sender.send(postTo(url, 'one'))).error?.code).toBe('blocked_url');
  });
});

test('an attempt ends in time however late timers fire, and whatever happens to the clock', async () => {
  const server = createServer(() => undefined);
  const url = `http://127.0.0.1:${await listen(server)}/`;
  let [steadyMs, clockMs] = [0, 1_000_000];
  const timers: (() => void)[] = [];
  const sender = senderOf({
    nowMs: () => clockMs,
    steadyMs: () => steadyMs,
    after: (_, work) => {
      timers.push(work);
      return () => undefined;
    },
  });
  let outcome: Outcome | undefined;
  const sent = sender.send(postTo(url)).then((ended) => {
    outcome = ended;
  });
  const next = () => {
    timers.shift()?.();
    return new Promise((resolve) => setImmediate(resolve));
  };
  clockMs -= 3_600_000;
  steadyMs = LIMITS.totalMs - 1;
  await next();
  expect(outcome).toBeUndefined();
  steadyMs = LIMITS.totalMs;
  await next();
  await sent;
  expect(outcome).toMatchObject({ status: null, error: { code: 'timeout' }, duration_ms: 0 });
});

test('an attempt whose time is up before it got a connection is not sent later', async () => {
  let [requests, steadyMs] = [0, 0];
  const port = await listen(
    createHttpServer((_, response) => {
      requests++;
      if (requests !== 2) response.end();
    }),
  );
  const sender = senderOf({ connections: 1, steadyMs: () => steadyMs });
  const url = `http://127.0.0.1:${port}/`;
  const sent = Promise.all([1, 2, 3].map(() => sender.send(postTo(url))));
  await vi.waitFor(() => expect(requests).toBe(2));
  steadyMs = LIMITS.totalMs;
  expect((await sent).map(({ error }) => error?.code ?? null)).toEqual([null, 'timeout', 'timeout']);
  await sender.send(postTo(url, 'other'));
  expect(requests).toBe(3);
});
