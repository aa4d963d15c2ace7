// Sends a canary key to every endpoint. Afterwards it must not be found anywhere except with its sender.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ENDPOINTS } from '../../../server/endpoints.ts';
import { addKey, openTestStore, type TestStore } from '../../support/ops-store.ts';
import { ask, requestOf } from '../http/error-recipes.ts';
import { ServerFixture } from '../server-fixture.ts';

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

test('no response, log line, metric or file contains a key, or any useful part of it', async () => {
  const { text: key } = await addKey(ops.store, 'enterprise');
  const logged: string[] = [];
  const log = (facts: object, message: string) => logged.push(message + JSON.stringify(facts));
  const server = await fixture.serve({
    anonymousPlan: null,
    store: ops.store,
    log: { debug: log, info: log, warn: log, error: log },
    metrics: { host: '127.0.0.1', port: 0 },
  });
  const responses: string[] = [];
  for (const endpoint of ENDPOINTS) {
    for (const more of [
      {},
      { method: 'PUT' },
      { body: { secret: key } },
      { headers: { 'X-Request-ID': key } },
    ]) {
      if ('body' in more && endpoint.method === 'GET') continue;
      const answer = await ask(server, requestOf(endpoint, { key, ...more }));
      responses.push(await answer.text(), JSON.stringify([...answer.headers]));
    }
    responses.push(await (await ask(server, { path: `${requestOf(endpoint).path}?token=${key}` })).text());
  }
  await server.stop();
  const secret = key.slice('rk_live_'.length + 4);
  expect(responses.filter((text) => text.includes(secret))).toEqual([]);
  expect(logged.length).toBeGreaterThan(ENDPOINTS.length);
  expect(logged.filter((line) => line.includes(secret))).toEqual([]);
  for (const folder of [dirname(ops.path), fixture.dir])
    for (const [path, bytes] of bytesBelow(folder)) expect(bytes.includes(secret), path).toBe(false);
});
