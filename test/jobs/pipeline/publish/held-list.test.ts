// The list of a manifest of what it holds back, which is cut at 200 entries.
import { expect, test } from 'vitest';
import { type HeldRows, heldSubjects } from '../../../../jobs/pipeline/publish/publish.ts';
import { MAX_LISTED } from '../../../../snapshots/held.ts';

const NOW = Date.UTC(2026, 2, 1) / 1000;
const row = (dataset: string, subject: string): HeldRows => ({ dataset, subject, check: 'c', reason: 'r' });
const listOf = (held: readonly HeldRows[]) => {
  const { total, list } = heldSubjects(held, { now: NOW, previous: null }) ?? { total: 0, list: [] };
  return { total, pairs: list.map(({ dataset, subject }) => `${dataset} ${subject}`) };
};

test('it is ordered by dataset and subject, each pair once', () => {
  const held = [row('b', 'y'), row('a', 'x'), row('b', 'y'), row('b', 'x')];
  expect(listOf(held)).toEqual({ total: 3, pairs: ['a x', 'b x', 'b y'] });
});

test.each([MAX_LISTED - 1, MAX_LISTED, MAX_LISTED + 1, 1_000])(
  'a dataset that is held back as a whole is in it, whatever is held back of another: %i subjects',
  (count) => {
    const subjects = Array.from({ length: count }, (_, index) => row('a', `subject ${index}`));
    const { total, pairs } = listOf([...subjects, row('z', '*')]);
    expect([total, pairs[0], pairs.length]).toEqual([count + 1, 'z *', Math.min(count + 1, MAX_LISTED)]);
  },
);
