// Successive readings of a source that are not credible: which wait for confirmation, for how long, and which are never accepted.
import { afterEach, expect, test } from 'vitest';
import { landable } from '../../../../../jobs/sources/live/fetch/recording.ts';
import { json } from '../http/replay-server.ts';
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

const list = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => ({ id: from + index, v: 1 }));

const troubles: { readonly [name: string]: readonly unknown[] } = {
  'a list cut to a third': list(30),
  'an empty list': [],
  'a list without its sentinel field': list(100).map(({ v }) => ({ v })),
  'zeros everywhere': list(100).map(({ id }) => ({ id, v: 0 })),
};

test.each(Object.entries(troubles))(
  '%s waits for a second reading, and the last good one stays',
  async (_, trouble) => {
    const good = list(100);
    const replies: (readonly unknown[])[] = [good, trouble, good];
    const { start, clock, recordings } = await open((_asked, count) => json(replies[count - 1] ?? good));
    const source = sourceOf({ every: '1h', guards: { present: ['id'], max_zero_share: { v: 0.5 } } });
    for (let step = 0; step < 4; step++) {
      await start(source).once();
      await clock.sleep(3_600_000);
    }
    const all = await recordings();
    expect(all.map(({ outcome }) => outcome)).toEqual(['accepted', 'suspect', 'unchanged', 'unchanged']);
    expect(all[1]?.reasons.length).toBeGreaterThan(0);
    expect(landable(all)).toHaveLength(1);
  },
);

const LASTING: readonly [name: string, trouble: (round: number) => readonly unknown[], hours: number][] = [
  ['an empty list', () => [], 48],
  ['a list without its sentinel field', (round) => list(100, round).map(({ v }) => ({ v })), 48],
  ['zeros for less than a day', (round) => list(100, round).map(({ id }) => ({ id, v: 0 })), 22],
];

test.each(LASTING)('%s is never accepted, however often it repeats', async (_, trouble, hours) => {
  const { start, clock, recordings } = await open((_asked, count) =>
    json(count === 1 ? list(100) : trouble(count)),
  );
  const source = sourceOf({ every: '1h', guards: { present: ['id'], max_zero_share: { v: 0.5 } } });
  for (let hour = 0; hour < hours; hour++) {
    await start(source).once();
    await clock.sleep(3_600_000);
  }
  expect(landable(await recordings())).toHaveLength(1);
});

test('zeros that last for a day are accepted', async () => {
  const { start, clock, recordings } = await open((_, count) =>
    json(list(100, count).map(({ id }) => ({ id, v: count === 1 ? 1 : 0 }))),
  );
  const source = sourceOf({ every: '1h', guards: { max_zero_share: { v: 0.5 } } });
  for (let hour = 0; hour < 27; hour++) {
    await start(source).once();
    await clock.sleep(3_600_000);
  }
  expect(landable(await recordings()).length).toBeGreaterThan(1);
});

test('a list that stays shorter is accepted by a later reading, after some minutes', async () => {
  const { start, clock, recordings } = await open((_, count) => json(list(count === 1 ? 100 : 30, count)));
  const source = sourceOf({ every: '1h' });
  await start(source).once();
  await clock.sleep(3_600_000);
  for (let minute = 0; minute < 20; minute++) {
    await start(source).once();
    await clock.sleep(60_000);
  }
  const all = await recordings();
  expect(all.map(({ outcome }) => outcome)).toEqual([
    'accepted',
    'suspect',
    'suspect',
    'suspect',
    'suspect',
    'accepted',
  ]);
  const first = all[1];
  const last = all.at(-1);
  expect((last?.fetched_at ?? 0) - (first?.fetched_at ?? 0)).toBeGreaterThanOrEqual(600);
  expect(last?.confirms).toContain(first?.id);
});

const FALLS: readonly (readonly [name: string, count: number, outcome: string])[] = [
  ['half of them', 50, 'accepted'],
  ['one fewer', 49, 'suspect'],
  ['none', 0, 'suspect'],
];

test.each(FALLS)('a list that keeps its length, with a field left in %s', async (_, left, outcome) => {
  const listed = (has: number, round: number) =>
    list(140, round).map((one, index) => ({ ...one, proxy: index < has ? `0x${index}` : null }));
  const { start, clock, recordings } = await open((_asked, count) =>
    json(listed(count === 1 ? 100 : left, count)),
  );
  const source = sourceOf({ every: '1h', guards: { present: ['id'], counted: ['proxy'] } });
  await start(source).once();
  await clock.sleep(3_600_000);
  await start(source).once();
  const [, second] = await recordings();
  expect(second).toMatchObject({ outcome, counts: { proxy: left } });
  if (outcome === 'suspect')
    expect(second?.reasons).toEqual([`"proxy" is in ${left} records, in 100 before`]);
  await clock.sleep(3_600_000);
  await start(source).once();
  expect((await recordings()).at(-1)?.outcome).toBe('accepted');
});

test('a clock that is an hour ahead is suspect', async () => {
  const date = new Date(START + 3_600_000).toUTCString();
  const { start, recordings } = await open(() => json(list(5), { date }));
  await start(sourceOf({})).once();
  expect((await recordings())[0]).toMatchObject({
    outcome: 'suspect',
    reasons: ['the clock of the source differs from ours by 3600 s'],
  });
});
