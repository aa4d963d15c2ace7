import { expect, test } from 'vitest';
import { IdleCache } from '../../../server/data/idle-cache.ts';

const HOUR_MS = 3_600_000;

function filled(names: string, nowMs: number): IdleCache<string> {
  const cache = new IdleCache<string>(10);
  for (const name of names) cache.set(name, `value of ${name}`, { bytes: 1, nowMs });
  return cache;
}

test('what was not used for more than an hour is dropped with the next entry', () => {
  const cache = filled('ab', 0);
  expect(cache.get('b', 1)).toBe('value of b');
  cache.set('c', '', { bytes: 1, nowMs: HOUR_MS });
  expect(cache.bytes).toBe(3);
  cache.set('d', '', { bytes: 1, nowMs: HOUR_MS + 1 });
  expect(cache.bytes).toBe(3);
  expect(cache.get('a', HOUR_MS + 1)).toBeUndefined();
  expect(cache.get('b', HOUR_MS + 1)).toBe('value of b');
});

test('what is used again and again stays, whatever comes and goes meanwhile', () => {
  const cache = filled('a', 0);
  for (let hour = 1; hour <= 100; hour += 1) {
    expect(cache.get('a', hour * HOUR_MS)).toBe('value of a');
    cache.set(`hour ${hour}`, '', { bytes: 1, nowMs: hour * HOUR_MS });
    expect(cache.bytes).toBeLessThanOrEqual(3);
  }
});

test('beyond the bound, what was used longest ago is dropped', () => {
  const cache = filled('abcdefghij', 0);
  cache.get('a', 1);
  cache.set('k', '', { bytes: 2, nowMs: 2 });
  expect(['a', 'b', 'c', 'd'].map((name) => cache.get(name, 3) !== undefined)).toEqual([
    true,
    false,
    false,
    true,
  ]);
});

test('a value that takes more than the bound is not cached, and drops nothing', () => {
  const cache = filled('ab', 0);
  cache.set('c', '', { bytes: 11, nowMs: 1 });
  expect(cache.get('c', 1)).toBeUndefined();
  expect(cache.bytes).toBe(2);
});

test('an empty value takes room, and a deleted one none', () => {
  const cache = filled('a', 0);
  cache.set('b', '', { bytes: 0, nowMs: 0 });
  expect(cache.bytes).toBe(2);
  cache.delete('a');
  expect(cache.bytes).toBe(1);
});

test('a clock that goes back drops nothing', () => {
  const cache = filled('a', 10 * HOUR_MS);
  cache.set('b', '', { bytes: 1, nowMs: 0 });
  expect(cache.get('a', 0)).toBe('value of a');
});
