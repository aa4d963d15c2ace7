import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { KeyRing } from '../../server/access/key-ring.ts';
import { hashKey } from '../../server/access/keys.ts';
import type { OpsStore } from '../../server/store/store.ts';
import { COUNTS } from '../reliability/counts.ts';
import { bareEnvironment } from '../support/bare-environment.ts';
import { StoreFixture } from './store/store-fixture.ts';

const PROGRAM = new URL('../../server/keys.ts', import.meta.url).pathname;

let fixture: StoreFixture;
let store: OpsStore;
beforeEach(async () => {
  fixture = await StoreFixture.create();
  store = await fixture.open();
  await writeFile(join(fixture.dir, 'ops', 'seal.key'), '01'.repeat(32));
});
afterEach(() => fixture.remove());

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));
const filesIn = (folder: string) =>
  readdir(folder).then(
    ({ length }) => length,
    () => 0,
  );

async function keys(...args: readonly string[]) {
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    cwd: fixture.dir,
    env: { ...bareEnvironment(), DATA_DIR: fixture.dir },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { out: '', err: '' };
  child.stdout.on('data', (chunk: Buffer) => (output.out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output.err += chunk.toString()));
  const [code] = await once(child, 'close');
  return { code, ...output };
}

test('a running server knows a new key when the create command exits, and its revocation when the revoke command exits', async () => {
  const ring = new KeyRing({
    store,
    nowMs: Date.now,
    every: (ms, work) => {
      const timer = setInterval(work, ms);
      return () => clearInterval(timer);
    },
    log: { warn: (_, message) => expect.unreachable(message) },
  });
  const ended: string[] = [];
  ring.onEnded((records) => ended.push(...records.map(({ id }) => id)));
  await ring.start();
  const { code, out } = await keys('create', '--org', 'acme', '--plan', 'team', '--json');
  expect(code).toBe(0);
  const { key, id } = JSON.parse(out);
  expect(ring.find(hashKey(key))).toMatchObject({ id, revoked_ms: null });
  expect(await keys('revoke', id)).toMatchObject({ code: 0, out: `The key ${id} is revoked.\n` });
  expect(ring.find(hashKey(key))?.revoked_ms).not.toBeNull();
  expect(ended).toEqual([id]);
  ring.stop();
  expect((await store.audit.list(0, 10)).map(({ who }) => who)).toEqual([
    expect.stringMatching(/^cli:/),
    expect.stringMatching(/^cli:/),
  ]);
});

test('a first start that was killed at any time can be continued', async () => {
  for (let kill = 0; kill < COUNTS.firstStartKills; kill++) {
    const folder = join(fixture.dir, `start-${kill}`);
    const args = ['create', '--org', 'acme', '--plan', 'team', '--data-dir', folder];
    const child = spawn(process.execPath, [PROGRAM, ...args], { cwd: fixture.dir, stdio: 'ignore' });
    const ended = once(child, 'close');
    // Steps are distinguished by what they leave on disk; each kill hits a different one.
    while (child.exitCode === null && (await filesIn(join(folder, 'ops'))) <= (kill * 2) % 6)
      await nextTurn();
    child.kill('SIGKILL');
    await ended;
    expect(await keys('create', '--org', 'acme', '--plan', 'team', '--data-dir', folder)).toMatchObject({
      code: 0,
      err: expect.not.stringContaining('Restore'),
    });
    expect(await keys('audit', '--verify', '--data-dir', folder)).toMatchObject({ code: 0 });
  }
});

test('a store that lost a part exits with 1 and a remedy; once accepted, it continues to work', async () => {
  const folder = join(fixture.dir, 'lost');
  const at = ['--data-dir', folder];
  await keys('create', '--org', 'acme', '--plan', 'team', ...at);
  await rm(join(folder, 'ops', 'ops.sqlite'));
  const { code, err } = await keys('list', ...at);
  expect([code, err]).toEqual([
    1,
    expect.stringContaining(`npm run keys -- audit --accept --data-dir ${folder}`),
  ]);
  expect(await keys('audit', '--accept', ...at)).toMatchObject({
    code: 0,
    out: expect.stringContaining('accepted in its present state'),
  });
  expect((await keys('list', ...at)).out).toContain('There are no keys');
  expect((await keys('audit', ...at)).out).toContain('store.accept');
});

test('a wrong command exits with 2 and a message, and creates nothing', async () => {
  const { code, out, err } = await keys(
    'create',
    '--org',
    'acme',
    '--plan',
    'gold',
    '--ops-store',
    'x/y.sqlite',
  );
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(err).toContain('"gold" is not one of free');
  expect(err).toContain('Usage: npm run keys');
  expect(await readdir(fixture.dir)).toEqual(['ops']);
});

test('a wrong setting exits with 2 and a message', async () => {
  const { code, err } = await keys('list', '--port', 'many');
  expect(code).toBe(2);
  expect(err).toContain('port');
});

test('an invalid store exits with 1 and a message', async () => {
  const { code, err } = await keys('list', '--ops-store', PROGRAM);
  expect(code).toBe(1);
  expect(err).toContain(`The store ${PROGRAM} is not an SQLite database.`);
});
