// A version says since when nothing has been fetched, so that its readers do not take silence for calm.
import { expect, test } from 'vitest';
import type { SourceReading } from '../../../../jobs/pipeline/gate/source-readings.ts';
import { inputsOf } from '../../../../jobs/pipeline/publish/inputs.ts';

const NOW = 1_773_133_200;
const HOUR_S = 3_600;
const DAY_S = 86_400;

const reading = (source: string, every_s: number, last_try_at: number | null): SourceReading => ({
  ...{ source, table: 'feed_round', state: 'reading', reason: null, is_on: true, every_s, last_try_at },
  last_read_at: last_try_at,
  next_try_at: last_try_at === null ? null : last_try_at + every_s,
  overdue_at: last_try_at === null ? null : last_try_at + 2 * every_s,
});

function silence(...sources: readonly SourceReading[]): number | undefined {
  const ingest = { receipts: () => [] };
  const models = { models: [], events: [], audits: [] };
  const quality = { source_max_age_s: {} };
  const context = { domains: [], models, sources: [], ingest, policy: { quality } } as unknown as Parameters<
    typeof inputsOf
  >[0];
  const gathered = { receipts: [], failures: [] } as unknown as Parameters<typeof inputsOf>[1]['gathered'];
  const readings = { sources, tables: new Map() };
  return inputsOf(context, { now: NOW, gathered, readings }).silent_since;
}

test.each([
  ['for twice the shortest interval after it was due', NOW - 3 * HOUR_S - 1, NOW - 3 * HOUR_S - 1],
  ['no longer than that', NOW - 3 * HOUR_S, undefined],
])('a source that has not been tried %s', (_, last, since) => {
  expect(silence(reading('hourly', HOUR_S, last), reading('daily', DAY_S, last))).toBe(since);
});

test('one source that is tried is enough', () => {
  expect(silence(reading('hourly', HOUR_S, NOW - DAY_S), reading('daily', DAY_S, NOW - 60))).toBeUndefined();
});

test('before the first attempt, and without a source that is on, nothing is silent', () => {
  expect(silence(reading('hourly', HOUR_S, null))).toBeUndefined();
  expect(silence({ ...reading('hourly', HOUR_S, NOW - DAY_S), is_on: false })).toBeUndefined();
  expect(silence()).toBeUndefined();
});
