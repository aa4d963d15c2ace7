// Index files that are damaged, lost or wrong cost time and nothing else; a changed byte of a segment is never served.
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { EventTail } from '../../../server/replay/event-tail.ts';
import { ReplayLog, UnreadableLogError } from '../../../server/replay/replay-log.ts';
import { openEventLog } from '../../../snapshots/events.ts';
import {
  type Manifest,
  type SegmentEntry,
  segmentIndexPath,
  segmentPath,
} from '../../../snapshots/layout.ts';
import { HASHED_BLOCK } from '../../../snapshots/segment-index/segment-index.ts';
import { inFolder } from '../../support/in-folder.ts';
import { AS_OF, AS_OF_MS, eventCandidate, ServerFixture } from '../server-fixture.ts';

const COUNT = 240;
const SUBJECT = 'oracle:ethereum:0xf1:0xf1';

let fixture: ServerFixture;
let segments: readonly SegmentEntry[];
let all: string[];
let damage: string[];

beforeEach(async () => {
  fixture = await ServerFixture.create();
  const options = { maxSegmentBytes: 40_000, minIndexedBytes: 0 };
  const writer = await openEventLog(inFolder(fixture.dir), [], options);
  all = [];
  for (let from = 0; from < COUNT; from += COUNT / 3) {
    const candidates = Array.from({ length: COUNT / 3 }, (_, n) => padded(from + n));
    all.push(...(await writer.append(candidates, AS_OF_MS + from)).map(({ envelope }) => envelope));
  }
  segments = writer.segments();
  expect(segments.length).toBeGreaterThan(1);
  damage = [];
});
afterEach(() => fixture.remove());

function padded(n: number) {
  const { key, envelope } = eventCandidate(n);
  return { key, envelope: { ...envelope, data: { note: `${n}`.repeat(100) } } };
}

const manifestOf = (entries: readonly SegmentEntry[]) =>
  ({ as_of: AS_OF, events: { last_event_id: null, count: 0, segments: entries } }) as unknown as Manifest;

const openLog = () =>
  new ReplayLog(inFolder(fixture.dir), { onDamagedIndex: ({ message }) => damage.push(message) });

async function opened(entries = segments): Promise<ReplayLog> {
  const log = openLog();
  await log.follow(manifestOf(entries));
  return log;
}

const pathOf = (entry: SegmentEntry | undefined): string => join(fixture.dir, segmentPath(entry?.name ?? ''));
const indexOf = (entry: SegmentEntry | undefined): string =>
  join(fixture.dir, segmentIndexPath(entry?.name ?? '', entry?.index?.sha256 ?? ''));

async function eventsOf(log: ReplayLog, subject?: string): Promise<string[]> {
  const { events } = await log.page({ fromMs: 0, limit: 1_000, subject });
  return JSON.parse(events.toString()).map((event: object) => JSON.stringify(event));
}

async function flip(file: string, at: number): Promise<void> {
  const bytes = await readFile(file);
  bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
  await writeFile(file, bytes);
}

const DAMAGES: readonly (readonly [string, (file: string) => Promise<void>])[] = [
  ['truncated', async (file) => writeFile(file, (await readFile(file)).subarray(0, -1))],
  ['empty', (file) => writeFile(file, '')],
  ['flipped', (file) => flip(file, 300)],
  ['missing', (file) => rm(file)],
  ['the index of another segment', async (file) => writeFile(file, await readFile(indexOf(segments[0])))],
];

test.each(DAMAGES)('an index that is %s is reported, and the segment is read instead', async (_, harm) => {
  await harm(indexOf(segments.at(-1)));
  const log = await opened();
  expect(damage).toEqual([expect.stringContaining(indexOf(segments.at(-1)))]);
  expect(await eventsOf(log)).toEqual(all);
  expect(await eventsOf(log, SUBJECT)).toEqual(all.filter((_, n) => n % 3 === 1));
  await log.check();
  log.close();
});

test.each(DAMAGES)('a damaged segment whose index is %s is not served', async (_, harm) => {
  await harm(indexOf(segments.at(-1)));
  await flip(pathOf(segments.at(-1)), 200);
  const log = openLog();
  await expect(log.follow(manifestOf(segments))).rejects.toThrow('is damaged');
  expect(log.count).toBe(0);
});

test('an intact index that a faulty manifest names for another segment is not used', async () => {
  const [first, second] = segments;
  const bytes = await readFile(indexOf(second));
  const wrong = segments.map((entry, n) =>
    n === 0 && second?.index ? { ...entry, index: second.index } : entry,
  );
  await writeFile(indexOf(wrong[0]), bytes);
  const log = await opened(wrong);
  expect([first?.count, log.count]).toEqual([wrong[0]?.count, COUNT]);
  expect(await eventsOf(log)).toEqual(all);
  log.close();
});

test('an index of the segment as it was before, or will be after an append, is not used', async () => {
  const older = segments.at(-1);
  const options = { maxSegmentBytes: 100_000, minIndexedBytes: 0 };
  const writer = await openEventLog(inFolder(fixture.dir), segments, options);
  const added = Array.from({ length: COUNT / 4 }, (_, n) => padded(COUNT + n));
  await writer.append(added, AS_OF_MS + COUNT);
  const newer = writer.segments().at(-1);
  expect([newer?.first, newer?.count]).toEqual([older?.first, (older?.count ?? 0) + added.length]);
  for (const [entry, other] of [
    [older, newer],
    [newer, older],
  ]) {
    if (entry === undefined || other?.index === undefined) throw new Error('no index');
    const wrong = { ...entry, index: other.index };
    await writeFile(indexOf(wrong), await readFile(indexOf(other)));
    const log = await opened([...segments.slice(0, -1), wrong]);
    expect(log.count).toBe(COUNT - (older?.count ?? 0) + entry.count);
    expect((await eventsOf(log)).slice(0, COUNT)).toEqual(all);
    log.close();
  }
});

test('whichever byte of a segment changes, pages have the published bytes or fail, and the check finds it', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(), fc.nat(), fc.boolean(), async (which, where, isOpenBefore) => {
      const entry = segments[which % segments.length];
      const at = where % (entry?.bytes ?? 1);
      const early = isOpenBefore ? await opened() : undefined;
      await flip(pathOf(entry), at);
      const log = early ?? (await opened());
      const pages = await Promise.allSettled(
        Array.from({ length: 12 }, (_, n) =>
          log.page({ fromMs: 0, limit: 20, after: n === 0 ? undefined : idOf(all[n * 20 - 1]) }),
        ),
      );
      for (const [n, page] of pages.entries())
        if (page.status === 'fulfilled')
          expect(page.value.events.toString()).toBe(`[${all.slice(n * 20, n * 20 + 20).join(',')}]`);
        else expect(page.reason).toBeInstanceOf(UnreadableLogError);
      await expect(log.check()).rejects.toThrow(`${pathOf(entry)} is damaged`);
      await expect(log.follow(manifestOf(segments))).rejects.toThrow('is damaged');
      await flip(pathOf(entry), at);
      await log.follow(manifestOf(segments));
      await log.check();
      expect(await eventsOf(log)).toEqual(all);
      log.close();
    }),
    { numRuns: 40 },
  );
});

const idOf = (envelope = '{}'): string => JSON.parse(envelope).event_id;

test('what was checked is not read again for checking', async () => {
  const log = await opened();
  await log.check();
  const [{ name = '' } = {}] = segments;
  const bytes = await readFile(join(fixture.dir, segmentPath(name)));
  expect(bytes.length).toBeGreaterThan(HASHED_BLOCK);
  await flip(join(fixture.dir, segmentPath(name)), HASHED_BLOCK + 1);
  await log.check();
  log.close();
});

test('the tail reports a segment that is damaged or lost behind its index once, until it is restored', async () => {
  const faults: string[] = [];
  const tail = new EventTail(openLog());
  tail.subscribe({ onFault: ({ message }) => faults.push(message) });
  const file = pathOf(segments[0]);
  const good = await readFile(file);
  await rm(file);
  await tail.follow(manifestOf(segments));
  await expect.poll(() => tail.fault?.message).toContain('is missing');
  for (let retry = 0; retry < 3; retry++) {
    tail.retry();
    await expect.poll(() => tail.fault?.message).toContain('found nothing');
  }
  expect(faults).toHaveLength(2);
  await writeFile(file, good);
  tail.retry();
  await expect.poll(() => tail.fault).toBeUndefined();
  expect(await eventsOf(tail.replay)).toEqual(all);
  await tail.stop();
});
