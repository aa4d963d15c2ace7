import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, expect, test } from 'vitest';
import { landable } from '../../../../../jobs/sources/live/fetch/recording.ts';
import { bodyPath, removeLeftovers } from '../../../../../jobs/sources/live/fetch/recording-store.ts';
import { json, type Reply } from '../http/replay-server.ts';
import { openFixture, START, sourceOf } from '../fetching-fixture.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});
const open: typeof openFixture = async (...given) => {
  const fixture = await openFixture(...given);
  closing.push(fixture.close);
  return fixture;
};

/** How a source refers to a secret. */
const KEY = `\${${'API_KEY'}}`;

const list = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => ({ id: from + index, v: 1 }));

test('a recording keeps the original bytes, without secrets', async () => {
  const text = '[{"id": 1, "amount": 1000000000000000000000000001, "key":"s3cret-key"}]';
  const { start, recordings, folder, server } = await open(
    () => ({ body: text, headers: { age: '90', etag: '"x"', 'set-cookie': 'session=1' } }),
    { secrets: { API_KEY: 's3cret-key' } },
  );
  const request = {
    url: `https://api.example/things?key=${KEY}`,
    headers: { authorization: `Bearer ${KEY}` },
  };
  await start(sourceOf({ request })).once();
  const [one] = await recordings();
  if (one?.pages[0] === undefined) throw new Error('nothing was recorded');
  expect(server.asked[0]?.path).toBe('/things?key=s3cret-key');
  expect(server.asked[0]?.headers.authorization).toBe('Bearer s3cret-key');
  expect(gunzipSync(readFileSync(bodyPath(folder, one, one.pages[0]))).toString()).toBe(
    text.replace('s3cret-key', KEY),
  );
  expect(one).toMatchObject({
    outcome: 'accepted',
    records: 1,
    fetched_at: START / 1000,
    as_of: START / 1000 - 90,
  });
  expect(one.pages[0].headers).toMatchObject({ age: '90', etag: '"x"' });
  const everything = JSON.stringify(one);
  expect(everything).not.toContain('s3cret');
  expect(everything).not.toContain('session');
});

test('what is due is derived from the recordings: a restart reads nothing twice', async () => {
  const { start, clock, server, recordings } = await open((_, count) => json(list(5, count)));
  const source = sourceOf({ every: '1h' });
  await start(source).once();
  await start(source).once();
  expect(server.asked).toHaveLength(1);
  await clock.sleep(3_599_000);
  await start(source).once();
  expect(server.asked).toHaveLength(1);
  await clock.sleep(1_000);
  await start(source).once();
  expect((await recordings()).map(({ outcome }) => outcome)).toEqual(['accepted', 'accepted']);
});

test('repeated bytes are recorded as unchanged and not landed; a return to earlier bytes is a change', async () => {
  const bodies = ['a', 'a', 'b', 'a'];
  const { start, clock, recordings } = await open((_, count) => json([{ v: bodies[count - 1] }]));
  const source = sourceOf({ every: '1h' });
  for (let hour = 0; hour < 4; hour++) {
    await start(source).once();
    await clock.sleep(3_600_000);
  }
  const all = await recordings();
  expect(all.map(({ outcome }) => outcome)).toEqual(['accepted', 'unchanged', 'accepted', 'accepted']);
  expect(landable(all)).toHaveLength(3);
});

test('thirty days are filled in from the newest, then only what is new is read', async () => {
  const windows: (readonly [number, number])[] = [];
  const startMs = START + 129_600_000;
  const { start, clock } = await open(
    ({ path }) => {
      const query = new URL(`http://x${path}`).searchParams;
      windows.push([Number(query.get('from')), Number(query.get('to'))]);
      return json([]);
    },
    { startMs },
  );
  const source = sourceOf({
    every: '1h',
    window: { history: '30d', step: '7d', overlap: '2h' },
    request: { url: 'https://api.example/things', query: { from: '{window_from_s}', to: '{window_to_s}' } },
  });
  await start(source).once();
  const now = startMs / 1000;
  const week = 7 * 86_400;
  const cut = Math.floor(now / week) * week;
  const past = [0, 1, 2, 3].map((weeks) => [cut - (weeks + 1) * week, cut - weeks * week]);
  expect(windows).toEqual([[cut, now], ...past, [now - 30 * 86_400, cut - 4 * week]]);
  await clock.sleep(3_600_000);
  windows.length = 0;
  await start(source).once();
  expect(windows).toEqual([[now - 7_200, now + 3_600]]);
});

test('history is resumed where it stopped, and an outage leaves no gap', async () => {
  let isDown = false;
  const windows: (readonly [number, number])[] = [];
  const { start, clock, recordings } = await open(({ path }) => {
    const query = new URL(`http://x${path}`).searchParams;
    if (isDown) return { status: 404 };
    windows.push([Number(query.get('from')), Number(query.get('to'))]);
    isDown = windows.length === 2;
    return json([]);
  });
  const source = sourceOf({
    every: '1h',
    window: { history: '10d', step: '2d', overlap: '1h' },
    request: { url: 'https://api.example/things', query: { from: '{window_from_s}', to: '{window_to_s}' } },
  });
  await start(source).once();
  expect(windows).toHaveLength(2);
  for (let hour = 0; hour < 30; hour++) {
    await clock.sleep(3_600_000);
    if (hour === 26) isDown = false;
    await start(source).once();
  }
  const spans = (await recordings())
    .filter(({ outcome }) => outcome === 'accepted')
    .map(({ window }) => window)
    .sort((a, b) => a.from - b.from);
  let end = START / 1000 + 30 * 3_600 - 10 * 86_400;
  for (const span of spans.filter(({ to }) => to > end)) {
    expect(span.from).toBeLessThanOrEqual(end + 1);
    end = Math.max(end, span.to);
  }
  expect(end).toBeCloseTo(START / 1000 + 30 * 3_600, -1);
});

test('a failure is recorded with its reason and retried after one minute, then two, then four', async () => {
  const { start, clock, recordings, warnings } = await open(() => ({ status: 402, body: 'pay' }));
  const source = sourceOf({ every: '1h' });
  const tries: number[] = [];
  for (let minute = 0; minute <= 8; minute++) {
    const before = (await recordings()).length;
    await start(source).once();
    if ((await recordings()).length > before) tries.push(minute);
    await clock.sleep(60_000);
  }
  expect(tries).toEqual([0, 1, 3, 7]);
  expect((await recordings())[0]).toMatchObject({ outcome: 'failed', fault: 'refused', pages: [] });
  expect(warnings).toEqual([expect.stringContaining('turn it off, or give it a key')]);
});

test('a source that hangs does not delay another', async () => {
  const { start, recordings } = await open(({ path }) =>
    path === '/slow' ? { isSilent: true } : json(list(3)),
  );
  const slow = { ...sourceOf({ request: { url: 'https://api.example/slow' } }, 'slow'), timeout_ms: 100 };
  const hosts = sourceOf({}, 'things');
  const done = start(slow, hosts).once();
  await done;
  expect((await recordings('things')).at(-1)?.outcome).toBe('accepted');
  expect((await recordings('slow')).at(-1)).toMatchObject({ outcome: 'failed', fault: 'timeout' });
});

test('a window of several pages is kept whole or not at all', async () => {
  let isCut = true;
  const { start, clock, recordings } = await open(({ path }): Reply => {
    const page = Number(new URL(`http://x${path}`).searchParams.get('page'));
    if (page === 2 && isCut) return { status: 400 };
    return json(list(page < 3 ? 10 : 4, page * 10));
  });
  const source = sourceOf({
    request: { url: 'https://api.example/things', query: { page: '{page}' } },
    pager: { kind: 'page', size: 10 },
  });
  await start(source).once();
  expect((await recordings())[0]).toMatchObject({ outcome: 'failed', pages: [] });
  isCut = false;
  await clock.sleep(60_000);
  await start(source).once();
  expect((await recordings())[1]).toMatchObject({ outcome: 'accepted', records: 24, ended: 'a short page' });
});

test('leftovers of a crash are removed, and a reading with a damaged description is repeated', async () => {
  const { start, clock, folder, recordings, warnings } = await open(() => json(list(5)));
  const source = sourceOf({ every: '1h' });
  await start(source).once();
  const day = join(folder.dir, 'recordings', 'things', '2026-01-01');
  mkdirSync(join(day, 'half'));
  writeFileSync(join(day, 'half', '0001.gz'), 'x');
  mkdirSync(join(folder.dir, 'recordings', '.tmp'), { recursive: true });
  writeFileSync(join(folder.dir, 'recordings', '.tmp', 'things~x.json'), '{');
  expect(await removeLeftovers(folder)).toBe(2);
  expect(readdirSync(day)).toHaveLength(2);
  const [name] = readdirSync(day).filter((one) => one.endsWith('.json'));
  writeFileSync(join(day, name ?? ''), '{"id": 1}');
  await start(source).once();
  expect(warnings[0]).toContain('is not a recording');
  await clock.sleep(1);
  expect((await recordings()).map(({ outcome }) => outcome)).toEqual(['accepted']);
});
