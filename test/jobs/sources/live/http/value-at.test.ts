import { expect, test } from 'vitest';
import { parseExactly, valueAt } from '../../../../../jobs/sources/live/http/value-at.ts';

const DOCUMENT = { list: [{ a: 1 }, { a: 2 }], 'x.y': 3 };

test.each([
  ['', DOCUMENT],
  ['list.0.a', 1],
  ['list.-1.a', 2],
  ['list.2.a', undefined],
  ['list.a', undefined],
  ['list.length', undefined],
  ['list..a', undefined],
  ['none.a', undefined],
  ['constructor', undefined],
  ['list.0.a.b', undefined],
])('the path "%s" leads to %j', (path, value) => {
  expect(valueAt(DOCUMENT, path)).toEqual(value);
});

test('numbers that JavaScript would write differently stay as the source wrote them', () => {
  expect(parseExactly('[1, 1.5, 12345678901234567890, 1.0, 1e2]')).toEqual([
    1,
    1.5,
    '12345678901234567890',
    '1.0',
    '1e2',
  ]);
});
