import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { entropyOf, isUlid, nextUlid, ulidMs } from '../../../platform/base/ulid.ts';

const HOUR_MS = 3_600_000;
const START_MS = Date.parse('2026-01-01T00:00:00Z');

describe('ids of the log', () => {
  test('carry the first 80 bits of the sha256 of what they name', () => {
    // sha256('abc') starts ba7816bf 8f01cfea 4141
    expect(decodeBase32(entropyOf('abc'))).toBe(0xba7816bf8f01cfea4141n);
  });

  test('rise strictly however the clock steps, and never lag behind it', () => {
    const step = fc.integer({ min: -HOUR_MS, max: HOUR_MS });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 50 }), (steps) => {
        let last: string | null = null;
        let nowMs = START_MS;
        steps.forEach((stepMs, i) => {
          nowMs += stepMs;
          const id = nextUlid(last, nowMs, `key ${i}`);
          expect(isUlid(id)).toBe(true);
          expect(id > (last ?? '')).toBe(true);
          expect(ulidMs(id)).toBeGreaterThanOrEqual(nowMs);
          last = id;
        });
      }),
    );
  });

  test('carry over into the time when the entropy of a millisecond is exhausted', () => {
    const last = `${nextUlid(null, START_MS, 'x').slice(0, 10)}ZZZZZZZZZZZZZZZZ`;
    const id = nextUlid(last, START_MS, 'y');
    expect(id > last).toBe(true);
    expect(ulidMs(id)).toBe(START_MS + 1);
  });

  test('are the same for the same history', () => {
    expect(nextUlid(null, START_MS, 'a')).toBe(nextUlid(null, START_MS, 'a'));
    expect(nextUlid(null, START_MS, 'a')).not.toBe(nextUlid(null, START_MS, 'b'));
  });
});

const decodeBase32 = (digits: string): bigint =>
  [...digits].reduce(
    (sum, digit) => sum * 32n + BigInt('0123456789ABCDEFGHJKMNPQRSTVWXYZ'.indexOf(digit)),
    0n,
  );
