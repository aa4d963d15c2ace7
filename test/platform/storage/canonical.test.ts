import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalJson } from '../../../platform/storage/canonical.ts';
import { anyCharacter } from '../../support/any-character.ts';

const shuffled = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(shuffled);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, inner]) => [name, shuffled(inner)]),
  );
};

const sortedMembers = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sortedMembers);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, inner]) => [name, sortedMembers(inner)]),
  );
};

describe('canonical JSON', () => {
  test('is what JSON.stringify writes for the value with sorted members', () => {
    const letters = fc.stringMatching(/^[a-z]{1,3}$/);
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        fc.string({ unit: anyCharacter }),
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.constant(null),
        fc.boolean(),
        fc.array(tie('tree'), { maxLength: 4 }),
        fc.dictionary(letters, tie('tree'), { maxKeys: 5 }),
      ),
    }));
    fc.assert(
      fc.property(tree, (value) => {
        expect(canonicalJson(value)).toBe(JSON.stringify(sortedMembers(value)));
      }),
    );
  });

  test('does not depend on the order in which members were added, and keeps the value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = canonicalJson(value);
        expect(canonicalJson(shuffled(value))).toBe(text);
        expect(canonicalJson(JSON.parse(text))).toBe(text);
        expect(JSON.stringify(JSON.parse(text)).length).toBe(text.length);
      }),
    );
  });

  test('sorts names that look like numbers as text, by UTF-16 code unit', () => {
    expect(canonicalJson({ 10: 'b', 9: 'a', Z: 1, a: 2, é: 3 })).toBe('{"10":"b","9":"a","Z":1,"a":2,"é":3}');
  });

  test('writes numbers as JavaScript does, and minus zero as zero', () => {
    expect(canonicalJson([1e21, 0.1 + 0.2, -0, 1e-7, 5e-324])).toBe(
      '[1e+21,0.30000000000000004,0,1e-7,5e-324]',
    );
  });

  test('escapes lone surrogates, so that the text is always valid UTF-8', () => {
    expect(canonicalJson({ '\ud800': 'a\udfffb' })).toBe('{"\\ud800":"a\\udfffb"}');
    expect(canonicalJson('😀\u2028')).toBe('"😀\u2028"');
  });

  test.each([
    ['NaN', { a: [1, { b: Number.NaN }] }, '$.a[1].b'],
    ['infinity', [Number.POSITIVE_INFINITY], '$[0]'],
    ['undefined', { a: undefined }, '$.a'],
    ['a hole in an array', new Array(2), '$'],
    ['a bigint', { a: 1n }, '$.a'],
    ['a date', { at: new Date(0) }, '$.at'],
    ['a map', { m: new Map() }, '$.m'],
    ['a function', { toJSON: () => 1 }, '$.toJSON'],
  ])('rejects %s and says where it is', (_, value, path) => {
    expect(() => canonicalJson(value)).toThrow(`Not JSON at ${path}:`);
  });
});
