// The shipped configurations of nginx and Caddy in front of real servers, over TLS: what is cached and what is not, limits by the client's
// own address, the stream, the mirror, and servers that are replaced one after the other without a failed request. Only addresses, ports
// and certificates are replaced. Skipped without the program.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { connect, type SecureVersion } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { ProgramRuns } from '../programs/run-program.ts';
import { bareEnvironment } from '../support/bare-environment.ts';
import { endProcess } from '../support/end-process.ts';
import { freePort } from '../support/free-port.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import {
  type Answer,
  ask,
  isThere,
  makeCertificate,
  NAME,
  type ProxyPorts,
  startCaddy,
  startNginx,
} from './start-proxies.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const PROJECT = fileURLToPath(new URL('../../', import.meta.url));
const CONFIG = {
  profile: 'files',
  sources: {
    tvl: {
      table: 'tvl_reading',
      path: 'tvl.csv',
      format: 'csv',
      name: 'Values',
      fields: { protocol: { value: 'p' }, observed_at: { from: 'at', time: 'unix_s' }, tvl_usd: 'usd' },
    },
  },
};

let cwd: string;
let programs: ProgramRuns;
let key: string;
let ports: readonly number[];
const servers = new Map<number, ChildProcess>();

async function startServer(port: number): Promise<void> {
  const flags = ['--config', 'my.json', '--data-dir', 'mine', '--port', String(port), '--metrics-port', '0'];
  const main = join(PROJECT, 'server/main.ts');
  const child = spawn(process.execPath, [main, ...flags, '--trusted-proxies', '127.0.0.1'], {
    cwd,
    env: bareEnvironment(),
    stdio: 'ignore',
  });
  servers.set(port, child);
  const isReady = async () =>
    (await fetch(`http://127.0.0.1:${port}/v1/ready`).catch(() => null))?.ok === true;
  while (!(await isReady())) await wait(50);
}

beforeAll(async () => {
  cwd = temporaryFolder('proxies');
  const now = Math.floor(Date.now() / 1000);
  writeFileSync(join(cwd, 'my.json'), JSON.stringify(CONFIG));
  writeFileSync(join(cwd, 'tvl.csv'), `at,usd\n${now - 600},5000000\n`);
  programs = new ProgramRuns({ cwd, settings: ['--config', 'my.json', '--data-dir', 'mine'] });
  expect((await programs.run('jobs', 'run')).code).toBe(0);
  const made = await programs.run('keys', 'create', '--org', 'acme', '--plan', 'enterprise', '--json');
  ({ key } = JSON.parse(made.out) as { key: string });
  mkdirSync(join(cwd, 'mirror'));
  writeFileSync(join(cwd, 'mirror/status.json'), '{"of":"the mirror"}');
  makeCertificate(cwd);
  ports = [await freePort(), await freePort()];
  await Promise.all(ports.map(startServer));
});
afterAll(() => Promise.all([...servers.values()].map((child) => endProcess(child, 'SIGKILL'))));

async function expectOwnLimits(proxy: ProxyPorts): Promise<void> {
  const counted = (headers: Record<string, string>, from: string) =>
    ask(proxy, '/v1/status', { headers, from });
  const answers: Answer[] = [];
  // Another address in the header changes nothing: the proxy replaces it.
  // Servers without a database in common count alone, so that both must refuse.
  for (let n = 0; n < 600 && answers.at(-1)?.status !== 429; n++)
    answers.push(await counted({ 'X-Forwarded-For': `9.9.9.${n}` }, '127.0.0.1'));
  const last = answers.at(-1);
  expect(last?.status).toBe(429);
  expect(Number(last?.headers['retry-after'])).toBeGreaterThan(0);
  expect((await counted({}, '127.0.0.2')).status).toBe(200);
}

/** Nothing older than TLS 1.2, and HSTS on every response. */
async function expectTransport(proxy: ProxyPorts): Promise<void> {
  expect(await protocolOf(proxy, 'TLSv1.2')).toBe('TLSv1.2');
  expect(await protocolOf(proxy, 'TLSv1.3')).toBe('TLSv1.3');
  for (const version of ['TLSv1', 'TLSv1.1'] as const)
    expect(await protocolOf(proxy, version)).toBe('refused');
  for (const path of ['/v1/status', '/v2/nothing', '/mirror/status.json', '/mirror/nothing'])
    expect((await ask(proxy, path)).headers['strict-transport-security'], path).toBe('max-age=31536000');
}

/** Of a client that speaks only this version, and old ciphers too. */
function protocolOf({ https }: ProxyPorts, version: SecureVersion): Promise<string | null> {
  const ciphers = 'DEFAULT:@SECLEVEL=0';
  const versions = { minVersion: version, maxVersion: version, ciphers };
  const socket = connect({
    host: '127.0.0.1',
    port: https,
    servername: NAME,
    rejectUnauthorized: false,
    ...versions,
  });
  return new Promise((resolve) => {
    socket.once('secureConnect', () => {
      resolve(socket.getProtocol());
      socket.destroy();
    });
    socket.once('error', () => resolve('refused'));
  });
}

async function expectStream({ https }: ProxyPorts): Promise<void> {
  const headers = { Host: NAME, Authorization: `Bearer ${key}` };
  const options = { rejectUnauthorized: false, servername: NAME, headers };
  const socket = new WebSocket(`wss://127.0.0.1:${https}/v2/ws/risk-events`, options);
  await once(socket, 'open');
  socket.ping();
  await once(socket, 'pong');
  socket.close();
  expect((await once(socket, 'close'))[0]).toBe(1005);
}

/** Asks without a break while both servers are replaced. */
async function expectNoneFailed(proxy: ProxyPorts): Promise<void> {
  let isOver = false;
  const statuses: (number | string)[] = [];
  const asking = (async () => {
    while (!isOver) {
      const headers = { Authorization: `Bearer ${key}` };
      const statusOf = (path: string, body?: string) =>
        ask(proxy, path, { headers, ...(body !== undefined && { body }) }).then(
          ({ status }) => status,
          (error: Error) => error.message,
        );
      // A proxy may send the first again to another server, but not the second, which could have had an effect.
      statuses.push(...(await Promise.all([statusOf('/v2/data-manifest'), statusOf('/v2/webhooks', '{}')])));
      // Within the limit of the key.
      await wait(20);
    }
  })();
  for (const port of ports) {
    const child = servers.get(port);
    if (child !== undefined) await endProcess(child, 'SIGTERM');
    await startServer(port);
    // Until the proxy has found it again.
    await wait(1_500);
  }
  isOver = true;
  await asking;
  expect(statuses.length).toBeGreaterThan(50);
  // The empty draft is refused by the service.
  expect(statuses.filter((status) => typeof status === 'string' || status >= 429)).toEqual([]);
  expect(new Set(statuses).size).toBe(2);
}

describe.runIf(isThere('nginx'))('nginx', () => {
  test('caches what is public, and nothing of a key', async () => {
    const proxy = await startNginx({ cwd, ports });
    const path = '/v2/data-manifest';
    const first = await ask(proxy, path);
    expect(first).toMatchObject({ status: 200, headers: { 'x-cache-status': 'MISS' } });
    const second = await ask(proxy, path);
    expect(second).toMatchObject({ status: 200, headers: { 'x-cache-status': 'HIT' }, body: first.body });
    const { etag = '' } = second.headers;
    const known = await ask(proxy, path, { headers: { 'If-None-Match': etag } });
    expect(known).toMatchObject({ status: 304, headers: { 'x-cache-status': 'HIT' }, body: '' });
    const keyed = await ask(proxy, path, { headers: { Authorization: `Bearer ${key}` } });
    expect(keyed.status).toBe(200);
    expect(keyed.headers['x-cache-status']).toBeUndefined();
    expect(keyed.headers['x-ratelimit-limit']).toBeDefined();
    // Those of the caller for whom the cached answer was made.
    for (const name of ['x-ratelimit-remaining', 'x-request-id'])
      expect(second.headers[name]).toBeUndefined();
    const uncached = await ask(proxy, '/v1/status');
    expect(uncached.headers['x-cache-status']).toBe('MISS');
    expect((await ask(proxy, '/v1/status')).headers['x-cache-status']).toBe('MISS');
    for (const one of [first, second, keyed, uncached])
      expect(one.headers['strict-transport-security']).toBe('max-age=31536000');
    expect(await ask(proxy, '/mirror/status.json')).toMatchObject({
      status: 200,
      body: '{"of":"the mirror"}',
    });
    const plain = await fetch(`http://127.0.0.1:${proxy.http}/v1/status?x=1`, { redirect: 'manual' });
    expect(plain.status).toBe(308);
  });

  test('limits each client by its own address, carries the stream, and outlives the replacement of each server', async () => {
    const proxy = await startNginx({ cwd, ports });
    await expectTransport(proxy);
    await expectOwnLimits(proxy);
    await expectStream(proxy);
    await expectNoneFailed(proxy);
  });
});

describe.runIf(isThere('caddy'))('Caddy', () => {
  test('limits each client by its own address, carries the stream, and outlives the replacement of each server', async () => {
    const proxy = await startCaddy({ cwd, ports });
    expect(await ask(proxy, '/mirror/status.json')).toMatchObject({
      status: 200,
      body: '{"of":"the mirror"}',
    });
    await expectTransport(proxy);
    await expectOwnLimits(proxy);
    await expectStream(proxy);
    await expectNoneFailed(proxy);
  });
});
