// Events of a running service on their way to a receiver on this machine.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { LISTEN } from '../../../packages/client/src/cli/listen.ts';
import { readInput } from '../../../packages/client/src/cli/options.ts';
import { verifyWebhook } from '../../../packages/client/src/client.ts';
import type { RunningServer } from '../../../server/deps.ts';
import { makeSecret } from '../../../server/webhooks/sign.ts';
import { eventCandidate, ServerFixture } from '../../server/server-fixture.ts';
import { type ReceivedPost, TestReceiver } from '../../server/webhooks/received.ts';

const PROGRAM = new URL('../../../packages/client/src/cli/main.ts', import.meta.url).pathname;
const SECRET = makeSecret((bytes) => Buffer.alloc(bytes, 5));

let fixture: ServerFixture;
let server: RunningServer;
let receiver: TestReceiver;
let key: string;
beforeEach(async () => {
  fixture = await ServerFixture.create();
  key = await fixture.key('team');
  await append(1);
  server = await serve();
  receiver = await TestReceiver.start();
});
afterEach(async () => {
  receiver.stop();
  await fixture.remove();
});

const serve = (port = 0) => fixture.serve({ anonymousPlan: null, port });

async function append(...numbers: readonly number[]): Promise<readonly string[]> {
  const envelopes = await fixture.append(numbers.map((n) => eventCandidate(n)));
  await fixture.publish();
  return envelopes;
}

const idOf = (envelope = '') => (JSON.parse(envelope) as { event_id: string }).event_id;
const bodies = (posts: readonly ReceivedPost[]) => posts.map(({ body }) => body.toString());

function start(...args: readonly string[]) {
  const stop = new AbortController();
  const reported: string[] = [];
  const where = ['--base-url', server.url, '--key', key, '--forward-to', receiver.url, '--secret', SECRET];
  const output = {
    signal: stop.signal,
    print: (line: string) => void reported.push(line),
    say: () => undefined,
    pauses: { retry: { attempts: 1 }, streamMs: () => 20 },
  };
  const input = readInput(LISTEN, [...where, ...args], {}, output);
  const ended = input === undefined ? Promise.reject(new Error('no input')) : LISTEN.run(input);
  return { reported, ended, stop: () => stop.abort() };
}

test('they arrive as they happen, signed, in the bytes of the log, through a restart of the service', async () => {
  const [first, ...missed] = await append(2, 3, 4);
  await server.refresh();
  const { reported, ended, stop } = start('--since', idOf(first));
  await receiver.until(2);
  const live = await append(5);
  await server.refresh();
  await receiver.until(3);
  const { port } = server;
  await server.stop();
  const meanwhile = await append(6, 7);
  server = await serve(port);
  const posts = await receiver.until(5);
  while (reported.length < 5) await wait(1);
  stop();
  await ended;
  expect(bodies(posts)).toEqual([...missed, ...live, ...meanwhile]);
  for (const delivery of posts)
    expect(await verifyWebhook(delivery, { secrets: [SECRET] })).toEqual(
      JSON.parse(delivery.body.toString()),
    );
  expect(reported[0]).toMatch(/oracle\.stale [0-9A-Z]{26} -> 204$/);
});

test('only those of the types that were asked for', async () => {
  const [first, , ...later] = await append(2, 3, 4, 5, 7);
  await server.refresh();
  const { ended, stop } = start('--since', idOf(first), '--types', 'oracle.feed.invalid');
  const [post] = await receiver.until(1);
  stop();
  await ended;
  expect(post?.body.toString()).toBe(later[0]);
});

test('one that the receiver does not accept is reported, and the next ones follow', async () => {
  receiver.status = 500;
  const { reported, ended, stop } = start('--since', idOf((await append(2))[0]));
  await append(3);
  await server.refresh();
  await receiver.until(1);
  receiver.status = 204;
  await append(4);
  await server.refresh();
  await receiver.until(2);
  while (reported.length < 2) await wait(1);
  stop();
  await ended;
  expect(reported.map((line) => line.split(' -> ')[1])).toEqual(['500', '204']);
});

test('`npm run listen` begins now and ends with Ctrl-C', async () => {
  const args = ['--base-url', server.url, '--key', key, '--forward-to', receiver.url, '--secret', SECRET];
  const child = spawn(process.execPath, [PROGRAM, 'listen', ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const exit = once(child, 'exit');
  const hello = new Promise<void>((resolve) => {
    createInterface(child.stderr).on('line', (line) => line.includes('Connected to the stream') && resolve());
  });
  const printed = once(createInterface(child.stdout), 'line');
  await hello;
  const [envelope] = await append(2);
  await server.refresh();
  expect(bodies(await receiver.until(1))).toEqual([envelope]);
  expect(String((await printed)[0])).toContain(`${idOf(envelope)} -> 204`);
  child.kill('SIGINT');
  expect(await exit).toEqual([0, null]);
});

test('a key that is not good ends it with 1', async () => {
  const args = ['--base-url', server.url, '--key', `rk_live_${'x'.repeat(38)}`, '--forward-to', receiver.url];
  const child = spawn(process.execPath, [PROGRAM, 'listen', ...args], { stdio: 'ignore' });
  expect((await once(child, 'exit'))[0]).toBe(1);
});
