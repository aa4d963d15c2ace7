// Decision 57: the record of today is partial until the day ends, and each version says which documents hold one.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Dataset } from '../../../../jobs/define/dataset.ts';
import { networkB } from '../../../../jobs/families/network-b/domain.ts';
import { partialDayOf, recordDayOf } from '../../../../jobs/pipeline/publish/documents.ts';
import { domains } from '../../../../jobs/registry.ts';
import { seededRandom } from '../../../support/seeded-random.ts';
import { type FileRow, type FileWorld, openFileWorld } from '../../../support/file-world.ts';

vi.setConfig({ testTimeout: 120_000 });

const DAY = 86_400;
const TODAY = Date.UTC(2026, 2, 10) / 1000;
const all = domains.flatMap(({ datasets }) => datasets);

test('every list that begins with the newest day says which column holds the day', () => {
  const undeclared = all.filter(
    ({ order, day, recordDay }) => /^(day|timestamp) desc/.test(order) && (recordDay ?? day) === undefined,
  );
  expect(undeclared.map(({ id }) => id)).toEqual([]);
});

describe('the partial day of a dataset', () => {
  const newest = (days: readonly number[]) =>
    new Map(days.map((day, index) => [`k${index}`, TODAY + day * DAY]));

  test.each([
    ['the first second of today', 0],
    ['the second', 1],
    ['noon', DAY / 2],
    ['the last second', DAY - 1],
  ])('is today at %s', (_, at) => {
    expect(partialDayOf(newest([0]), TODAY + at)).toEqual({ day: '2026-03-10' });
    expect(partialDayOf(newest([-1]), TODAY + at)).toBeUndefined();
  });

  test('ends with the day', () => {
    expect(partialDayOf(newest([0]), TODAY + DAY)).toBeUndefined();
    expect(partialDayOf(newest([0, 1]), TODAY + DAY)).toEqual({ day: '2026-03-11', keys: ['k1'] });
  });

  test('names documents, sorted, if some have no record of today, and none if all have one', () => {
    const roll = seededRandom(7);
    const below = (end: number) => Math.floor(roll() * end);
    for (let round = 0; round < 50; round++) {
      const days = Array.from({ length: 1 + below(12) }, () => -below(2));
      const marked = days.flatMap((day, index) => (day === 0 ? [`k${index}`] : [])).sort();
      const expected =
        marked.length === 0
          ? undefined
          : { day: '2026-03-10', ...(marked.length < days.length && { keys: marked }) };
      expect(partialDayOf(newest(days), TODAY + below(DAY))).toEqual(expected);
    }
  });

  test('an empty dataset has none', () => expect(partialDayOf(new Map(), TODAY)).toBeUndefined());
});

test('a record whose day cannot be read is refused, not left unmarked', () => {
  const dataset = { id: 'd', recordDay: 'day' } as Dataset;
  expect(recordDayOf(dataset, { day: TODAY + 5 })).toBe(TODAY);
  expect(recordDayOf({ id: 'd' } as Dataset, {})).toBeUndefined();
  for (const day of [null, '2026-03-10', 1.5])
    expect(() => recordDayOf(dataset, { day })).toThrow('Dataset d: day is the day of a record');
  expect(() => recordDayOf(dataset, {})).toThrow('Dataset d: day is the day of a record');
});

describe('published versions', () => {
  let world: FileWorld;
  beforeEach(() => {
    world = openFileWorld({ domains: [networkB] });
  });
  afterEach(() => world.remove());

  const rows = (network: string, days: readonly number[]): FileRow[] =>
    days.map((day) => ({ network, observed_at: TODAY + day * DAY + 60, total_users: 1_000 + day }));
  const markAt = async (now: number) => {
    expect(await world.run(now)).toBe(0);
    return world.dataset('network-b-statistics').partial_day;
  };

  test('carry the mark of their own time through midnight, document by document', async () => {
    world.write('network_b_state', { 'a.ndjson': [...rows('east', [-2, -1]), ...rows('west', [-2, -1])] });
    expect(await markAt(TODAY - 1)).toEqual({ day: '2026-03-09' });
    const yesterday = world.dataset('network-b-statistics').sha256;
    expect(await markAt(TODAY)).toBeUndefined();
    expect(await markAt(TODAY + 1)).toBeUndefined();
    expect(world.dataset('network-b-statistics').sha256).toBe(yesterday);
    world.write('network_b_state', { 'b.ndjson': rows('east', [0]) });
    expect(await markAt(TODAY + DAY / 2)).toEqual({ day: '2026-03-10', keys: ['east'] });
    world.write('network_b_state', { 'c.ndjson': rows('west', [0]) });
    expect(await markAt(TODAY + DAY - 1)).toEqual({ day: '2026-03-10' });
    expect(await markAt(TODAY + DAY)).toBeUndefined();
  });

  test('a subject that is held back has no document, and no mark', async () => {
    world.write('network_b_state', { 'a.ndjson': [...rows('east', [-2, -1]), ...rows('west', [-2, -1])] });
    expect(await markAt(TODAY - 1)).toEqual({ day: '2026-03-09' });
    const bad = Array.from({ length: 300 }, (_, index) => ({
      network: 'east',
      observed_at: TODAY - 40_000 + index,
      total_users: 'many',
    }));
    world.write('network_b_state', { 'b.ndjson': bad });
    expect(await world.run(TODAY + 60)).toBe(4);
    expect(world.words('network-b-statistics').join()).toContain('east');
    expect(world.documents('network-b-statistics').map(({ key }) => key)).toEqual(['west']);
    expect(world.dataset('network-b-statistics').partial_day).toBeUndefined();
  });
});
