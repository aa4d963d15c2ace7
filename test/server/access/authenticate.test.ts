import { expect, test } from 'vitest';
import { bearerOver } from '../../../server/access/authenticate.ts';

test('the token of a header is read, and the same header over the same connection gives it again', () => {
  const connection = {};
  expect(bearerOver(connection, 'Bearer abc')).toBe('abc');
  expect(bearerOver(connection, 'Bearer abc')).toBe('abc');
});

test('another header over the same connection counts from then on', () => {
  const connection = {};
  expect(bearerOver(connection, 'Bearer abc')).toBe('abc');
  expect(bearerOver(connection, 'bearer   def ')).toBe('def');
  expect(bearerOver(connection, 'Basic abc')).toBeUndefined();
  expect(bearerOver(connection, 'Bearer abc')).toBe('abc');
});

test('a request without the header has no token, whatever came before it or over other connections', () => {
  const connection = {};
  expect(bearerOver(connection, 'Bearer abc')).toBe('abc');
  expect(bearerOver(connection, undefined)).toBeUndefined();
  expect(bearerOver({}, undefined)).toBeUndefined();
});
