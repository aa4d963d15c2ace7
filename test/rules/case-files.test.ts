import { expect, test } from 'vitest';
import { formatCases } from '../support/case-format.ts';
import { sourceFiles } from './source-tree.ts';

test('every case file is formatted (`npm run cases:format`)', () => {
  const files = sourceFiles(['test'], '.case.json');
  expect(files.length).toBeGreaterThan(100);
  expect(files.filter(({ text }) => formatCases(text) !== text).map(({ path }) => path)).toEqual([]);
});

const format = (row: unknown) =>
  formatCases(
    JSON.stringify({ cases: [{ about: 'it', params: {}, given: { 'obs.a': [row] }, expect: [] }] }),
  ).split('\n');

test('a row takes one line, and its tables and cases are broken into lines', () => {
  expect(format({ day: 1, list: [1, { a: null }] })).toEqual([
    '{',
    '  "cases": [',
    '    {',
    '      "about": "it",',
    '      "params": {},',
    '      "given": {',
    '        "obs.a": [',
    '          { "day": 1, "list": [1, { "a": null }] }',
    '        ]',
    '      },',
    '      "expect": []',
    '    }',
    '  ]',
    '}',
    '',
  ]);
});

const WIDE = 'x'.repeat(50);

test('a row too wide for one line is filled', () => {
  expect(format({ a: WIDE, b: WIDE, c: WIDE, d: 1 }).slice(7, 9)).toEqual([
    `          { "a": "${WIDE}", "b": "${WIDE}",`,
    `            "c": "${WIDE}", "d": 1 }`,
  ]);
});

test('a list too wide for one line is opened, and objects in it take a line each', () => {
  expect(format({ a: 1, b: 2, c: [{ d: WIDE }, { d: WIDE }, { d: WIDE }] }).slice(7, 15)).toEqual([
    '          {',
    '            "a": 1, "b": 2,',
    '            "c": [',
    `              { "d": "${WIDE}" },`,
    `              { "d": "${WIDE}" },`,
    `              { "d": "${WIDE}" }`,
    '            ]',
    '          }',
  ]);
});
