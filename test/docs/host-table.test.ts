import { expect, test } from 'vitest';
import { sourceOf } from '../jobs/sources/live/fetching-fixture.ts';
import { hostRows, readingsByHost } from './host-table.ts';

test('readings of all partitions of a host add up; sources that are off, need a key or map recordings of others request nothing', () => {
  const url = (host: string) => ({ url: `https://${host}/x` });
  const sources = [
    sourceOf({ request: url('a.example'), every: '1h' }, 'one'),
    sourceOf({ request: url('a.example'), every: '7h' }, 'two'),
    sourceOf(
      { request: url('{host}'), every: '12h', each: [{ host: 'b.example' }, { host: 'a.example' }] },
      'many',
    ),
    sourceOf({ request: url('a.example'), is_on: false }, 'off'),
    sourceOf({ request: { ...url('a.example'), headers: { key: `\${KEY}` } } }, 'keyed'),
    { ...sourceOf({}, 'mapped'), request: null },
  ];
  expect(readingsByHost(sources)).toEqual([
    { host: 'a.example', sources: ['one', 'two', 'many'], readings_a_day: 30 },
    { host: 'b.example', sources: ['many'], readings_a_day: 2 },
  ]);
});

test('a chain is read from its first node', () => {
  const chain = { id: 1, read: 'blocks' as const, nodes: ['https://b.example'] };
  const source = sourceOf({ every: '1d', request: { url: 'https://a.example', chain } });
  expect(readingsByHost([source])).toMatchObject([{ host: 'a.example', readings_a_day: 1 }]);
});

test('the budget of each host stays below its known limit, and the schedule below a tenth of the budget', () => {
  const rows = hostRows();
  expect(rows.length).toBeGreaterThan(10);
  for (const { host, requests_per_minute, known_per_minute, readings_a_day } of rows) {
    expect([host, known_per_minute === null || requests_per_minute <= known_per_minute]).toEqual([
      host,
      true,
    ]);
    expect([host, readings_a_day * 10 <= requests_per_minute * 1_440]).toEqual([host, true]);
  }
});
