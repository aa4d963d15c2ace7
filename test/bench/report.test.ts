import { expect, test } from 'vitest';
import { formatReport, median, reaches } from './report.ts';

test.each([
  ['≥ 0.95', 0.95, true],
  ['≥ .95', 0.94, false],
  ['≤ 2×', 2, true],
  ['<= 1.1', 1.2, false],
  ['as fast as it goes', 1, null],
  ['≥ 1', Number.NaN, null],
])('the goal %s at %d', (goal, value, expected) => {
  expect(reaches({ label: 'x', value, goal })).toBe(expected);
});

test('a report is two aligned tables', () => {
  const figures = { rows: 1_234_567, answers_per_second: 0.123456, engine: 'duckdb' };
  expect(formatReport({ name: 'x', figures, ratios: [{ label: 'speed', value: 0.9, goal: '≥ 0.95' }] })).toBe(
    [
      'benchmark x',
      '',
      'figure                  value',
      '------------------  ---------',
      'rows                1,234,567',
      'answers_per_second     0.1235',
      'engine                 duckdb',
      '',
      'ratio  value  goal',
      '-----  -----  ------  ------',
      'speed    0.9  ≥ 0.95  missed',
    ].join('\n'),
  );
});

test('the median of nothing is not a number', () => {
  expect([median([3, 1, 2]), median([4, 1, 2, 3]), median([])]).toEqual([2, 2.5, Number.NaN]);
});
