// The shipped configurations of nginx and Caddy while servers are away: nothing is served beyond what the servers said, a request that was not
// answered goes to the next server, and no log has a key. Servers here are stand-ins whose answers live for a second. Skipped without the program.
import { createServer, type RequestListener, type Server } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { ask, isThere, makeCertificate, type RunningProxy, startCaddy, startNginx } from './start-proxies.ts';

vi.setConfig({ testTimeout: 60_000 });

const SECRET = 'rk_live_0123456789abcdef';
/** What the stand-in states: fresh for a second, and for another one while it is renewed. */
const LIFE = 'public, max-age=1, stale-while-revalidate=1';
const LIFE_MS = 2_000;

let cwd: string;
beforeAll(() => {
  cwd = temporaryFolder('outages');
  makeCertificate(cwd);
});

async function standIn(port: number, answer: RequestListener): Promise<Server> {
  const server = createServer((request, response) =>
    request.url === '/v1/ready' ? response.end() : answer(request, response),
  );
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return server;
}

function end(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeAllConnections();
  return closed;
}

/** Accesses of any path, and errors of the stream, with the key of the stream in the address and another one in a header. */
async function expectNoKeyInLogs(start: typeof startNginx): Promise<RunningProxy> {
  const port = await freePort();
  const server = await standIn(port, (_, response) => response.end());
  const proxy = await start({ cwd, ports: [port] });
  const upgrade = { Connection: 'Upgrade', Upgrade: 'websocket', Authorization: `Bearer ${SECRET}` };
  expect((await ask(proxy, `/v2/conditions?token=${SECRET}`)).status).toBe(200);
  await end(server);
  for (const headers of [{}, upgrade]) {
    const { status } = await ask(proxy, `/v2/ws/risk-events?token=${SECRET}&after=01`, { headers });
    expect([502, 503, 504]).toContain(status);
  }
  await wait(200);
  expect(proxy.logged()).not.toContain(SECRET);
  return proxy;
}

/** While one of two servers is away, requests at the same time, also such as may not be sent twice, reach the other. */
async function expectOtherServer(start: typeof startNginx): Promise<void> {
  const ports = [await freePort(), await freePort()];
  await standIn(
    ports[0] ?? 0,
    (request, response) => void request.resume().once('end', () => response.end()),
  );
  const proxy = await start({ cwd, ports });
  // Until the proxy has noticed.
  await wait(1_000);
  const statuses: number[] = [];
  for (let batch = 0; batch < 20; batch++) {
    const asked = Array.from({ length: 10 }, () => ask(proxy, '/v2/webhooks', { body: '{}' }));
    for (const { status } of await Promise.all(asked)) statuses.push(status);
  }
  expect(statuses.filter((status) => status !== 200)).toEqual([]);
}

describe.runIf(isThere('nginx'))('nginx', () => {
  test('while a server is away, the other one gets every request', () => expectOtherServer(startNginx));

  test('a cached answer is gone when its time is over, whether or not a server is there', async () => {
    const port = await freePort();
    let count = 0;
    const countUp: RequestListener = (_, response) =>
      response.writeHead(200, { 'Cache-Control': LIFE }).end(String(++count));
    const server = await standIn(port, countUp);
    const proxy = await startNginx({ cwd, ports: [port] });
    const bodies = async () => (await ask(proxy, '/v2/conditions')).body;
    expect([await bodies(), await bodies()]).toEqual(['1', '1']);
    await wait(2 * LIFE_MS);
    // No one asked meanwhile: the first to ask gets what is true now.
    expect(await bodies()).toBe('2');
    await end(server);
    await wait(2 * LIFE_MS);
    expect((await ask(proxy, '/v2/conditions')).status).toBe(502);
  });

  test('no log has a key', async () => {
    const proxy = await expectNoKeyInLogs(startNginx);
    expect(proxy.logged()).toContain('"GET /v2/ws/risk-events" 502');
  });
});

describe.runIf(isThere('caddy'))('Caddy', () => {
  test('while a server is away, the other one gets every request', () => expectOtherServer(startCaddy));

  test('no log has a key', async () => {
    const proxy = await expectNoKeyInLogs(startCaddy);
    expect(proxy.logged()).toContain('/v2/ws/risk-events');
  });
});
