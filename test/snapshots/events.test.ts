import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Disk, nodeDisk } from '../../platform/storage/disk.ts';
import { type EventLog, openEventLog, tailToMerge } from '../../snapshots/events.ts';
import { segmentPath } from '../../snapshots/layout.ts';
import { eventsAfter, readSegment } from '../../snapshots/segment.ts';
import { COUNTS } from '../reliability/counts.ts';
import { anyCharacter } from '../support/any-character.ts';
import { inFolder } from '../support/in-folder.ts';
import { memoryDisk } from './support/memory-disk.ts';
import { candidate, iso, T0, withFolder } from './support/world.ts';

const HOUR_MS = 3_600_000;
const DIR = '/log';

async function readLog(disk: Disk, dir: string, log: EventLog, after: string | null = null) {
  const events: { id: string; key: string; envelope: string }[] = [];
  for await (const { id, key, envelope } of eventsAfter(inFolder(dir, disk), log.segments(), after))
    events.push({ id, key, envelope: envelope.toString() });
  return events;
}

describe('the event log', () => {
  test('assigns each event an id, first in its envelope, and keeps the given order', () =>
    withFolder(async (dir) => {
      const log = await openEventLog(inFolder(dir), []);
      const appended = await log.append([candidate('b', T0, { z: 1, a: 2 }), candidate('a', T0 - 5_000)], T0);
      expect(appended[0]?.envelope).toBe(
        `{"event_id":"${appended[0]?.id}","data":{"a":2,"z":1},"subject_id":"oracle_feed:x","ts":"${iso(T0)}","type":"oracle.stale"}`,
      );
      expect(await readLog(nodeDisk, dir, log)).toEqual(appended);
      expect(log.lastEventId()).toBe(appended[1]?.id);
      expect(log.segments()).toMatchObject([{ count: 2, from_ts: iso(T0 - 5_000), to_ts: iso(T0) }]);
    }));

  test('never appends a natural key twice: not within a call, in later calls, or after a restart', () =>
    withFolder(async (dir) => {
      const log = await openEventLog(inFolder(dir), []);
      const [first] = await log.append([candidate('a'), candidate('a')], T0);
      expect(await log.append([candidate('a')], T0 + HOUR_MS)).toEqual([]);
      const restarted = await openEventLog(inFolder(dir), []);
      expect(await restarted.append([candidate('a')], T0 + HOUR_MS)).toEqual([]);
      expect((await readLog(nodeDisk, dir, restarted)).map(({ id }) => id)).toEqual([first?.id]);
    }));

  test('assigns the same ids for the same history', () =>
    withFolder((a) =>
      withFolder(async (b) => {
        const ids = async (dir: string) => {
          const log = await openEventLog(inFolder(dir), []);
          const first = await log.append([candidate('a'), candidate('b')], T0);
          return [...first, ...(await log.append([candidate('c')], T0))].map(({ id }) => id);
        };
        expect(await ids(a)).toEqual(await ids(b));
      }),
    ));

  test('returns the keys of a period, both ends included, whichever segment they are in', () =>
    withFolder(async (dir) => {
      let log = await openEventLog(inFolder(dir), []);
      for (let i = 0; i < 20; i++) {
        await log.append([candidate(`k${i}`, T0 + i * 1_000)], T0 + i * 1_000);
        if (i % 7 === 0) log = await openEventLog(inFolder(dir), []);
      }
      const at = T0 / 1_000;
      expect(await log.keysBetween(at + 3, at + 6)).toEqual(new Set(['k3', 'k4', 'k5', 'k6']));
      expect(await log.keysBetween(at + 30, at + 60)).toEqual(new Set());
    }));

  test('reads no segment that ends before the period', () =>
    withFolder(async (dir) => {
      const log = await openEventLog(inFolder(dir), [], { maxSegmentBytes: 1 });
      await log.append([candidate('old', T0)], T0);
      await log.append([candidate('new', T0 + HOUR_MS)], T0 + HOUR_MS);
      const [old] = log.segments();
      const restarted = await openEventLog(inFolder(dir), log.segments());
      await writeFile(join(dir, segmentPath(old?.name ?? '')), 'x'.repeat(old?.bytes ?? 0));
      expect(await restarted.keysBetween(T0 / 1_000 + 1, T0 / 1_000 + 7_200)).toEqual(new Set(['new']));
      await expect(restarted.keysBetween(T0 / 1_000, T0 / 1_000)).rejects.toThrow(
        /is damaged: expected sha256/,
      );
    }));

  test('holds keys and envelopes with any characters', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.string({ unit: anyCharacter, minLength: 1 }), { minLength: 1, maxLength: 5 }),
        async (keys) => {
          const disk = memoryDisk();
          const log = await openEventLog(inFolder(DIR, disk), []);
          const appended = await log.append(
            keys.map((key) => candidate(key, T0, { key, '","value":{': key })),
            T0,
          );
          expect((await readLog(disk, DIR, log)).map(({ key }) => key)).toEqual(keys);
          expect(await readLog(disk, DIR, log)).toEqual(appended);
          expect([...(await (await openEventLog(inFolder(DIR, disk), [])).keysBetween(0, T0))]).toEqual(keys);
        },
      ),
      { numRuns: 50 },
    );
  });

  test('reports where in its file each envelope is', () =>
    withFolder(async (dir) => {
      const log = await openEventLog(inFolder(dir), []);
      await log.append([candidate('é"x'), candidate('b')], T0);
      const [entry] = log.segments();
      if (entry === undefined) throw new Error('no segment');
      const segment = await readSegment(inFolder(dir), entry);
      for (const { id, offset, length, envelope } of segment.events()) {
        expect(segment.bytes.subarray(offset, offset + length)).toEqual(envelope);
        expect(JSON.parse(envelope.toString())).toMatchObject({ event_id: id });
      }
    }));

  test('merges small segments, so that their number grows with the logarithm of the appends', async () => {
    const disk = memoryDisk();
    const log = await openEventLog(inFolder(DIR, disk), []);
    for (let i = 0; i < 300; i++) await log.append([candidate(`k${i}`, T0 + i)], T0 + i);
    expect(log.segments().length).toBeLessThanOrEqual(Math.ceil(Math.log2(300)));
    expect(log.count()).toBe(300);
    expect((await readLog(disk, DIR, log)).map(({ key }) => key)).toEqual(
      Array.from({ length: 300 }, (_, i) => `k${i}`),
    );
  });

  test('does not merge beyond the maximum size, and leaves full segments alone', async () => {
    const disk = memoryDisk();
    const log = await openEventLog(inFolder(DIR, disk), [], { maxSegmentBytes: 1_000 });
    for (let i = 0; i < 100; i++) await log.append([candidate(`k${i}`, T0 + i)], T0 + i);
    expect(Math.max(...log.segments().map(({ bytes }) => bytes))).toBeLessThanOrEqual(1_000);
    expect(tailToMerge(log.segments(), 100, 50)).toEqual([]);
  });
});

describe('opening the event log', () => {
  test('adopts segments that no manifest names, and skips those that a longer one covers', async () => {
    const disk = memoryDisk();
    const log = await openEventLog(inFolder(DIR, disk), []);
    const states = [log.segments()];
    for (let i = 0; i < 40; i++) {
      await log.append([candidate(`k${i}`, T0 + i, 'x'.repeat((i * 37) % 200))], T0 + i);
      states.push(log.segments());
    }
    for (const known of states) {
      const reopened = await openEventLog(inFolder(DIR, disk), known);
      expect(reopened.segments()).toEqual(log.segments());
    }
  });

  test('removes temporary files and ignores names that are not segments', () =>
    withFolder(async (dir) => {
      const log = await openEventLog(inFolder(dir), []);
      await log.append([candidate('a')], T0);
      await writeFile(join(dir, 'tmp', 'events~half.ndjson'), 'half');
      await writeFile(join(dir, 'events', 'notes.txt'), 'x');
      expect((await openEventLog(inFolder(dir), [])).segments()).toEqual(log.segments());
      expect(await readdir(join(dir, 'tmp'))).toEqual([]);
    }));

  test.each([
    ['missing', async (file: string) => rm(file)],
    ['cut short', async (file: string) => writeFile(file, '{"key":"a')],
  ])('rejects a published segment that is %s, naming it', (_, damage) =>
    withFolder(async (dir) => {
      const log = await openEventLog(inFolder(dir), []);
      await log.append([candidate('a')], T0);
      const [entry] = log.segments();
      await damage(join(dir, segmentPath(entry?.name ?? '')));
      await expect(openEventLog(inFolder(dir), log.segments())).rejects.toThrow(
        `${entry?.name} is damaged: expected ${entry?.bytes} bytes`,
      );
    }),
  );

  test('rejects a damaged unpublished segment, naming it and what to do', () =>
    withFolder(async (dir) => {
      const log = await openEventLog(inFolder(dir), []);
      await log.append([candidate('a'), candidate('b')], T0);
      const [entry] = log.segments();
      await writeFile(join(dir, segmentPath(entry?.name ?? '')), '{"key":"a","value":{"event_id":"x"}}\n');
      await expect(openEventLog(inFolder(dir), [])).rejects.toThrow(
        /is damaged: .*a run over their period finds them again/,
      );
    }));
});

describe('appending refuses', () => {
  test.each([
    ['an empty key', { key: '', envelope: { ts: iso(T0) } }, 'empty natural key'],
    ['an id from outside', { key: 'a', envelope: { ts: iso(T0), event_id: 'x' } }, 'already has an event_id'],
    ['a missing time', { key: 'a', envelope: {} }, 'Event a has the time undefined'],
    ['a time with an offset', { key: 'a', envelope: { ts: '2026-01-01T00:00:00+01:00' } }, 'not an instant'],
    [
      'a value that JSON cannot hold',
      { key: 'a', envelope: { ts: iso(T0), data: { x: Number.NaN } } },
      'Not JSON at $.data.x',
    ],
  ])('%s, and appends nothing from the call', async (_, bad, message) => {
    const disk = memoryDisk();
    const log = await openEventLog(inFolder(DIR, disk), []);
    await expect(log.append([candidate('good'), bad], T0)).rejects.toThrow(message);
    expect(log.count()).toBe(0);
    expect(await log.append([candidate('good')], T0)).toHaveLength(1);
  });

  test('a second append while one is in progress', async () => {
    const log = await openEventLog(inFolder(DIR, memoryDisk()), []);
    const first = log.append([candidate('a')], T0);
    await expect(log.append([candidate('b')], T0)).rejects.toThrow('one writer at a time');
    expect(await first).toHaveLength(1);
  });
});

const MS_PER_APPEND = 2;

test('ids only rise and no event is lost or repeated across restarts and clock steps of an hour', {
  timeout: 60_000 + COUNTS.appends * MS_PER_APPEND,
}, async () => {
  const disk = memoryDisk();
  let log = await openEventLog(inFolder(DIR, disk), []);
  const ids: string[] = [];
  const batch = Math.ceil(COUNTS.appends / (COUNTS.restarts * 10));
  let nowMs = T0;
  let next = 0;
  for (let restart = 0; restart < COUNTS.restarts; restart++) {
    for (let step = 0; step < 10; step++) {
      nowMs += ((next * 7919) % (2 * HOUR_MS)) - HOUR_MS;
      const fresh = Array.from({ length: batch }, () => candidate(`k${next++}`, T0 + next * 1_000));
      const repeated = fresh.slice(0, 3);
      for (const { id } of await log.append(fresh, nowMs)) ids.push(id);
      expect(await log.append(repeated, nowMs)).toEqual([]);
    }
    log = await openEventLog(inFolder(DIR, disk), restart % 2 === 0 ? log.segments() : []);
  }
  console.info({ appends: next, restarts: COUNTS.restarts, segments: log.segments().length });
  expect(ids.length).toBe(next);
  expect(ids.every((id, i) => i === 0 || id > (ids[i - 1] ?? ''))).toBe(true);
  const read = await readLog(disk, DIR, log);
  expect(read.map(({ id }) => id)).toEqual(ids);
  expect(new Set(read.map(({ key }) => key)).size).toBe(next);
});
