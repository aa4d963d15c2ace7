// What goes wrong with one source is that source's failure, and a disk that refuses is not the end of fetching.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FetchingEndedError } from '../../../../jobs/sources/live/fetch/fetcher.ts';
import type { LiveSource } from '../../../../jobs/sources/live/fetch/live-source.ts';
import type { Reader } from '../../../../jobs/sources/live/fetch/reader.ts';
import { readerOf } from '../../../../jobs/sources/live/fetch/readers.ts';
import { nextRestartMs } from '../../../../platform/processes/processes.ts';
import { type Disk, nodeDisk } from '../../../../platform/storage/disk.ts';
import { json, type Reply } from './http/replay-server.ts';
import { openFixture, START, sourceOf } from './fetching-fixture.ts';

const at = (path: string, id: string, more = {}) =>
  sourceOf({ request: { url: `https://api.example/${path}` }, every: '1m', ...more }, id);
const healthy = at('ok', 'healthy');

/** Watches until the healthy source has been read that often. */
async function watchUntil(
  count: number,
  reply: (path: string) => Reply,
  options: Parameters<typeof openFixture>[1],
  ...sources: readonly LiveSource[]
) {
  const stopping = new AbortController();
  let read = 0;
  const fixture = await openFixture(({ path }) => {
    if (path !== '/ok') return reply(path);
    read += 1;
    if (read >= count) stopping.abort();
    return json([{ id: read }]);
  }, options);
  try {
    await fixture.start(...sources, healthy).watch(stopping.signal);
    return { fixture, last: async (id: string) => (await fixture.recordings(id)).at(-1) };
  } finally {
    await fixture.close();
  }
}

test('an unexpected error is recorded as the failure of its source, and others go on', async () => {
  const broken: Reader = async function* () {
    yield* [];
    throw new TypeError('Cannot read properties of undefined');
  };
  const options = { readerOf: (source: LiveSource) => (source.id === 'broken' ? broken : readerOf(source)) };
  const { fixture, last } = await watchUntil(5, () => json([]), options, at('x', 'broken'));
  expect(await last('broken')).toMatchObject({
    outcome: 'failed',
    fault: 'unexpected',
    reasons: ['an unexpected error (TypeError: Cannot read properties of undefined).'],
  });
  expect((await fixture.recordings('healthy')).length).toBeGreaterThanOrEqual(4);
  expect(fixture.warnings.filter((text) => text.includes('broken'))).toHaveLength(1);
});

test.each([
  ['a link to no address', '<http://[bad>; rel="next"'],
  ['a link to another scheme', '<file:///etc/passwd>; rel="next"'],
  ['a link from https to http', '<http://api.example/x?page=2>; rel="next"'],
])('%s fails its source alone, with a reason', async (_, link) => {
  const linked = at('x', 'linked', { pager: { kind: 'link' } });
  const { last } = await watchUntil(3, () => json([{ id: 1 }], { link }), {}, linked);
  expect(await last('linked')).toMatchObject({ outcome: 'failed', fault: 'pager' });
});

/** A disk that has no space for some files at some times. */
const fullDisk = (isFull: (path: string) => boolean): Disk => ({
  ...nodeDisk,
  async create(path) {
    if (isFull(path))
      throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
    return nodeDisk.create(path);
  },
});

test('while the disk is full nothing is requested; with space again, reading goes on in the same process', async () => {
  let nowMs = () => START;
  const disk = fullDisk(() => nowMs() < START + 120_000);
  const stopping = new AbortController();
  const asked: number[] = [];
  const fixture = await openFixture(
    () => {
      asked.push(nowMs() - START);
      if (asked.length === 4) stopping.abort();
      return json([{ id: asked.length }]);
    },
    { disk },
  );
  nowMs = () => fixture.clock.nowMs();
  await fixture.start(healthy).watch(stopping.signal);
  await fixture.close();
  expect(asked[0]).toBe(0);
  expect(asked[1]).toBeGreaterThanOrEqual(120_000);
  expect(asked[1]).toBeLessThan(300_000);
  const [first, second] = await fixture.recordings('healthy');
  expect(first).toMatchObject({
    outcome: 'failed',
    fault: 'storage',
    reasons: ['what was read could not be stored: no space is left (ENOSPC).'],
  });
  expect(second?.outcome).toBe('accepted');
  const folder = join(fixture.folder.dir, 'recordings', 'healthy');
  expect(fixture.warnings[0]).toContain(`the recording of source healthy cannot be written to ${folder}`);
  expect(fixture.warnings.filter((text) => text.includes('cannot be written'))).toHaveLength(1);
});

test('a body for which there is no space fails its source, with a reason, and leaves nothing behind', async () => {
  const disk = fullDisk((path) => path.endsWith('.gz') && path.includes('/large/'));
  const { fixture, last } = await watchUntil(3, () => json([{ id: 1 }]), { disk }, at('x', 'large'));
  expect(await last('large')).toMatchObject({ outcome: 'failed', fault: 'storage' });
  const folder = join(fixture.folder.dir, 'recordings', 'large', '2026-01-01');
  expect(readdirSync(folder).filter((name) => !name.endsWith('.json'))).toEqual([]);
  expect(readdirSync(join(fixture.folder.dir, 'recordings', '.tmp'))).toEqual([]);
});

test('if nothing can be recorded for ten minutes, fetching ends and says why', async () => {
  const fixture = await openFixture(() => json([{ id: 1 }]), { disk: fullDisk(() => true) });
  const watching = fixture.start(healthy, at('x', 'other')).watch(new AbortController().signal);
  await expect(watching).rejects.toThrow(FetchingEndedError);
  await expect(watching).rejects.toThrow(
    /Nothing could be recorded for 10 minutes.*\/recordings\/\w+.*ENOSPC/,
  );
  expect(fixture.clock.nowMs() - START).toBeGreaterThanOrEqual(600_000);
  await fixture.close();
});

test('a reading once says what it could not record', async () => {
  const fixture = await openFixture(() => json([{ id: 1 }]), {
    disk: fullDisk((path) => path.includes('healthy')),
  });
  const fetched = await fixture.start(healthy, at('x', 'other')).once();
  await fixture.close();
  expect(fetched.map(({ source, problem }) => [source, problem?.includes('ENOSPC') ?? null])).toEqual([
    ['healthy', true],
    ['other', null],
  ]);
});

test('restarts become rarer while a program keeps ending, and quick again once it has run for ten minutes', () => {
  const pauses = [1, 2, 3, 4, 5, 6, 7, 8].reduce<number[]>(
    (all) => [...all, nextRestartMs(all.at(-1) ?? null, 599_999)],
    [],
  );
  expect(pauses).toEqual([5_000, 10_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000]);
  expect(nextRestartMs(300_000, 600_000)).toBe(5_000);
});
