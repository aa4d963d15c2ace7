// A store whose rows or log were changed by something other than the service: the keys are invalid, and `/v1/status` reports it without
// naming them.
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { RunningServer } from '../../../server/deps.ts';
import { raw } from '../http/raw-http.ts';
import { ServerFixture } from '../server-fixture.ts';

const PREPARED = '/data/oracle/chainlink/pairs';

let fixture: ServerFixture;
let works: (() => void)[];
beforeEach(async () => {
  works = [];
  fixture = await ServerFixture.create();
  await fixture.publish();
});
afterEach(() => fixture.remove());

const serve = () =>
  fixture.serve({
    anonymousPlan: null,
    every: (_, work) => {
      works.push(work);
      return () => undefined;
    },
  });

async function tamper(sql: string): Promise<void> {
  const db = new DatabaseSync(join(await fixture.storeFolder(), 'ops.sqlite'), { timeout: 1_000 });
  db.exec('drop trigger if exists audit_entry_is_final');
  db.exec(sql);
  db.close();
}

const askWith = async ({ url }: RunningServer, key: string) =>
  (await raw(url, PREPARED, { Authorization: `Bearer ${key}` })).status;

async function statusOf({ url }: RunningServer) {
  const { body } = await raw(url, '/v1/status');
  const { status, notices } = JSON.parse(body.toString()) as {
    status: string;
    notices: readonly { message: string }[];
  };
  return { status, messages: notices.map(({ message }) => message) };
}

/** Fires all timers of the server once. */
async function later(): Promise<void> {
  for (const work of works) work();
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
}

const BETTER = "update api_key set plan = 'enterprise' where plan = 'free'";
/** Makes the change visible like a change by the service. */
const SEEN =
  'update key_revision set last = last + 1; update api_key set revision = (select last from key_revision)';

test('an intact store is not reported', async () => {
  await fixture.key('free');
  expect(await statusOf(await serve())).toEqual({ status: 'ok', messages: [] });
});

test('at startup, a key with a forged plan is refused, others are accepted, and it is reported', async () => {
  const [forged, good] = [await fixture.key('free'), await fixture.key('team')];
  await tamper(BETTER);
  const server = await serve();
  expect([await askWith(server, forged), await askWith(server, good)]).toEqual([401, 200]);
  const { status, messages } = await statusOf(server);
  expect(status).toBe('degraded');
  expect(messages).toEqual([expect.stringContaining('not accepted: 1.')]);
  expect(messages.join()).not.toContain('key_');
});

test('the same applies while the server runs, as soon as the keys are read again', async () => {
  const [forged, good] = [await fixture.key('free'), await fixture.key('team')];
  const server = await serve();
  expect(await askWith(server, forged)).toBe(200);
  await tamper(`${BETTER}; ${SEEN}`);
  await later();
  expect([await askWith(server, forged), await askWith(server, good)]).toEqual([401, 200]);
  expect((await statusOf(server)).messages).toEqual([expect.stringContaining('not accepted: 1.')]);
});

test('a log that does not match is reported, and keys that it confirms keep working', async () => {
  const [first, second] = [await fixture.key('team'), await fixture.key('team')];
  await tamper("update audit_entry set who = 'someone' where seq = 1");
  const server = await serve();
  expect([await askWith(server, first), await askWith(server, second)]).toEqual([401, 200]);
  expect((await statusOf(server)).messages).toEqual([
    expect.stringContaining('does not match from entry 1 on'),
    expect.stringContaining('not accepted: 1.'),
  ]);
});

test('a store that can no longer be read is reported', async () => {
  const key = await fixture.key('team');
  const server = await serve();
  await rm(join(await fixture.storeFolder(), 'ops.sqlite'));
  await later();
  expect((await statusOf(server)).messages[0]).toContain('cannot be read');
  expect(await askWith(server, key)).toBe(200);
});

test('a head that cannot be written is reported; the change is made nevertheless', async () => {
  const server = await serve();
  await mkdir(join(await fixture.storeFolder(), `ops.sqlite-audit-head.${process.pid}.tmp`));
  const key = await fixture.key('team');
  await later();
  expect((await statusOf(server)).messages).toEqual([
    expect.stringContaining('head of the audit log cannot be written'),
  ]);
  expect(await askWith(server, key)).toBe(200);
});

test.each(['', 'nonsense', undefined])(
  'a head that becomes %j while the server runs is rewritten',
  async (text) => {
    const server = await serve();
    const head = join(await fixture.storeFolder(), 'ops.sqlite-audit-head');
    const before = await readFile(head, 'utf8');
    await rm(head);
    if (text !== undefined) await writeFile(head, text);
    const key = await fixture.key('team');
    await later();
    expect(await askWith(server, key)).toBe(200);
    expect((await statusOf(server)).messages).toEqual([]);
    expect(await readFile(head, 'utf8')).toMatch(/"seq":1}/);
    expect(await readFile(head, 'utf8')).not.toBe(before);
  },
);

test('a store that another process has locked is reported until it takes changes again, although none is requested', async () => {
  const server = await serve();
  const holder = new DatabaseSync(join(await fixture.storeFolder(), 'ops.sqlite'));
  holder.exec('begin immediate');
  await later();
  await vi.waitFor(async () => {
    const { status, messages } = await statusOf(server);
    expect(status).toBe('degraded');
    expect(messages).toEqual([expect.stringContaining('takes no changes')]);
  }, 10_000);
  holder.exec('rollback');
  holder.close();
  await later();
  await vi.waitFor(async () => expect((await statusOf(server)).status).toBe('ok'), 10_000);
});
