// Values are counted before they are parsed: never fewer than there are, and not many more.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { valuesIn } from '../../../../../jobs/sources/live/http/client.ts';

const countOf = (value: unknown): number => {
  if (typeof value !== 'object' || value === null) return 1;
  return 1 + Object.values(value).reduce<number>((sum, one) => sum + countOf(one), 0);
};

test.each([undefined, 1])('values of JSON with an indentation of %s are counted', (space) => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
      const counted = valuesIn(Buffer.from(JSON.stringify(value, null, space)), 'json');
      const lists = JSON.stringify(value).match(/[[{]/g)?.length ?? 0;
      const lines = space === undefined ? 0 : JSON.stringify(value, null, space).split('\n').length;
      expect(counted).toBeGreaterThanOrEqual(countOf(value) - lists);
      expect(counted).toBeLessThanOrEqual(countOf(value) + lists + lines);
    }),
  );
});

test.each([
  ['[1,2,3]', 4],
  ['{"a,b":"[{,\\",{"}', 2],
  ['[[],[],[]]', 7],
  ['"x"', 1],
])('%s has %i', (text, values) => {
  expect(valuesIn(Buffer.from(text), 'json')).toBe(values);
});

test('cells of CSV are counted', () => {
  expect(valuesIn(Buffer.from('a,b\n1,2\n3,4'), 'csv')).toBe(6);
});
