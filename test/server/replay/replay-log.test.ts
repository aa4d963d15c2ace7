import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ReplayLog } from '../../../server/replay/replay-log.ts';
import { type Disk, nodeDisk } from '../../../platform/storage/disk.ts';
import { type EventLog, openEventLog } from '../../../snapshots/events.ts';
import type { Manifest } from '../../../snapshots/layout.ts';
import { inFolder } from '../../support/in-folder.ts';
import { AS_OF, AS_OF_MS, eventCandidate, ServerFixture } from '../server-fixture.ts';

let fixture: ServerFixture;
beforeEach(async () => {
  fixture = await ServerFixture.create();
});
afterEach(() => fixture.remove());

const manifestOf = (segments: Manifest['events']['segments']) =>
  ({ as_of: AS_OF, events: { last_event_id: null, count: 0, segments } }) as unknown as Manifest;

const idOf = (envelope: string): string => JSON.parse(envelope).event_id;

interface Filter {
  readonly type?: string | undefined;
  readonly subject?: string | undefined;
}

const fits = (envelope: string, filter: Filter) => {
  const { type, subject_id } = JSON.parse(envelope);
  return (filter.type ?? type) === type && (filter.subject ?? subject_id) === subject_id;
};

async function walk(log: ReplayLog, filter: Filter & { readonly limit: number }) {
  const seen: string[] = [];
  for (let after: string | undefined; ; ) {
    const { events, nextCursor } = await log.page({ after, fromMs: 0, ...filter });
    seen.push(...JSON.parse(events.toString()).map((event: object) => JSON.stringify(event)));
    if (nextCursor === '') return seen;
    after = nextCursor;
  }
}

const batches = fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 8 });
const filters = fc.record({
  type: fc.option(fc.constantFrom('oracle.stale', 'oracle.feed.invalid'), { nil: undefined }),
  subject: fc.option(fc.constantFrom('oracle:ethereum:0xf0:0xf0', 'oracle:ethereum:0xf2:0xf2'), {
    nil: undefined,
  }),
  limit: fc.integer({ min: 1, max: 9 }),
});
const segmentBytes = fc.integer({ min: 300, max: 4_000 });

/** Appends the batches one after another, follows the log after each, and returns every envelope in order. */
async function appendAndFollow(
  log: ReplayLog,
  writer: EventLog,
  sizes: readonly number[],
): Promise<string[]> {
  const all: string[] = [];
  for (const [step, size] of sizes.entries()) {
    const candidates = Array.from({ length: size }, (_, i) => eventCandidate(all.length + i));
    const appended = await writer.append(candidates, AS_OF_MS + step);
    all.push(...appended.map(({ envelope }) => envelope));
    await log.follow(manifestOf(writer.segments()));
    expect(log.count).toBe(all.length);
  }
  return all;
}

test('with any batches, merges and filters, the result equals that of a plain list', async () => {
  await fc.assert(
    fc.asyncProperty(batches, filters, segmentBytes, async (sizes, filter, maxSegmentBytes) => {
      const location = await ServerFixture.create();
      const writer = await openEventLog(inFolder(location.dir), [], { maxSegmentBytes });
      const log = new ReplayLog(inFolder(location.dir));
      const all = await appendAndFollow(log, writer, sizes);
      expect(await walk(log, filter)).toEqual(all.filter((envelope) => fits(envelope, filter)));
      log.close();
      await location.remove();
    }),
    { numRuns: 25 },
  );
});

test('names with quotes, backslashes and letters of any script are found', async () => {
  const subjects = ['a"b', 'a\\b', 'ü:é', '","type":"x', '日本', 'x'.repeat(2_000), '"subject_id":"y"'];
  const candidates = subjects.map((subject_id, n) => {
    const { key, envelope } = eventCandidate(n);
    return {
      key,
      envelope: { ...envelope, subject_id, data: { subject_id: 'other', type: 'other', ts: 'x' } },
    };
  });
  await fixture.append(candidates);
  const log = new ReplayLog(inFolder(fixture.dir));
  await log.follow(manifestOf(fixture.segments));
  for (const subject of subjects) {
    const { events } = await log.page({ fromMs: 0, subject, limit: 10 });
    expect(JSON.parse(events.toString()).map((event: { subject_id: string }) => event.subject_id)).toEqual([
      subject,
    ]);
  }
  expect(JSON.parse((await log.page({ fromMs: 0, subject: 'other', limit: 10 })).events.toString())).toEqual(
    [],
  );
  log.close();
});

test('only new data is read, and a damaged segment does not affect readers', async () => {
  const read: string[] = [];
  const disk: Disk = {
    ...nodeDisk,
    read: (path) => {
      read.push(path);
      return nodeDisk.read(path);
    },
  };
  await fixture.append(Array.from({ length: 50 }, (_, n) => eventCandidate(n)));
  const log = new ReplayLog(inFolder(fixture.dir, disk));
  await log.follow(manifestOf(fixture.segments));
  await log.follow(manifestOf(fixture.segments));
  expect(read.length).toBe(1);
  await fixture.append([eventCandidate(50)]);
  expect(fixture.segments.length).toBe(2);
  const wrong = fixture.segments.map((segment, n) =>
    n === 1 ? { ...segment, sha256: '0'.repeat(64) } : segment,
  );
  await expect(log.follow(manifestOf(wrong))).rejects.toThrow('is damaged');
  expect(log.count).toBe(50);
  await log.follow(manifestOf(fixture.segments));
  expect([log.count, read.length]).toEqual([51, 3]);
  log.close();
});

test('a log that was replaced is read from its start', async () => {
  await fixture.append(Array.from({ length: 9 }, (_, n) => eventCandidate(n)));
  const log = new ReplayLog(inFolder(fixture.dir));
  await log.follow(manifestOf(fixture.segments));
  const other = await ServerFixture.create();
  const appended = await other.append(
    Array.from({ length: 4 }, (_, n) => eventCandidate(n + 1)),
    AS_OF_MS + 1,
  );
  const moved = new ReplayLog(inFolder(other.dir));
  await moved.follow(manifestOf(other.segments));
  await expect(log.follow(manifestOf(other.segments))).rejects.toThrow();
  expect(log.count).toBe(9);
  expect((await walk(moved, { limit: 10 })).map(idOf)).toEqual(appended.map(idOf));
  log.close();
  moved.close();
  await other.remove();
});

test('pages being read when the files are replaced are completed', async () => {
  await fixture.append(Array.from({ length: 300 }, (_, n) => eventCandidate(n)));
  const log = new ReplayLog(inFolder(fixture.dir));
  await log.follow(manifestOf(fixture.segments));
  const pages = Array.from({ length: 20 }, () => log.page({ fromMs: 0, limit: 300 }));
  await fixture.append(Array.from({ length: 300 }, (_, n) => eventCandidate(n + 300)));
  await log.follow(manifestOf(fixture.segments));
  for (const page of await Promise.all(pages)) expect(JSON.parse(page.events.toString()).length).toBe(300);
  expect(log.count).toBe(600);
  log.close();
});

test('envelopes are returned in order, byte for byte, after any id', async () => {
  const log = new ReplayLog(inFolder(fixture.dir));
  expect([log.lastId, await log.envelopes(undefined, 10)]).toEqual([undefined, []]);
  const envelopes = await fixture.append(Array.from({ length: 7 }, (_, n) => eventCandidate(n)));
  await log.follow(manifestOf(fixture.segments));
  const seen = async (after: string | undefined, limit: number) =>
    (await log.envelopes(after, limit)).map(({ id, bytes }) => [id, bytes.toString()]);
  const all = envelopes.map((envelope) => [idOf(envelope), envelope]);
  expect(await seen(undefined, 100)).toEqual(all);
  expect(await seen(all[2]?.[0], 3)).toEqual(all.slice(3, 6));
  expect(await seen(log.lastId, 10)).toEqual([]);
  expect(log.lastId).toBe(all[6]?.[0]);
  const [first = '', second = ''] = all.map(([id]) => id);
  expect((await log.envelope(second))?.toString()).toBe(envelopes[1]);
  expect(await log.envelope('01HZX3K9Q4T2V7B8N6M5P1R0SD')).toBeUndefined();
  expect([log.idBefore(first), log.idBefore(second)]).toEqual([undefined, first]);
  log.close();
});

test('events that are far apart, and those of more segments than may be open, are read in order', async () => {
  const writer = await openEventLog(inFolder(fixture.dir), [], { maxSegmentBytes: 1, minIndexedBytes: 0 });
  const all: string[] = [];
  for (let n = 0; n < 300; n++) {
    const { key, envelope } = eventCandidate(n);
    const candidate = {
      key,
      envelope: { ...envelope, data: { note: 'x'.repeat(n % 3 === 0 ? 20_000 : 10) } },
    };
    all.push(...(await writer.append([candidate], AS_OF_MS + n)).map(({ envelope }) => envelope));
  }
  expect(writer.segments()).toHaveLength(300);
  const log = new ReplayLog(inFolder(fixture.dir));
  await log.follow(manifestOf(writer.segments()));
  const subject = 'oracle:ethereum:0xf1:0xf1';
  for (const limit of [300, 64, 7]) {
    expect(await walk(log, { limit })).toEqual(all);
    expect(await walk(log, { subject, limit })).toEqual(
      all.filter((envelope) => fits(envelope, { subject })),
    );
  }
  await log.check();
  expect(await walk(log, { limit: 300 })).toEqual(all);
  log.close();
});
