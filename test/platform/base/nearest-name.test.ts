import fc from 'fast-check';
import { expect, test } from 'vitest';
import { editDistance, nearestName } from '../../../platform/base/nearest-name.ts';

test.each([
  ['port', 'port', 0],
  ['prot', 'port', 1],
  ['ports', 'port', 1],
  ['home', 'host', 2],
  ['', 'abc', 3],
])('%s becomes %s in %d edits', (a, b, edits) => {
  expect(editDistance(a, b)).toBe(edits);
});

test('the way back costs the same, and never more than the longer name', () => {
  const name = fc.string({ maxLength: 12 });
  fc.assert(
    fc.property(name, name, (a, b) => {
      const edits = editDistance(a, b);
      return (
        edits === editDistance(b, a) &&
        edits >= Math.abs(a.length - b.length) &&
        edits <= Math.max(a.length, b.length) &&
        (edits === 0) === (a === b)
      );
    }),
  );
});

test('the nearest of several is suggested, and nothing when all are far', () => {
  expect(nearestName('demo_feed', ['demo_seed', 'demo_feeds', 'demo_days'])).toBe('demo_seed');
  expect(nearestName('DATADIR', ['data_dir', 'host'])).toBe('data_dir');
  expect(nearestName('zzz', ['port', 'host'])).toBeNull();
  expect(nearestName('x', ['y'])).toBeNull();
});
