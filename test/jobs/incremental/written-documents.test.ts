import { describe, expect, it } from 'vitest';
import { WrittenDocuments } from '../../../jobs/incremental/written-documents.ts';
import type { Json } from '../../../platform/base/json.ts';

const documents = (values: { readonly [key: string]: Json }) =>
  Object.entries(values).map(([key, value]) => ({ key, value }));
const texts = (written: readonly { readonly line: Uint8Array }[]) =>
  written.map(({ line }) => Buffer.from(line).toString());

describe('lines kept from one run to the next', () => {
  it('are the same bytes, not written again, while the value is the same', () => {
    const kept = new WrittenDocuments();
    const first = kept.write('d', documents({ a: { n: 1, gaps: ['x'] }, b: { n: 2, gaps: [] } }));
    const second = kept.write('d', documents({ a: { n: 1, gaps: ['x'] }, b: { n: 3, gaps: [] } }));
    expect(second[0]).toBe(first[0]);
    expect(second[1]).not.toBe(first[1]);
    expect(texts(second)).toEqual([
      '{"key":"a","value":{"gaps":["x"],"n":1}}\n',
      '{"key":"b","value":{"gaps":[],"n":3}}\n',
    ]);
  });

  it.each<[string, Json, Json]>([
    ['a member changes deep inside', { a: [{ b: 1 }] }, { a: [{ b: 2 }] }],
    ['a member is added', { a: 1 }, { a: 1, b: null }],
    ['a member is removed', { a: 1, b: null }, { a: 1 }],
    ['null becomes 0', { a: null }, { a: 0 }],
    ['a list gets longer', [1], [1, 2]],
    ['a number becomes text', 1, '1'],
  ])('are written again when %s', (_what, before, after) => {
    const kept = new WrittenDocuments();
    kept.write('d', documents({ k: before }));
    expect(texts(kept.write('d', documents({ k: after })))).toEqual(
      texts(new WrittenDocuments().write('d', documents({ k: after }))),
    );
  });

  it('forget what is gone and keep datasets apart', () => {
    const kept = new WrittenDocuments();
    const [first] = kept.write('d', documents({ k: 1 }));
    expect(kept.write('other', documents({ k: 1 }))[0]).not.toBe(first);
    kept.write('d', []);
    expect(kept.write('d', documents({ k: 1 }))[0]).not.toBe(first);
  });
});
