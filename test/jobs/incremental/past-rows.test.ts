import { expect, test } from 'vitest';
import { PastRows } from '../../../jobs/incremental/past-rows.ts';

const PAST = { id: 'numbers', model: 'obs.kept', time: 'at', from: 100, to: 200 };

/** A table whose version is the number of its changes; `times` are those of the rows added at each of them. */
function growing(times: readonly (readonly number[])[] | undefined) {
  let version = 0;
  const versions = {
    of: async () => String(version),
    addedSince: async (_: string, since: string) =>
      times === undefined ? undefined : `added after ${since}`,
  };
  const rows = async (sql: string) => {
    const since = Number(/added after (\d+)/.exec(sql)?.[1]);
    const added = (times ?? []).slice(since, version).flat();
    return added.some((time) => time >= PAST.from && time < PAST.to) ? [{ one: 1 }] : [];
  };
  return {
    grow: () => version++,
    warehouse: { versions, rows } as unknown as Parameters<PastRows['of']>[0],
  };
}

/** How often the past has been read after each change. */
async function reads(
  times: readonly (readonly number[])[] | undefined,
  changes: number,
): Promise<readonly number[]> {
  const { grow, warehouse } = growing(times);
  const past = new PastRows();
  let count = 0;
  const counts: number[] = [];
  for (let change = 0; change <= changes; change++) {
    if (change > 0) grow();
    expect(await past.of(warehouse, PAST, async () => ++count)).toBe(count);
    counts.push(count);
  }
  return counts;
}

test('rows of other times leave the past as it is, and rows of its time have it read again', async () => {
  expect(await reads([[200, 99], [300], [199], [], [100]], 5)).toEqual([1, 1, 1, 2, 2, 3]);
});

test('where added rows are not known, every change has the past read again', async () => {
  expect(await reads(undefined, 3)).toEqual([1, 2, 3, 4]);
});

test('other bounds are another past', async () => {
  const { warehouse } = growing([]);
  const past = new PastRows();
  expect(await past.of(warehouse, PAST, async () => 1)).toBe(1);
  expect(await past.of(warehouse, { ...PAST, to: 201 }, async () => 2)).toBe(2);
  expect(await past.of(warehouse, { ...PAST, to: 201 }, async () => 3)).toBe(2);
});
