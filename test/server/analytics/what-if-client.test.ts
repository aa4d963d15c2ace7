import { existsSync, mkdirSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { serveWhatIf } from '../../../jobs/commands/serve-what-if.ts';
import { MAX_WHAT_IF_BYTES } from '../../../schemas/what-if.ts';
import { whatIfClient } from '../../../server/analytics/simulator/what-if-client.ts';
import { removeFolder, temporaryFolder } from '../../support/temporary-folder.ts';

let dir: string;
beforeAll(() => {
  dir = temporaryFolder('what-if');
});
afterAll(() => removeFolder(dir));

const QUESTION = { start: 0, from: 0, to: 1, types: ['oracle.stale' as const], rows: {} };
const EVENT = {
  type: 'oracle.stale',
  severity: 'high',
  subject_id: 'feed:a',
  ts: '2026-01-01T00:00:00Z',
  data: {},
};
const after = (ms: number, work: () => void) => {
  const timer = setTimeout(work, ms);
  return () => clearTimeout(timer);
};
const timers = { after, steadyMs: () => performance.now() };
const soon = (ms: number, work: () => void) => after(ms / 200, work);

async function served<T>(reply: string | null, work: (path: string) => Promise<T>): Promise<T> {
  const path = join(dir, 'test.sock');
  const server: Server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', () => reply !== null && socket.write(reply));
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  try {
    return await work(path);
  } finally {
    server.close();
  }
}

test('the events of a reply are returned', async () => {
  const events = await served('{"events":[]}\n', (path) => whatIfClient({ path, ...timers })(QUESTION));
  expect(events).toEqual([]);
});

const refusedWith = (message: RegExp) => ({
  code: 'unavailable',
  message: expect.stringMatching(message),
  headers: ['Retry-After', '5'],
});

test.each<[string, string | null, RegExp]>([
  ['no reply in time', null, /did not answer in time/],
  ['a reply that is not JSON', 'nope\n', /cannot be read/],
  ['an error', '{"error":"too many questions are waiting"}\n', /too many questions are waiting/],
])('%s refuses the run for now', async (_, text, message) => {
  const asked = served(text, (path) =>
    whatIfClient({ path, ...timers, ...(text === null && { after: soon }) })(QUESTION),
  );
  await expect(asked).rejects.toMatchObject(refusedWith(message));
});

test('a missing socket refuses the run, and the message says what to start', async () => {
  for (const path of [join(dir, 'absent.sock'), `/${'x'.repeat(200)}/absent.sock`])
    await expect(whatIfClient({ path, ...timers })(QUESTION)).rejects.toMatchObject(
      refusedWith(/`npm start` starts them .* start the command `what-if` of the jobs/),
    );
});

test('a process that stops before it replies refuses the run', async () => {
  const path = join(dir, 'stops.sock');
  const server = createServer((socket) => socket.on('data', () => socket.destroy()));
  await new Promise<void>((resolve) => server.listen(path, resolve));
  await expect(whatIfClient({ path, ...timers })(QUESTION)).rejects.toMatchObject(
    refusedWith(/stopped before/),
  );
  server.close();
});

test('a question that is too large is not sent, which is the same each time', async () => {
  const rows = { 'obs.market_state': [{ market_id: 'x'.repeat(MAX_WHAT_IF_BYTES) }] };
  expect(await whatIfClient({ path: join(dir, 'absent.sock'), ...timers })({ ...QUESTION, rows })).toBeNull();
});

test('a socket in a folder with a long path is reached', async () => {
  const folder = join(dir, ...Array.from({ length: 4 }, () => 'x'.repeat(60)));
  mkdirSync(folder, { recursive: true });
  const path = join(folder, 'what-if.sock');
  const stop = Promise.withResolvers<void>();
  const ready = Promise.withResolvers<void>();
  const reporter = { step: () => ready.resolve(), warn: () => undefined };
  const done = serveWhatIf({ path, answer: async () => [EVENT], reporter, stopped: stop.promise });
  await ready.promise;
  expect(await whatIfClient({ path, ...timers })(QUESTION)).toEqual([EVENT]);
  stop.resolve();
  await done;
  expect(existsSync(path)).toBe(false);
});
