// Readings of sources: what is known after each, and that a reading is not known before its rows have landed.
import { afterEach, expect, test } from 'vitest';
import type { ColumnsDelivery, Delivery } from '../../../../../jobs/define/source.ts';
import { landingSources } from '../../../../../jobs/sources/live/fetch/landing-sources.ts';
import type { LiveSource } from '../../../../../jobs/sources/live/fetch/live-source.ts';
import type { Recording } from '../../../../../jobs/sources/live/fetch/recording.ts';
import { ReadingLog } from '../../../../../jobs/sources/live/fetch/source-readings.ts';
import { json } from '../http/replay-server.ts';
import { openFixture, START, sourceOf } from '../fetching-fixture.ts';

const NOW = START / 1000;
const FAR = { from: 0, to: NOW + 1_000_000 };
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function opened(...given: Parameters<typeof openFixture>) {
  const fixture = await openFixture(...given);
  closing.push(fixture.close);
  return fixture;
}

/** Lands each delivery before requesting the next, as a run does, unless it is refused. */
async function gather(
  { sources, log }: { sources: ReturnType<typeof landingSources>; log: ReadingLog },
  isRefused: (delivery: Delivery) => boolean = () => false,
) {
  for (const source of sources)
    for await (const delivery of source.deliveries(FAR)) if (!isRefused(delivery)) source.landed?.(delivery);
  const rows: { readonly [field: string]: unknown }[] = [];
  for (const readings of log.sources()) {
    for await (const delivery of readings.deliveries(FAR)) {
      const { count, columns } = delivery as ColumnsDelivery;
      for (let index = 0; index < count; index++)
        rows.push(Object.fromEntries(Object.entries(columns).map(([name, values]) => [name, values[index]])));
      readings.landed?.(delivery);
    }
  }
  return rows;
}

function landingOf(folder: Parameters<typeof landingSources>[1], ...sources: readonly LiveSource[]) {
  const log = new ReadingLog();
  return { log, sources: landingSources(sources, folder, () => true, log) };
}

const emptyRecording: Recording = {
  ...{ id: 'r', source: 'things', partition: '', params: {}, outcome: 'accepted', reasons: [], fault: null },
  ...{ retry_at: null, window: { from: NOW, to: NOW }, urgency: 'tip', fetched_at: NOW, as_of: NOW },
  ...{ newest_possible: NOW, block: null, license: null, sha256: null, bytes: 0, records: 0, ended: null },
  ...{ shape: [], newest: null, confirms: [], pages: [] },
};
const present = sourceOf({ every: '1h', chain: 'ethereum', fields: { protocol: 'a' } });

test('a reading of the present covers everything up to the time of the response, changed or not', async () => {
  const { start, clock, folder } = await opened(() => ({ ...json([{ a: 1 }]), headers: { age: '60' } }));
  const landing = landingOf(folder, present);
  await start(present).once();
  expect(await gather(landing)).toMatchObject([
    {
      source: 'things',
      table_name: 'tvl_reading',
      partition_key: 'all',
      chain: 'ethereum',
      outcome: 'accepted',
      since_at: NOW - 60,
      read_from_at: 0,
      read_through_at: NOW - 60,
      every_s: 3_600,
    },
  ]);
  await clock.sleep(3_600_000);
  await start(present).once();
  const again = await gather(landing);
  expect(again).toMatchObject([{ outcome: 'unchanged', since_at: NOW - 60, read_from_at: 0 }]);
  expect(again[0]?.['read_through_at']).toBeGreaterThanOrEqual(NOW + 3_540);
  expect(await gather(landing)).toEqual([]);
});

test('a reading is known only once its rows have landed', async () => {
  const { start, folder } = await opened(() => json([{ a: 1 }]));
  const landing = landingOf(folder, present);
  await start(present).once();
  expect(await gather(landing, () => true)).toEqual([]);
  expect(await gather(landing)).toHaveLength(1);
});

test('a failed reading moves nothing', async () => {
  const { start, folder } = await opened(() => ({ status: 404, body: '' }));
  const landing = landingOf(folder, present);
  await start(present).once();
  expect(await gather(landing)).toEqual([]);
});

test('windows are merged into spans: a gap after an outage ends one, and filling it merges both', async () => {
  const windowed = sourceOf({
    every: '1h',
    window: { history: '4h', step: '1h', overlap: '10m' },
    guards: { min_records: 0 },
    fields: { protocol: 'a' },
  });
  const { start, clock, folder } = await opened(() => json([]));
  const landing = landingOf(folder, windowed);
  await start(windowed).once();
  const first = await gather(landing);
  expect(first.at(-1)).toMatchObject({ read_from_at: NOW - 14_400, read_through_at: NOW });
  await clock.sleep(3 * 3_600_000 + 1_800_000);
  await start(windowed).once();
  const later = await gather(landing);
  const now = NOW + 12_600;
  // The newest window comes first, and is a span of its own.
  expect(later[0]).toMatchObject({ since_at: NOW + 10_800, read_from_at: NOW + 10_800 });
  expect(Number(later[0]?.['read_through_at'])).toBeGreaterThanOrEqual(now);
  expect(later.at(-1)).toMatchObject({ since_at: NOW, read_from_at: NOW - 14_400 });
  expect(Number(later.at(-1)?.['read_through_at'])).toBeGreaterThanOrEqual(now);
});

test('a new process delivers the same readings again', async () => {
  const { start, clock, folder } = await opened(() => json([{ a: 1 }]));
  const landing = landingOf(folder, present);
  const before: unknown[] = [];
  for (let hour = 0; hour < 3; hour++) {
    await start(present).once();
    before.push(...(await gather(landing)));
    await clock.sleep(3_600_000);
  }
  expect(before).toHaveLength(3);
  expect(await gather(landingOf(folder, present))).toEqual(before);
});

test('a subject missing from a reading has its own row, before the reading', async () => {
  const { folder } = await opened(() => json([]));
  const { log } = landingOf(folder, present);
  const recording = {
    ...emptyRecording,
    missing: [{ subject: '0xf', reason: `\u001b[31m${'x'.repeat(500)}` }],
  };
  log.note(present, present, [recording]);
  const rows = await gather({ sources: [], log });
  expect(rows).toMatchObject([
    { source: 'things', table_name: 'tvl_reading', partition_key: 'all', subject: '0xf', since_at: NOW },
    { source: 'things', recording: recording.id, read_through_at: NOW },
  ]);
  expect(rows[0]?.['recording']).toBe(recording.id);
  // Control characters of a foreign text are written out: landing refuses rows that contain any.
  expect(String(rows[0]?.['reason'])).toHaveLength(400);
  expect(String(rows[0]?.['reason'])).toMatch(/^\\u001b\[31mx+$/);
  expect(await gather({ sources: [], log })).toEqual([]);
});

test('when a missing subject is read again, the span starts at the first reading that lacked it', async () => {
  const { folder } = await opened(() => json([]));
  const { log } = landingOf(folder, present);
  const lacking = (...subjects: readonly string[]) => subjects.map((subject) => ({ subject, reason: 'r' }));
  const missing = [[], lacking('0xa'), lacking('0xa', '0xb'), lacking('0xb'), lacking('0xb'), [], []];
  const recordings = missing.map((lacks, hour) => ({
    ...emptyRecording,
    ...{ id: `r${hour}`, as_of: NOW + hour * 3_600, missing: lacks },
  }));
  log.note(present, present, recordings);
  const rows = await gather({ sources: [], log });
  const since = rows.filter((row) => 'outcome' in row).map((row) => (Number(row['since_at']) - NOW) / 3_600);
  // 0xa is missing from the second reading on and read in the fourth; 0xb is missing from the third on and read in the sixth.
  expect(since).toEqual([0, 0, 1, 0, 3, 1, 5]);
});
