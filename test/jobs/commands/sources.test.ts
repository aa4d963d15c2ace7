// `sources check` against a failing server: what it prints, and its exit code.
import { join } from 'node:path';
import { Agent } from 'undici';
import { afterEach, expect, test } from 'vitest';
import { tryLandingIn } from '../../../jobs/app/try-landing.ts';
import { checkSource } from '../../../jobs/commands/sources.ts';
import { loadConfig } from '../../../jobs/config.ts';
import { domains } from '../../../jobs/registry.ts';
import { readerOf } from '../../../jobs/sources/live/fetch/readers.ts';
import type { LiveSection } from '../../../jobs/sources/live/fetch/section.ts';
import { DEFAULT_HOST, NetClient } from '../../../jobs/sources/live/http/client.ts';
import { undiciExchange } from '../../../jobs/sources/live/http/exchange.ts';
import { NO_SECRETS } from '../../../platform/base/secrets.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { openFixture, START, sourceOf } from '../sources/live/fetching-fixture.ts';
import { json, type Reply } from '../sources/live/http/replay-server.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const FIELDS = { protocol: 'project', observed_at: { recording: 'as_of' }, tvl_usd: 'tvl' } as const;
const SECTION: Partial<LiveSection> = {
  records: 'data',
  every: '1h',
  guards: { min_records: 4, present: ['project'], max_zero_share: { tvl: 0.2 } },
  fields: FIELDS,
};
const ROWS = Array.from({ length: 10 }, (_, index) => ({ project: `p${index}`, tvl: 1_000 + index }));
const good = json({ data: ROWS });

const trial = () =>
  tryLandingIn(join(temporaryFolder('check'), 'trial'), {
    config: loadConfig({ env: {}, readFile: () => '{}' }),
    tables: domains.flatMap(({ raw }) => raw),
    key: new Uint8Array(32),
    cores: 1,
  });

/** Checks a source against the last reply, after one reading for each reply before it. */
async function checked(replies: readonly Reply[], section = SECTION) {
  const fixture = await openFixture((_, count) => replies[Math.min(count, replies.length) - 1] ?? good);
  const agent = new Agent({ keepAliveTimeout: 10 });
  closing.push(fixture.close, () => agent.close());
  const source = sourceOf(section);
  for (let read = 1; read < replies.length; read++) {
    await fixture.start(source).once();
    await fixture.clock.sleep(3_600_000);
  }
  const before = (await fixture.recordings()).length;
  const hosts = { 'api.example': { ...DEFAULT_HOST, address: fixture.server.address } };
  const client = new NetClient({
    exchange: undiciExchange(agent),
    clock: fixture.clock,
    random: () => 0.5,
    hosts,
    scrubber: NO_SECRETS,
  });
  const now = () => fixture.clock.nowMs() / 1000;
  const lines: string[] = [];
  const code = await checkSource(
    { sources: [source], recordingsOf: fixture.recordings, hasSecret: () => true, now: now() },
    { name: 'things', isJson: false },
    {
      tools: {
        client,
        secrets: {},
        now,
        folder: fixture.folder,
        git: { path: '', pseudonymKey: () => '' },
        readerOf,
      },
      tryLanding: trial(),
      print: (line) => void lines.push(line),
    },
  );
  expect((await fixture.recordings()).length).toBe(before);
  return { code, lines: lines.join('\n') };
}

test('a good reading shows its rows, and keeps nothing', async () => {
  const { code, lines } = await checked([good]);
  expect(code).toBe(0);
  expect(lines).toContain(`${new Date(START).toISOString().slice(0, 19)}Z, 1 page, ended by: one page`);
  expect(lines).toContain('GET https://api.example/things: HTTP 200, 10 records');
  expect(lines).toContain('10 rows, 10 good, 0 filtered');
  expect(lines).toContain('"protocol":"p0"');
  expect(lines).toContain('Nothing has landed.');
});

test('of a source with several partitions, only the first is read, and it is named', async () => {
  const { lines } = await checked([good], { ...SECTION, each: [{ a: 'x' }, { a: 'y' }] });
  expect(lines).toContain('things (x, the first of 2): ');
});

const changed = ROWS.map(({ project: name, tvl }) => ({ name, tvl }));
test.each([
  ['nothing', [json({ data: [] })], '0 records, where 4 or more are expected; it cannot land like this'],
  ['one record', [json({ data: ROWS.slice(0, 1) })], '1 record\n  1 row, 1 good'],
  [
    'zeros',
    [json({ data: ROWS.map((row) => ({ ...row, tvl: 0 })) })],
    'suspect: "tvl" is 0 in more than 20%',
  ],
  [
    'a renamed field',
    [json({ data: changed })],
    'suspect: "project" is missing in half of the records or more',
  ],
  ['a renamed field, row by row', [json({ data: changed })], 'refused: 10 × protocol: missing'],
  [
    'a shorter list',
    [good, json({ data: ROWS.slice(0, 4) })],
    '4 records, 10 before; it lands once a later reading agrees',
  ],
  [
    'another shape',
    [good, json({ data: ROWS.map((row) => ({ ...row, fee: 1 })) })],
    'drift: new: fee (number)',
  ],
])('%s is named, with the exit code for incomplete data', async (_, replies, words) => {
  const { code, lines } = await checked(replies);
  expect(lines).toContain(words);
  expect(code).toBe(4);
});

test.each([
  ['a path that is gone', { status: 404, body: '{}' }, 'HTTP 404: {}. The address has moved'],
  ['another envelope', json({ payload: ROWS }), 'there are no records at "data". It has payload.'],
  [
    'a web page',
    { body: '<!doctype html><html>', headers: { 'content-type': 'text/html' } },
    'a web page instead of data',
  ],
])('%s ends with the address and what to do', async (_, reply, words) => {
  const { code, lines } = await checked([reply]);
  expect(lines).toContain(`things: https://api.example/things: ${words}`);
  expect(code).toBe(1);
});
