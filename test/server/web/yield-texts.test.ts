// What is doubtful about a yield: every flag and every warning has a sentence, and none is said twice.
import { expect, test } from 'vitest';
import { YIELD_FLAGS, YIELD_WARNINGS } from '../../../schemas/yields.ts';
import { DOUBTS, doubtsOf } from '../../../server/web/browser/yield-texts.ts';

test('every flag and every warning of a yield has a sentence', () => {
  const names = new Set([...Object.keys(YIELD_FLAGS), ...Object.keys(YIELD_WARNINGS)]);
  expect(Object.keys(DOUBTS).toSorted()).toEqual([...names].toSorted());
});

test('a flag that is a warning too is said once, and a warning alone is said', () => {
  const qualityGate = { warnings: ['stale', 'tvl_missing'] };
  expect(doubtsOf({ flags: ['uncovered_debt', 'stale'], qualityGate })).toEqual([
    ...['uncovered_debt', 'stale', 'tvl_missing'],
  ]);
});
