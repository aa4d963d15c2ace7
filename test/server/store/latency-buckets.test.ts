// Percentiles from buckets against those of the exact times, and the addition of counts.
import { expect, test } from 'vitest';
import {
  addTo,
  bucketOf,
  LAST_BUCKET,
  LOWEST_MS,
  percentilesOf,
  SHARES,
  upperMs,
} from '../../../server/store/latency-buckets.ts';
import { seededRandom } from '../../support/seeded-random.ts';

const MAX_ERROR = 0.09;
const bucketsOf = (times: readonly number[]): Map<number, number> => {
  const counts = new Map<number, number>();
  for (const ms of times) addTo(counts, new Map([[bucketOf(ms), 1]]));
  return counts;
};
/** By sorting, independently. */
const exact = (times: readonly number[], share: number): number =>
  times.toSorted((a, b) => a - b)[Math.ceil(times.length * share) - 1] ?? Number.NaN;

test('a time on a bound is in the lower bucket, the next time in the upper one', () => {
  for (let bucket = 0; bucket < LAST_BUCKET; bucket++) {
    const bound = upperMs(bucket);
    expect([bucketOf(bound), bucketOf(bound * (1 + 1e-12))]).toEqual([bucket, bucket + 1]);
  }
  expect([0, -1, LOWEST_MS].map(bucketOf)).toEqual([0, 0, 0]);
  expect([1e9, Infinity].map(bucketOf)).toEqual([LAST_BUCKET, LAST_BUCKET]);
});

test.each([1, 2, 3, 19, 20, 21, 100, 5_000])('%i times yield percentiles within 9 %%', (many) => {
  const random = seededRandom(many);
  for (const spread of [1, 4, 12]) {
    const times = Array.from({ length: many }, () => 0.2 * 2 ** (random() * spread));
    const found = percentilesOf(bucketsOf(times));
    for (const [name, share] of Object.entries(SHARES)) {
      const right = exact(times, share);
      const wrong = Math.abs((found[name as keyof typeof found] ?? 0) - right) / right;
      expect(wrong, `${name} of ${many}: ${right}`).toBeLessThanOrEqual(MAX_ERROR);
    }
  }
});

test('both ends of every bucket are within 9 % of its reported value', () => {
  for (let bucket = 1; bucket < LAST_BUCKET; bucket++) {
    const said = percentilesOf(new Map([[bucket, 1]])).p50_ms ?? Number.NaN;
    for (const end of [upperMs(bucket - 1), upperMs(bucket)])
      expect(Math.abs(said - end) / end, `bucket ${bucket}`).toBeLessThan(MAX_ERROR);
  }
});

test('counts of parts add up to those of the whole, in any order', () => {
  const random = seededRandom(7);
  const times = Array.from({ length: 999 }, () => 1 + 4_000 * random() ** 6);
  const whole = bucketsOf(times);
  const parts = [times.slice(600), times.slice(0, 1), times.slice(1, 600)].map(bucketsOf);
  const sum = new Map<number, number>();
  for (const part of parts) addTo(sum, part);
  expect(new Map([...sum].sort(([a], [b]) => a - b))).toEqual(new Map([...whole].sort(([a], [b]) => a - b)));
  expect(percentilesOf(sum)).toEqual(percentilesOf(whole));
});

test('without times there are no percentiles, never zero', () => {
  const nothing = { p50_ms: null, p95_ms: null, p99_ms: null };
  expect(percentilesOf(new Map())).toEqual(nothing);
  expect(percentilesOf(new Map([[3, 0]]))).toEqual(nothing);
});

test('times beyond all bounds are reported as the last bound', () => {
  expect(percentilesOf(bucketsOf([1e9])).p50_ms).toBe(Number(upperMs(LAST_BUCKET - 1).toPrecision(4)));
  expect(percentilesOf(bucketsOf([0])).p50_ms).toBe(LOWEST_MS);
});
