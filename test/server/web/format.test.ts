// Numbers as the pages show them: only significant digits, and missing values never as zero.
import { expect, test } from 'vitest';
import {
  caption,
  daysBetween,
  dollars,
  inFull,
  percent,
  priceText,
  quantity,
  span,
  UNKNOWN,
  withUnit,
} from '../../../server/web/browser/format.ts';

test('a price has six digits, or all its integer digits and two decimals, and no floating-point noise', () => {
  expect(priceText(2_020.0249999999999)).toBe('2,020.02');
  expect(priceText(67_643.17848)).toBe('67,643.18');
  expect(priceText(1.0001439)).toBe('1.00014');
  expect(priceText(0.001228)).toBe('0.001228');
  expect(priceText(0)).toBe('0');
  expect(priceText(-0.5)).toBe('-0.5');
});

test('figures in one column have the same decimals', () => {
  expect([4_900_000, 94_680_000, 12_000].map(dollars)).toEqual(['$4.90M', '$94.68M', '$12.00K']);
  expect([9_999, 0.5].map(dollars)).toEqual(['$9,999.00', '$0.50']);
  expect([0.77, 0.782, 1].map((share) => percent(share))).toEqual(['77.0 %', '78.2 %', '100.0 %']);
  expect(percent(0.9, 0)).toBe('90 %');
});

test('a limit is shown as briefly as it was set', () => {
  expect(withUnit(0.9, 'fraction')).toBe('90 %');
  expect(withUnit(0.125, 'share')).toBe('12.5 %');
  expect(withUnit(3_600, 'seconds')).toBe('1 h');
});

test('a missing value is shown as not known', () => {
  for (const text of [dollars, percent, priceText, span]) {
    expect(text(null)).toBe(UNKNOWN);
    expect(text(undefined)).toBe(UNKNOWN);
  }
});

test('the days between two times include both ends', () => {
  const at = (text: string) => Date.parse(text) / 1_000;
  const days = (from: string, to: string) =>
    daysBetween(at(from), at(to)).map((day) => new Date(day * 1_000).toISOString());
  expect(days('2026-03-01T09:00:00Z', '2026-03-03T08:59:59Z')).toEqual([
    '2026-03-01T00:00:00.000Z',
    '2026-03-02T00:00:00.000Z',
    '2026-03-03T00:00:00.000Z',
  ]);
  expect(days('2026-03-01T00:00:00Z', '2026-03-01T23:59:59Z')).toEqual(['2026-03-01T00:00:00.000Z']);
  expect(days('2026-03-01T23:59:59Z', '2026-03-02T00:00:00Z')).toHaveLength(2);
});

test('a quantity of one is in the singular', () => {
  expect([0, 1, 2, 1_200].map((of) => quantity(of, 'gap', 'gaps'))).toEqual([
    '0 gaps',
    '1 gap',
    '2 gaps',
    '1,200 gaps',
  ]);
});

test('names of members are words, with their unit after a comma and abbreviations in capitals', () => {
  expect(['tvl_usd', 'deviation_bps', 'net_apy', 'usd', 'oracle.stale', 'mev.spike'].map(caption)).toEqual([
    'TVL, USD',
    'deviation, bps',
    'net APY',
    'USD',
    'oracle stale',
    'MEV spike',
  ]);
  expect(caption('usdc_busd')).toBe('usdc busd');
});

test('a shortened number is read with all its digits, any other as it is shown', () => {
  expect(inFull(35_126_509.47, dollars(35_126_509.47))).toBe('$35.13M (35,126,509.47)');
  expect(inFull(0.70361456, percent(0.70361456))).toBe('70.4 % (0.70361456)');
  expect(inFull(1.25, '1.25 USD')).toBe('1.25 USD');
  expect(inFull(-300, '-300 bps')).toBe('-300 bps');
});
