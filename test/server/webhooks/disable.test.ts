import { expect, test } from 'vitest';
import { stateOf } from '../../../server/webhooks/housekeeping.ts';

const HOUR = 3_600_000;
const state = (failing_since_ms: number | null, last_failure_ms: number | null, nowMs: number) =>
  stateOf({ failing_since_ms, last_failure_ms }, nowMs);

test.each([
  ['never failed', null, null, 500 * HOUR, 'fine'],
  ['recovered', null, 10 * HOUR, 500 * HOUR, 'fine'],
  ['has failed for just under 60 h', 0, 50 * HOUR, 60 * HOUR - 1, 'fine'],
  ['is half-way', 0, 50 * HOUR, 60 * HOUR, 'warn'],
  ['has failed for just under 120 h', 0, 75 * HOUR, 120 * HOUR - 1, 'warn'],
  ['has failed for 120 h', 0, 75 * HOUR, 120 * HOUR, 'disable'],
  ['failed twice, less than 12 h apart', 0, 12 * HOUR - 1, 500 * HOUR, 'warn'],
  ['failed twice, 12 h apart', 0, 12 * HOUR, 120 * HOUR, 'disable'],
  ['failed once', 0, 0, 500 * HOUR, 'warn'],
])('a receiver that %s', (_, since, last, now, expected) => {
  expect(state(since, last, now)).toBe(expected);
});
