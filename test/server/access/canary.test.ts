// Sends a canary key to every endpoint. Afterwards it must not be found anywhere except with its sender.
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import type { RunningServer } from '../../../server/deps.ts';
import { ENDPOINTS } from '../../../server/endpoints.ts';
import { freePort } from '../../support/free-port.ts';
import { addKey, openTestStore, type TestStore } from '../../support/ops-store.ts';
import { ask, requestOf } from '../http/error-recipes.ts';
import { ServerFixture } from '../server-fixture.ts';

/** In the query of the address of a webhook. */
const ADDRESS = 'canary-of-address';

let fixture: ServerFixture;
let ops: TestStore;
beforeEach(async () => {
  fixture = await ServerFixture.create();
  await fixture.publish();
  ops = await openTestStore();
});
afterEach(async () => {
  await fixture.remove();
  await ops.remove();
});

function* bytesBelow(folder: string): Generator<readonly [path: string, bytes: Buffer]> {
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile()) yield [path, readFileSync(path)];
  }
}

/** A stream that the key of its address opens, as browsers do it. */
async function openStreamByAddress(url: string, key: string): Promise<void> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/v2/ws/risk-events?token=${key}`);
  await once(socket, 'open');
  socket.close();
  await once(socket, 'close');
}

/** Every endpoint with the key in every place of a request: texts and headers of the responses. */
async function askEverything(server: RunningServer, key: string): Promise<readonly string[]> {
  const responses: string[] = [];
  const changes = [{}, { method: 'PUT' }, { body: { secret: key } }, { headers: { 'X-Request-ID': key } }];
  for (const endpoint of ENDPOINTS) {
    for (const more of changes) {
      if ('body' in more && endpoint.method === 'GET') continue;
      const answer = await ask(server, requestOf(endpoint, { key, ...more }));
      responses.push(await answer.text(), JSON.stringify([...answer.headers]));
    }
    responses.push(await (await ask(server, { path: `${requestOf(endpoint).path}?token=${key}` })).text());
  }
  return responses;
}

/** Its signing secret. */
async function createWebhook(server: RunningServer, key: string): Promise<string> {
  const draft = { url: `https://93.184.215.14/risk?own=${ADDRESS}`, events: ['peg.depeg.start'] };
  const created = await ask(server, { method: 'POST', path: '/v2/webhooks', body: draft, key });
  const secret = /whsec_([\w+/=-]{20,})/.exec(await created.text())?.[1] ?? '';
  expect([created.status, secret.length > 20]).toEqual([201, true]);
  return secret;
}

test('no response, log line, metric or file contains a key, any useful part of it, or the secret of a webhook', async () => {
  const { text: key } = await addKey(ops.store, 'enterprise');
  const logged: string[] = [];
  const port = await freePort();
  const log = (facts: object, message: string) => logged.push(message + JSON.stringify(facts));
  const server = await fixture.serve({
    anonymousPlan: null,
    store: ops.store,
    log: { debug: log, info: log, warn: log, error: log },
    metrics: { host: '127.0.0.1', port },
  });
  const responses = await askEverything(server, key);
  const signing = await createWebhook(server, key);
  await openStreamByAddress(server.url, key);
  const measured = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  expect(measured).toContain('http_requests_total{');
  await server.stop();
  const secret = key.slice('rk_live_'.length + 4);
  expect(responses.filter((text) => text.includes(secret))).toEqual([]);
  expect(logged.length).toBeGreaterThan(ENDPOINTS.length);
  for (const canary of [secret, signing, ADDRESS])
    expect([...logged, measured].filter((line) => line.includes(canary))).toEqual([]);
  for (const canary of [secret, signing])
    for (const folder of [dirname(ops.path), fixture.dir])
      for (const [path, bytes] of bytesBelow(folder)) expect(bytes.includes(canary), path).toBe(false);
});
