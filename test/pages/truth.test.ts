// The reader of figures must find wrong ones: texts that state a value, and texts that do not.
import { expect, test } from 'vitest';
import { says } from './truth.ts';

test.each([
  ['-597 bps', -597, true],
  ['-597 bps', 597, false],
  ['$183.36M', 183_360_412, true],
  ['$183.36M', 183_370_412, false],
  ['88.9 %', 0.8889, true],
  ['88.9 %', 0.8799, false],
  ['12.4 %', 12.4, true],
  ['6 d', 549_816, true],
  ['0 s', null, false],
  ['0', null, false],
  ['not known', null, true],
  ['not known', 0, false],
  ['1', 0, false],
  ['2026-11-22 18:15 UTC', 1_795_371_300, true],
  ['2026-11-22 18:16 UTC', 1_795_371_300, false],
  ['2026-11-22', '22-11-2026', true],
  ['oracle stale', 'oracle.stale', true],
  ['oracle fresh', 'oracle.stale', false],
  ['stablecoin deviation, bps: risk on', 'stablecoin_deviation_bps:risk_on', true],
  ['stablecoin deviation, bps: risk off', 'stablecoin_deviation_bps:risk_on', false],
  ['0xde30…0019', '0xde30fd69fba7463b76e79a403846ab1500000019', true],
  ['yes', true, true],
  ['yes', false, false],
  ['0.94034', '0.94034112', true],
])('%s for %j: %j', (text, raw, isTrue) => {
  expect(says({ text, datetime: null }, raw)).toBe(isTrue);
});

test('a distance in time is judged by its instant', () => {
  expect(says({ text: '9 d ago', datetime: '2026-11-13T15:12:00.000Z' }, '2026-11-13T15:12:00Z')).toBe(true);
  expect(says({ text: '9 d ago', datetime: '2026-11-13T15:12:00.000Z' }, '2026-11-13T15:13:00Z')).toBe(false);
});
