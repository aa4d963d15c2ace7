import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hashKey, isWellFormedKey, makeKey, shownPrefix } from '../../../server/access/keys.ts';

const zeros = (count: number) => new Uint8Array(count);

test('a key is the prefix, 32 digits and 6 of checksum', () => {
  expect(makeKey(randomBytes)).toMatch(/^rk_live_[0-9A-Za-z]{38}$/);
});

test('the form of a key never changes: the checksum is the CRC-32 of the preceding characters, in base 62', () => {
  // zlib.crc32('rk_live_' + '0' * 32) is 660915263 by Python, 0ij8Fb in base 62.
  expect(makeKey(zeros)).toBe(`rk_live_${'0'.repeat(32)}0ij8Fb`);
});

test('every generated key is well-formed and unique', () => {
  const keys = Array.from({ length: 1_000 }, () => makeKey(randomBytes));
  expect(keys.filter((key) => !isWellFormedKey(key))).toEqual([]);
  expect(new Set(keys).size).toBe(keys.length);
});

test('every digit is equally likely', () => {
  const counts = new Map<string, number>();
  for (let made = 0; made < 2_000; made++)
    for (const digit of makeKey(randomBytes).slice(8, 40)) counts.set(digit, (counts.get(digit) ?? 0) + 1);
  const expected = (2_000 * 32) / 62;
  const chiSquared = [...counts.values()].reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
  expect(counts.size).toBe(62);
  // 61 degrees of freedom: above 130 is chance once in a million; bytes taken modulo 62 without care give about 700.
  expect(chiSquared).toBeLessThan(130);
});

test('bytes that would favour some digits are discarded', () => {
  const stream = [...Array.from({ length: 31 }, () => 0), 255, 248, 61];
  const key = makeKey((count) => Uint8Array.from(stream.splice(0, count)));
  expect(key.slice(8, 40)).toBe(`${'0'.repeat(31)}z`);
});

test('changing any one character makes a key malformed', () => {
  const key = makeKey(randomBytes);
  const change = fc.tuple(
    fc.nat(key.length - 1),
    fc.constantFrom(...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_- '),
  );
  fc.assert(
    fc.property(change, ([at, character]) => {
      fc.pre(key[at] !== character);
      expect(isWellFormedKey(key.slice(0, at) + character + key.slice(at + 1))).toBe(false);
    }),
    { numRuns: 2_000 },
  );
});

test.each([
  '',
  'rk_live_',
  'rk_test_00000000000000000000000000000000000000',
  `${makeKey(zeros)}0`,
  `${makeKey(zeros)}\n`,
  ` ${makeKey(zeros)}`,
  makeKey(zeros).slice(0, -1),
  makeKey(zeros).toUpperCase(),
  'rk_live_0000000000000000000000000000000é0000000'.slice(0, 46),
  'x'.repeat(100_000),
])('%j is malformed', (text) => {
  expect(isWellFormedKey(text)).toBe(false);
});

test('the hash is the SHA-256 of the whole key', () => {
  expect(hashKey('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});

test('the visible part of a key is its prefix and four of its 32 digits', () => {
  expect(shownPrefix(makeKey(zeros))).toBe('rk_live_0000');
});
