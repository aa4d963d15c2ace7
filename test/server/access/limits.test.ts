import fc from 'fast-check';
import { expect, test } from 'vitest';
import { localLimits, RateLimiter } from '../../../server/access/limits.ts';
import { limitsConform } from './limits-conformance.ts';

limitsConform(async () => {
  let nowMs = 0;
  return {
    servers: [localLimits()],
    nowMs: () => nowMs,
    async advance(ms) {
      nowMs += ms;
    },
  };
});

/** A limiter that takes its time from the given clock. */
function limiterAt(clock: { ms: number }) {
  const limiter = new RateLimiter();
  return {
    take: (subject: string, limit: number) => limiter.take(subject, limit, clock.ms),
    look: (subject: string, limit: number) => limiter.look(subject, limit, clock.ms),
    sweep: () => limiter.sweep(clock.ms),
    refused: () => limiter.refused,
    subjects: () => limiter.subjects,
  };
}

test('exactly the limit passes in a minute, the next request is refused, and the minute starts with the first', () => {
  const clock = { ms: 5_000 };
  const limiter = limiterAt(clock);
  const taken = Array.from({ length: 4 }, () => limiter.take('a', 3));
  expect(taken.map(({ isExceeded, remaining }) => [isExceeded, remaining])).toEqual([
    [false, 2],
    [false, 1],
    [false, 0],
    [true, 0],
  ]);
  clock.ms = 64_999;
  expect(limiter.take('a', 3)).toMatchObject({ isExceeded: true, resetMs: 1 });
  clock.ms = 65_000;
  expect(limiter.take('a', 3)).toMatchObject({ isExceeded: false, remaining: 2, resetMs: 60_000 });
  expect(limiter.refused()).toBe(2);
});

test('subjects do not share a window, and looking costs nothing', () => {
  const limiter = limiterAt({ ms: 0 });
  limiter.take('a', 1);
  expect(limiter.look('b', 1)).toMatchObject({ remaining: 1, isExceeded: false });
  expect(limiter.take('b', 1).isExceeded).toBe(false);
  expect(limiter.look('a', 1)).toMatchObject({ remaining: 0, isExceeded: true });
  expect(limiter.refused()).toBe(0);
});

test('a lower limit in the middle of a minute, as after a change of plan, leaves nothing below zero', () => {
  const limiter = limiterAt({ ms: 0 });
  for (let i = 0; i < 10; i++) limiter.take('a', 10);
  expect(limiter.take('a', 3)).toMatchObject({ remaining: 0, isExceeded: true });
});

test('ended windows are dropped, and a flood of subjects drops the oldest', () => {
  const clock = { ms: 0 };
  const limiter = limiterAt(clock);
  limiter.take('old', 1);
  clock.ms = 1;
  for (let i = 0; i < 100_000; i++) limiter.take(`s${i}`, 1);
  expect(limiter.subjects()).toBe(100_000);
  expect(limiter.look('old', 1).isExceeded).toBe(false);
  clock.ms = 60_001;
  limiter.sweep();
  expect(limiter.subjects()).toBe(0);
});

test('over random walks of time, no minute of a subject admits more than its limit', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 5 }),
      fc.array(fc.integer({ min: 0, max: 40_000 }), { maxLength: 60 }),
      (limit, steps) => {
        const clock = { ms: 0 };
        const limiter = limiterAt(clock);
        let windowStart = Number.NEGATIVE_INFINITY;
        let passed = 0;
        for (const step of steps) {
          clock.ms += step;
          if (clock.ms - windowStart >= 60_000) [windowStart, passed] = [clock.ms, 0];
          const { isExceeded } = limiter.take('a', limit);
          expect(isExceeded).toBe(passed >= limit);
          if (!isExceeded) passed += 1;
        }
      },
    ),
  );
});
