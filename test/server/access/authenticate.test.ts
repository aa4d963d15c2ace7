import { expect, test } from 'vitest';
import { bearerOver } from '../../../server/access/authenticate.ts';

test('the token of a header is read, and read again from the same header on the same connection', () => {
  const connection = {};
  expect(bearerOver(connection, 'Bearer abc')).toBe('abc');
  expect(bearerOver(connection, 'Bearer abc')).toBe('abc');
});

test('a different header on the same connection takes effect at once', () => {
  const connection = {};
  expect(bearerOver(connection, 'Bearer abc')).toBe('abc');
  expect(bearerOver(connection, 'bearer   def ')).toBe('def');
  expect(bearerOver(connection, 'Basic abc')).toBeUndefined();
  expect(bearerOver(connection, 'Bearer abc')).toBe('abc');
});

test('a request without the header has no token, whatever was sent earlier or on other connections', () => {
  const connection = {};
  expect(bearerOver(connection, 'Bearer abc')).toBe('abc');
  expect(bearerOver(connection, undefined)).toBeUndefined();
  expect(bearerOver({}, undefined)).toBeUndefined();
});
