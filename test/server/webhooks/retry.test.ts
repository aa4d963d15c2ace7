import { describe, expect, it } from 'vitest';
import {
  type AttemptOutcome,
  retryAfterSeconds,
  verdictOf,
  WAIT_SECONDS,
} from '../../../server/webhooks/retry.ts';
import { seededRandom } from '../../support/seeded-random.ts';

const NOW_MS = Date.parse('2026-03-01T12:00:00Z');
const attempted = (more: Partial<AttemptOutcome> = {}): AttemptOutcome => ({
  attempt: 1,
  status: 500,
  isBlocked: false,
  endedMs: NOW_MS,
  ...more,
});
const middle = () => 0.5;
const verdict = (more: Partial<AttemptOutcome>, random = middle) => verdictOf(attempted(more), 10, random);

describe('an attempt', () => {
  it.each([200, 201, 204, 299])('is delivered at status %d', (status) => {
    expect(verdict({ status })).toEqual({ status: 'delivered' });
  });

  it.each([null, 199, 300, 301, 308, 400, 404, 429, 500, 503])('is retried after %s', (status) => {
    expect(verdict({ status })).toEqual({ status: 'retrying', nextMs: NOW_MS + 5_000 });
  });

  it('ends at 410 and disables the subscription', () => {
    expect(verdict({ status: 410 })).toEqual({ status: 'failed', disables: 'gone' });
  });

  it('ends when the address rule forbids it and disables the subscription', () => {
    expect(verdict({ status: null, isBlocked: true })).toEqual({ status: 'failed', disables: 'blocked_url' });
  });

  it('is never the eleventh', () => {
    expect(verdict({ attempt: 10 })).toEqual({ status: 'failed' });
    expect(verdict({ attempt: 9 })).toMatchObject({ status: 'retrying' });
    expect(verdictOf(attempted(), 1, middle)).toEqual({ status: 'failed' });
  });

  it('waits as scheduled, with 10 % jitter to either side', () => {
    const hours = 3_600;
    expect(WAIT_SECONDS).toEqual([
      0,
      5,
      300,
      1_800,
      2 * hours,
      5 * hours,
      10 * hours,
      14 * hours,
      20 * hours,
      24 * hours,
    ]);
    for (const [attempt, seconds] of WAIT_SECONDS.entries()) {
      if (attempt === 0) continue;
      expect(verdict({ attempt }, () => 0)).toMatchObject({ nextMs: NOW_MS + seconds * 900 });
      expect(verdict({ attempt }, () => 0.999999)).toMatchObject({
        nextMs: expect.closeTo(NOW_MS + seconds * 1_100, -3),
      });
    }
  });
});

describe('ten thousand deliveries', () => {
  /** Seconds between the end of an attempt and the next, for a delivery that its receiver never accepts. */
  function waitsOf(seed: number): readonly number[] {
    const roll = seededRandom(seed);
    const waits: number[] = [];
    let endedMs = NOW_MS;
    for (let attempt = 1; ; attempt++) {
      endedMs += Math.round(roll() * 15_000);
      const next = verdictOf(attempted({ attempt, endedMs, status: roll() < 0.5 ? null : 503 }), 10, roll);
      if (next.status !== 'retrying') return waits;
      waits.push((next.nextMs - endedMs) / 1_000);
      endedMs = next.nextMs;
    }
  }

  it('that are never accepted wait nine times as scheduled, within 10 %, and are attempted ten times', () => {
    const all = Array.from({ length: 10_000 }, (_, seed) => waitsOf(seed));
    expect(all.filter((waits) => waits.length !== WAIT_SECONDS.length - 1)).toEqual([]);
    for (const [index, planned] of WAIT_SECONDS.slice(1).entries()) {
      const shares = all.map((waits) => (waits[index] ?? 0) / planned);
      expect(Math.min(...shares)).toBeGreaterThanOrEqual(0.9 - 0.001);
      expect(Math.max(...shares)).toBeLessThanOrEqual(1.1 + 0.001);
      // Spread over the whole range: deliveries that failed together do not return together.
      expect(Math.min(...shares)).toBeLessThan(0.905);
      expect(Math.max(...shares)).toBeGreaterThan(1.095);
    }
  });
});

describe('Retry-After', () => {
  it('delays an attempt, never brings it forward', () => {
    expect(verdict({ status: 429, retryAfter: '60' })).toMatchObject({ nextMs: NOW_MS + 60_000 });
    expect(verdict({ status: 429, retryAfter: '1' })).toMatchObject({ nextMs: NOW_MS + 5_000 });
  });

  it.each([
    ['0', 0],
    ['120', 120],
    ['86400', 86_400],
    ['999999999999999999999', 86_400],
    ['Sun, 01 Mar 2026 12:10:00 GMT', 600],
    ['Sun, 01 Mar 2026 11:00:00 GMT', 0],
    ['Tue, 01 Jan 2030 00:00:00 GMT', 86_400],
    ['soon', 0],
    ['-5', 0],
    ['', 0],
    [undefined, 0],
  ])('%j is %d seconds', (header, seconds) => {
    expect(retryAfterSeconds(header, NOW_MS)).toBe(seconds);
  });
});
