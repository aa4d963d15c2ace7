// Recordings whose rows name their tables: for a source whose table has no rows in a recording, there is nothing to land, and it counts
// as read.
import { expect, test } from 'vitest';
import { tidyRecordings } from '../../../../jobs/app/live-landing.ts';
import { landingSources } from '../../../../jobs/sources/live/fetch/landing-sources.ts';
import { hasRowsFor, type Recording, tablesIn } from '../../../../jobs/sources/live/fetch/recording.ts';
import {
  type RecordingFolder,
  recordingId,
  writeRecording,
} from '../../../../jobs/sources/live/fetch/recording-store.ts';
import { ReadingLog } from '../../../../jobs/sources/live/fetch/source-readings.ts';
import { nodeDisk } from '../../../../platform/storage/disk.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { START, sourceOf } from './fetching-fixture.ts';

const NOW = START / 1000;
const PAGE = { records: 2, file: '', file_sha256: 'a', sha256: 'a', bytes: 1, status: 200, headers: {} };
const page = (tables?: string[]) => ({
  ...PAGE,
  request: { method: 'GET', url: '', body: null },
  ...(tables === undefined ? {} : { tables }),
});

test('a page has rows for a mapping unless its rows name other tables', () => {
  const where = (one: object) => ({ where: one }) as Parameters<typeof hasRowsFor>[1];
  expect(hasRowsFor(page(['a', 'b']), where({ table: 'b' }))).toBe(true);
  expect(hasRowsFor(page(['a']), where({ table: 'b' }))).toBe(false);
  expect(hasRowsFor(page(), where({ table: 'b' }))).toBe(true);
  expect(hasRowsFor(page(['a']), where({ table: ['b', 'a'] }))).toBe(true);
  expect(hasRowsFor(page(['a']), { where: null })).toBe(true);
  expect(hasRowsFor({ ...page(['a']), records: 0 }, { where: null })).toBe(false);
  expect(tablesIn([{ table: 'a' }, { table: 'b' }, { table: 'a' }])).toEqual({ tables: ['a', 'b'] });
  expect(tablesIn([{ table: 'a' }, { other: 1 }])).toEqual({});
  expect(tablesIn([])).toEqual({});
});

/** Writes readings one hour apart, with rows of one table. */
async function writeHours(folder: RecordingFolder, hours: number): Promise<void> {
  for (let hour = 0; hour < hours; hour++) {
    const rows = [{ table: 'tvl_reading', a: 'x', tvl: hour }];
    const at = NOW + hour * 3_600;
    const facts: Omit<Recording, 'pages' | 'sha256' | 'bytes' | 'records'> = {
      ...{ id: recordingId(at, 1), source: 'things', partition: '', params: {}, outcome: 'accepted' },
      ...{ reasons: [], fault: null, retry_at: null, window: { from: at, to: at }, urgency: 'tip' },
      ...{ fetched_at: at, as_of: at, newest_possible: at, block: null, license: null, ended: null },
      ...{ shape: [], newest: null, confirms: [] },
    };
    const { request, status, headers } = page();
    await writeRecording(folder, facts, [
      {
        body: Buffer.from(`${JSON.stringify(rows[0])}\n`),
        facts: { records: 1, ...tablesIn(rows), request, status, headers },
      },
    ]);
  }
}

test('only sources with rows in a recording receive it; for the others it counts as read and may be removed', async () => {
  const dataFolder = { disk: nodeDisk, dir: temporaryFolder('named-tables') };
  const fields = { protocol: 'a', observed_at: { recording: 'as_of' }, tvl_usd: 'tvl' } as const;
  const section = { fields, format: 'ndjson', every: '1h' } as const;
  const own = sourceOf({ ...section, where: { table: 'tvl_reading' } });
  const other = {
    ...sourceOf({ ...section, where: { table: 'yield_venue' } }, 'others'),
    ...{ request: null, fetched_by: 'things' },
  };
  await writeHours(dataFolder, 25);
  const readings = new ReadingLog();
  const offered: { [id: string]: number } = {};
  for (const source of landingSources([own, other], dataFolder, () => true, readings)) {
    for await (const _ of source.deliveries({ from: 0, to: NOW + 86_400 * 2 }))
      offered[source.facts.id] = (offered[source.facts.id] ?? 0) + 1;
  }
  expect(offered).toEqual({ things: 25 });
  const noted: unknown[] = [];
  for (const source of readings.sources())
    for await (const delivery of source.deliveries({ from: 0, to: NOW }))
      if (delivery.kind === 'columns') noted.push(...(delivery.columns['source'] as readonly unknown[]));
  expect(new Set(noted)).toEqual(new Set(['others']));
  const tidied = await tidyRecordings({
    sources: [own, other],
    landing: new Set(['others']),
    folder: dataFolder,
    receiptsOf: () => [],
    limits: { keep_s: 0, max_bytes: 1 },
    now: NOW + 86_400 * 3,
  });
  expect(tidied.removed).toBe(5);
});
