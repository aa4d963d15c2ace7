// States of sources as rows: first all of them, then only changes; and the contents of each state.
import { afterEach, expect, test } from 'vitest';
import type { ColumnsDelivery } from '../../../../../jobs/define/source.ts';
import type { LiveSource } from '../../../../../jobs/sources/live/fetch/live-source.ts';
import { stateLog } from '../../../../../jobs/sources/live/fetch/state-log.ts';
import { domains } from '../../../../../jobs/registry.ts';
import { json, type Reply } from '../http/replay-server.ts';
import { openFixture, START, sourceOf } from '../fetching-fixture.ts';

const NOW = START / 1000;
const HOUR = 3_600;
const rawTables = domains.flatMap(({ raw }) => raw);
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function opened(reply: (count: number) => Reply) {
  const fixture = await openFixture((_, count) => reply(count));
  closing.push(fixture.close);
  return fixture;
}

const fields = { protocol: 'a', observed_at: { recording: 'as_of' }, tvl_usd: 'tvl' };
const things = sourceOf({ every: '1h', fields, attribution: 'Things', redistributable: true });
const off = sourceOf({ is_on: false, fields }, 'off');
const keyed = sourceOf(
  { fields, request: { url: 'https://api.example/x', headers: { key: `\${THINGS_KEY}` } } },
  'keyed',
);

function noting(folder: Parameters<typeof stateLog>[0]['folder'], ...sources: readonly LiveSource[]) {
  const log = stateLog({ sources, folder, hasSecret: () => false, rawTables });
  return async (to: number, isLanded = true) => {
    const rows: { readonly [field: string]: unknown }[] = [];
    for await (const delivery of log.deliveries({ from: 0, to })) {
      const { count, columns } = delivery as ColumnsDelivery;
      for (let index = 0; index < count; index++)
        rows.push(Object.fromEntries(Object.entries(columns).map(([name, all]) => [name, all[index]])));
      if (isLanded) log.landed?.(delivery);
    }
    return rows;
  };
}

test('first all states are noted, with the setting that turns on those that are off; later only changes', async () => {
  const { start, clock, folder } = await opened(() => json([{ a: 'x', tvl: 1 }]));
  const note = noting(folder, things, off, keyed);
  expect(await note(NOW - 1)).toMatchObject([
    { source: 'things', state: 'waiting', reason: 'not read yet', setting: null, next_try_at: null },
    { source: 'off', state: 'off', setting: 'sources.off.is_on', overdue_at: null },
    { source: 'keyed', state: 'needs_key', setting: 'THINGS_KEY', next_try_at: null },
  ]);
  expect(await note(NOW - 1)).toEqual([]);
  await start(things).once();
  const [row, ...others] = await note(NOW + 60);
  expect(others).toEqual([]);
  expect(row).toMatchObject({
    source: 'things',
    table_name: 'tvl_reading',
    roster_at: NOW - 1,
    noted_at: NOW + 60,
    hosts: 'api.example',
    state: 'reading',
    outcome: 'accepted',
    every_s: HOUR,
    accepted_at: NOW,
    read_through_at: NOW,
    last_read_at: NOW,
    next_try_at: NOW + HOUR,
    overdue_at: NOW + 2 * HOUR,
    circuit_open_until: null,
    records: 1,
    is_restated: true,
    attribution: 'Things',
    is_redistributable: true,
  });
  await clock.sleep(HOUR * 1000);
  await start(things).once();
  expect(await note(NOW + HOUR + 1)).toMatchObject([
    { outcome: 'unchanged', accepted_at: NOW, read_through_at: NOW + HOUR },
  ]);
});

test('a failure keeps the last reading, has a reason and is retried; recordings later than the run are ignored', async () => {
  const { start, clock, folder } = await opened((count) =>
    count === 1 ? json([{ a: 'x', tvl: 1 }]) : { status: 404, body: 'gone' },
  );
  const note = noting(folder, things);
  await start(things).once();
  await note(NOW + 1);
  await clock.sleep(HOUR * 1000);
  await start(things).once();
  expect(await note(NOW + HOUR - 1)).toEqual([]);
  const [row] = await note(NOW + HOUR + 60);
  expect(row).toMatchObject({
    state: 'failing',
    outcome: 'failed',
    last_read_at: NOW,
    last_try_at: NOW + HOUR,
  });
  expect(row?.['reason']).toContain('404');
  expect(row?.['overdue_at']).toBe(NOW + 2 * HOUR);
});

test('repeated failures are noted once an hour, and immediately when the reason changes', async () => {
  let answer: Reply = { status: 503 };
  const { start, clock, folder } = await opened(() => answer);
  const note = noting(folder, things);
  /** Notes made within the given number of minutes. */
  const notesIn = async (minutes: number) => {
    const notes: string[] = [];
    for (let minute = 0; minute < minutes; minute++) {
      await start(things).once();
      for (const { reason } of await note(clock.nowMs() / 1000))
        notes.push(/\d{3}/.exec(String(reason))?.[0] ?? 'reading');
      await clock.sleep(60_000);
    }
    return notes;
  };
  expect(await notesIn(170)).toEqual(['503', '503', '503']);
  answer = { status: 404, body: 'gone' };
  expect(await notesIn(62)).toEqual(['503', '404']);
  answer = json([{ a: 'x', tvl: 1 }]);
  expect((await notesIn(62)).at(-1)).toBe('reading');
});

test('while the circuit of a host is open, the state says why it failed', async () => {
  const { start, folder } = await opened(() => ({ status: 503 }));
  await start(things, sourceOf({ fields }, 'more')).once();
  const [row] = await noting(folder, things)(NOW + 600);
  expect(row).toMatchObject({ state: 'failing', reason: expect.stringContaining('503') });
});

test('one partition that is no longer read makes the whole source overdue', async () => {
  const { start, clock, folder } = await opened(() => json([{ a: 'x', tvl: 1 }]));
  const each = [{ n: '1' }, { n: '2' }];
  const both = sourceOf({ every: '1h', fields, each, request: { url: 'https://api.example/{n}' } });
  const [first] = both.partitions;
  await start(both).once();
  await clock.sleep(HOUR * 1000);
  await start({ ...both, partitions: first === undefined ? [] : [first] }).once();
  const [row] = await noting(folder, both)(NOW + HOUR + 60);
  expect(row).toMatchObject({ last_read_at: NOW + HOUR, overdue_at: NOW + 2 * HOUR, read_through_at: NOW });
});

test('what did not land is noted again', async () => {
  const { folder } = await opened(() => json([]));
  const note = noting(folder, off);
  expect(await note(NOW, false)).toHaveLength(1);
  expect(await note(NOW + 300)).toMatchObject([{ roster_at: NOW + 300 }]);
  expect(await note(NOW + 600)).toEqual([]);
});

test('rows with their own times are not restated by an unchanged reading', async () => {
  const { start, folder } = await opened(() => json([{ a: 'x', tvl: 1, at: 5 }]));
  const own = sourceOf({ fields: { ...fields, observed_at: { from: 'at', time: 'unix_s' } } });
  await start(own).once();
  expect(await noting(folder, own)(NOW + 1)).toMatchObject([{ is_restated: false }]);
});
