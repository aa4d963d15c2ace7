import { expect, test } from 'vitest';
import { parseDotEnv } from '../../../platform/settings/setting-layers.ts';

const value = (line: string) => parseDotEnv(line).entries[0]?.value;

test.each([
  ['A=b', 'b'],
  ['export A=b', 'b'],
  ['  A = b  ', 'b'],
  ['A=b c', 'b c'],
  ['A="b # c"', 'b # c'],
  ['A=\'b "c"\'', 'b "c"'],
  ['A=b # why', 'b'],
  ['A="b" # why', 'b'],
  ['A=b#c', 'b#c'],
  ['A=*/5 * * * *', '*/5 * * * *'],
  ['A=', ''],
  ['A= # nothing', ''],
  ['A=""', ''],
  ['A=$HOME', '$HOME'],
])('%j gives %j', (line, expected) => {
  expect(value(line)).toBe(expected);
});

test('blank lines, comments, a byte order mark and Windows line ends are skipped', () => {
  const { entries, unreadable } = parseDotEnv('\uFEFFA=1\r\n\r\n# B=2\r\nC=3\r\n');
  expect(entries).toEqual([
    { line: 1, name: 'A', value: '1' },
    { line: 4, name: 'C', value: '3' },
  ]);
  expect(unreadable).toEqual([]);
});

test.each(['no assignment', '=x', '1A=x', 'A="open', "A='open", 'A="b" c', 'A-B=c'])(
  '%j is named as unreadable',
  (line) => {
    expect(parseDotEnv(line)).toEqual({ entries: [], unreadable: [{ line: 1, text: line }] });
  },
);
