import fc from 'fast-check';
import { encodeTime } from 'ulid';
import { describe, expect, test } from 'vitest';
import {
  attemptSpanId,
  entropyOf,
  eventSpanId,
  firstPartsOfMs,
  isUlid,
  nextUlid,
  partsOf,
  textOfParts,
  traceIdOf,
  traceparentOf,
  type UlidParts,
  ulidMs,
} from '../../../platform/base/ulid.ts';

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

describe('the trace of an event', () => {
  test('has the 128 bits of its id', () => {
    expect(traceIdOf('00000000000000000000000001')).toBe('00000000000000000000000000000001');
    expect(traceIdOf('7ZZZZZZZZZZZZZZZZZZZZZZZZZ')).toBe('f'.repeat(32));
    // The first 48 bits are the time.
    const id = nextUlid(null, START_MS, 'key');
    expect(parseInt(traceIdOf(id).slice(0, 12), 16)).toBe(START_MS);
  });

  test('begins with the span of the event, which no id leaves empty', () => {
    expect(eventSpanId(traceIdOf('7ZZZZZZZZZZZZZZZZZZZZZZZZZ'))).toBe('f'.repeat(16));
    expect(eventSpanId(`${'1'.repeat(16)}${'0'.repeat(16)}`)).toBe(`${'0'.repeat(15)}1`);
  });

  test('has a span for each attempt, as W3C Trace Context writes it', () => {
    const id = nextUlid(null, START_MS, 'key');
    const spans = [
      [1, 1],
      [1, 2],
      [2, 1],
      [9_007_199_254_740_991, 10],
    ] as const;
    const headers = spans.map(([delivery, attempt]) =>
      traceparentOf({ traceId: traceIdOf(id), spanId: attemptSpanId(delivery, attempt) }),
    );
    for (const header of headers)
      expect(header).toMatch(/^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-01$/);
    expect(new Set(headers).size).toBe(spans.length);
    expect(new Set(headers.map((header) => header.slice(3, 35)))).toEqual(new Set([traceIdOf(id)]));
  });
});

const digits = [...'0123456789ABCDEFGHJKMNPQRSTVWXYZ'];
const ulid = fc
  .tuple(
    fc.constantFrom(...digits.slice(0, 8)),
    fc.array(fc.constantFrom(...digits), { minLength: 25, maxLength: 25 }),
  )
  .map(([first, rest]) => first + rest.join(''));

const order = (a: UlidParts, b: UlidParts) => {
  const word = a.findIndex((value, i) => value !== b[i]);
  return word === -1 ? 0 : Math.sign((a[word] ?? 0) - (b[word] ?? 0));
};

test('words convert back to the text and keep its order', () => {
  fc.assert(
    fc.property(ulid, ulid, (a, b) => {
      expect(textOfParts(partsOf(a))).toBe(a);
      expect(order(partsOf(a), partsOf(b))).toBe(a < b ? -1 : a > b ? 1 : 0);
    }),
    { numRuns: 1_000 },
  );
});

test('the first id of a millisecond consists of its time and zeros', () => {
  for (const ms of [0, 1, 65_535, 65_536, 1_772_366_400_000, 2 ** 48 - 1]) {
    expect(textOfParts(firstPartsOfMs(ms))).toBe(`${encodeTime(ms)}0000000000000000`);
  }
});
