import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { whatIfClient } from '../../../server/analytics/simulator/what-if-client.ts';
import { removeFolder, temporaryFolder } from '../../support/temporary-folder.ts';

let dir: string;
beforeAll(() => {
  dir = temporaryFolder('what-if');
});
afterAll(() => removeFolder(dir));

const QUESTION = { start: 0, from: 0, to: 1, types: ['oracle.stale' as const], rows: {} };
const after = (ms: number, work: () => void) => {
  const timer = setTimeout(work, ms / 20);
  return () => clearTimeout(timer);
};

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

test('a reply is read', async () => {
  const reply = await served('{"events":[]}\n', (path) => whatIfClient({ path, after })(QUESTION));
  expect(reply).toEqual({ events: [] });
});

test.each<[string, string | null]>([
  ['no reply in time', null],
  ['a reply that is not JSON', 'nope\n'],
])('%s counts as no reply', async (_, text) => {
  expect(await served(text, (path) => whatIfClient({ path, after })(QUESTION))).toBeNull();
});

test('a missing socket counts as no reply', async () => {
  expect(await whatIfClient({ path: join(dir, 'absent.sock'), after })(QUESTION)).toBeNull();
  expect(await whatIfClient({ path: `/${'x'.repeat(300)}`, after })(QUESTION)).toBeNull();
});
