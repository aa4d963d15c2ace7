import { expect, test } from 'vitest';
import { acceptedEncoding, isMatchedBy } from '../../../server/replies/negotiate.ts';

test.each([
  [undefined, 'identity'],
  ['', 'identity'],
  ['br', 'br'],
  ['BR', 'br'],
  ['gzip', 'gzip'],
  ['gzip, br', 'br'],
  ['gzip;q=1, br;q=0.9', 'gzip'],
  ['gzip;q=0.5, br;q=0.5', 'br'],
  ['identity, gzip', 'gzip'],
  ['identity;q=0', 'identity'],
  ['identity;q=0, gzip', 'gzip'],
  ['gzip;q=0, *', 'br'],
  ['*;q=0.5, br;q=0.2', 'gzip'],
  ['br;q=2', 'br'],
  ['br;q=-1', 'identity'],
  ['deflate, zstd', 'identity'],
  ['gzip;q=0.5, identity;q=0.8', 'identity'],
  ['*', 'br'],
  ['*;q=0', 'identity'],
  ['br;q=0, gzip;q=0, *', 'identity'],
  ['br;q=nonsense, gzip', 'gzip'],
  [';;,,;q=1', 'identity'],
])('Accept-Encoding %j selects %s', (header, encoding) => {
  expect(acceptedEncoding(header)).toBe(encoding);
});

test.each([
  [undefined, false],
  ['"abc"', true],
  ['W/"abc"', true],
  ['"x", "abc-br"', true],
  ['"abc-gzip"', true],
  ['*', true],
  ['abc', false],
  ['"abcd"', false],
  ['"abc-zstd"', false],
  ['', false],
])('If-None-Match %j matches "abc": %s', (header, expected) => {
  expect(isMatchedBy(header, '"abc"')).toBe(expected);
  expect(isMatchedBy(header, 'W/"abc"')).toBe(expected);
});

test('content without an ETag is never matched', () => {
  expect(isMatchedBy('*', undefined)).toBe(false);
});
