// Times that sources state have a range: no wrong number turns a source off permanently, dates rows to another age, or hides the source.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import { fetchingSilentSince, listSources, sourceStates } from '../../../../jobs/commands/sources.ts';
import type { ColumnsDelivery } from '../../../../jobs/define/source.ts';
import { landable } from '../../../../jobs/sources/live/fetch/recording.ts';
import { stateLog } from '../../../../jobs/sources/live/fetch/state-log.ts';
import { domains } from '../../../../jobs/registry.ts';
import { json, type Reply } from './http/replay-server.ts';
import { openFixture, START, sourceOf } from './fetching-fixture.ts';

const NOW = START / 1000;
const DAY = 86_400;
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});
const open = async (reply: () => Reply) => {
  const fixture = await openFixture(reply);
  closing.push(fixture.close);
  return fixture;
};
const rows = [{ id: 1 }];

test.each([
  ['retry-after', '86400', DAY],
  ['retry-after', '86401', DAY],
  ['retry-after', '99999999999999999', DAY],
  ['retry-after', 'Fri, 31 Dec 9999 23:59:59 GMT', DAY],
  ['retry-after', '3600', 3_600],
  ['x-ratelimit-reset', '1e300', DAY],
  ['x-ratelimit-reset', String(NOW + 600), 600],
])('%s: %s delays the next attempt by %i seconds at most', async (header, value, seconds) => {
  const headers = { [header]: value, 'x-ratelimit-remaining': '0' };
  const { start, recordings } = await open(() => ({ status: 429, headers }));
  await start(sourceOf({})).once();
  expect((await recordings())[0]?.retry_at).toBe(NOW + seconds);
});

test('while a host asks for no requests, its other sources say so instead of waiting', async () => {
  const { start, recordings, server } = await open(() => ({
    status: 429,
    headers: { 'retry-after': '7200' },
  }));
  await start(sourceOf({}), sourceOf({}, 'other')).once();
  expect(server.asked).toHaveLength(1);
  // Which of the two reaches the host first is left to the event loop.
  const both = [...(await recordings()), ...(await recordings('other'))];
  expect(both.map(({ fault }) => fault).sort()).toEqual(['circuit', 'limit']);
  for (const one of both) expect(one).toMatchObject({ outcome: 'failed', retry_at: NOW + 7_200 });
});

test.each(['1e300', '8e15', '1000000000', String(30 * DAY + 1)])('an Age of %s never lands', async (age) => {
  const fixture = await open(() => json(rows, { age }));
  const source = sourceOf({ every: '1h' });
  for (let hour = 0; hour < 30; hour++) {
    await fixture.start(source).once();
    await fixture.clock.sleep(3_600_000);
  }
  const all = await fixture.recordings();
  expect(landable(all)).toEqual([]);
  expect(all.at(-1)).toMatchObject({
    outcome: 'suspect',
    reasons: [expect.stringMatching(/age of [\d,]+ days|age of ∞ days/)],
  });
  const lines: string[] = [];
  const now = fixture.clock.nowMs() / 1000;
  const shown = { sources: [source], recordingsOf: () => fixture.recordings(), hasSecret: () => true, now };
  await listSources(shown, (line) => lines.push(line), false);
  expect(lines[0]).toContain('things');
});

test.each(['0', '900', String(30 * DAY), '-5', 'soon'])('an Age of %s is in range', async (age) => {
  const { start, recordings } = await open(() => json(rows, { age }));
  await start(sourceOf({})).once();
  expect((await recordings())[0]).toMatchObject({
    outcome: 'accepted',
    as_of: NOW - Math.max(0, Number(age) || 0),
  });
});

test('a clock that is a day ahead or more makes a reading unusable, and admits no row of the far future', async () => {
  const { start, recordings, clock } = await open(() =>
    json(rows, { date: 'Fri, 31 Dec 9999 23:59:59 GMT' }),
  );
  for (let hour = 0; hour < 3; hour++) {
    await start(sourceOf({ every: '1h' })).once();
    await clock.sleep(3_600_000);
  }
  const all = await recordings();
  expect(landable(all)).toEqual([]);
  expect(all[0]?.newest_possible).toBe(NOW + DAY);
});

const rawTables = domains.flatMap(({ raw }) => raw);
const stateTable = rawTables.find(({ name }) => name === 'source_state');

/** Landing refuses no field of the first row. */
function expectValid(columns: ColumnsDelivery['columns']): void {
  for (const { name, type, min, required } of stateTable?.fields ?? []) {
    const value = columns[name]?.[0];
    if (required === true) expect(value ?? null, name).not.toBeNull();
    if (type !== 'BIGINT' || value === null || value === undefined) continue;
    expect(Number.isSafeInteger(value), `${name} ${value}`).toBe(true);
    expect(Number(value), name).toBeGreaterThanOrEqual(min ?? 0);
  }
}

/** Rewrites the only recording of the source with these members changed. */
function changingRecording(dir: string): (members: object) => void {
  const day = join(dir, 'recordings', 'things', '2026-01-01');
  const [name = ''] = readdirSync(day).filter((one) => one.endsWith('.json'));
  const original = JSON.parse(readFileSync(join(day, name), 'utf8'));
  return (members) => writeFileSync(join(day, name), JSON.stringify({ ...original, ...members }));
}

const ANY_TIME = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(1e17, -1e17, 8e15, 1e300),
);

test('recordings of an earlier version with any times hide no source, and end no command', async () => {
  const fixture = await open(() => json(rows));
  const source = sourceOf({ every: '1h', fields: { observed_at: { recording: 'as_of' } } });
  await fixture.start(source).once();
  const change = changingRecording(fixture.folder.dir);
  await fc.assert(
    fc.asyncProperty(
      ANY_TIME,
      ANY_TIME,
      fc.constantFrom('failed', 'accepted', 'suspect'),
      async (time, retry, outcome) => {
        change({
          as_of: time,
          newest_possible: time,
          retry_at: retry,
          outcome,
          fault: 'circuit',
          window: { from: time, to: retry },
        });
        const now = NOW + 60;
        const shown = {
          sources: [source],
          recordingsOf: () => fixture.recordings(),
          hasSecret: () => true,
          now,
        };
        const lines: string[] = [];
        await listSources(shown, (line) => lines.push(line), false);
        expect(lines[0]).toContain('things -> tvl_reading');
        expect((await sourceStates(shown))[0]?.next_try_at).toBeLessThanOrEqual(NOW + 2 * DAY);
        const log = stateLog({ sources: [source], folder: fixture.folder, hasSecret: () => true, rawTables });
        for await (const delivery of log.deliveries({ from: 0, to: now }))
          expectValid((delivery as ColumnsDelivery).columns);
      },
    ),
    { numRuns: 60 },
  );
});

test.each([
  [7_200, null],
  [7_201, NOW],
])('%i s after the last of hourly readings, fetching is silent since %s', async (later, since) => {
  const fixture = await open(() => json(rows));
  const sources = [
    sourceOf({ every: '1h' }),
    sourceOf({ every: '2h' }, 'rare'),
    sourceOf({ is_on: false }, 'off'),
  ];
  await fixture.start(...sources.slice(0, 2)).once();
  const now = NOW + 3_600 + later;
  const shown = { sources, recordingsOf: fixture.recordings, hasSecret: () => true, now };
  const silent = fetchingSilentSince(await sourceStates(shown), now);
  expect(silent === null ? null : Math.floor(silent)).toBe(since);
  const lines: string[] = [];
  await listSources(shown, (line) => lines.push(line), false);
  expect(lines.some((line) => line.includes('Nothing has been fetched since 2026-01-01T00:00:00Z'))).toBe(
    since !== null,
  );
});
