// Counts in messages: only one is singular.
import { expect, test } from 'vitest';
import { counted, isOrAre } from '../../../platform/base/plural.ts';

test.each([
  [0, '0 rows are'],
  [1, '1 row is'],
  [2, '2 rows are'],
  [401, '401 rows are'],
])('%i: %s', (count, words) => {
  expect(`${counted(count, 'row')} ${isOrAre(count)}`).toBe(words);
});

test('a plural that is not made with an s', () => {
  expect([counted(1, 'delivery', 'deliveries'), counted(2, 'delivery', 'deliveries')]).toEqual([
    '1 delivery',
    '2 deliveries',
  ]);
});
