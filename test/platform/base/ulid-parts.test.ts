import fc from 'fast-check';
import { encodeTime } from 'ulid';
import { expect, test } from 'vitest';
import { firstPartsOfMs, textOfParts, type UlidParts, partsOf } from '../../../platform/base/ulid-parts.ts';

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
