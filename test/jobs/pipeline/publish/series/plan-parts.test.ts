import { expect, test } from 'vitest';
import { type PlannedPart, plannedParts } from '../../../../../jobs/pipeline/publish/series/plan-parts.ts';
import type { SeriesDefinition } from '../../../../../schemas/series.ts';
import type { SeriesPart } from '../../../../../snapshots/layout.ts';

const OBSERVED: SeriesDefinition = { dataset: 'd', grain: 'observed', columns: {} };
const DAILY: SeriesDefinition = { dataset: 'd', grain: 'daily', columns: {} };
const at = (text: string) => Date.parse(`${text}Z`) / 1000;
const NOW = at('2026-03-15T10:30:00');
const written = (parts: readonly PlannedPart[]): SeriesPart[] =>
  parts
    .filter(({ isEmpty }) => !isEmpty)
    .map((part, n) => ({ ...part, sha256: `${n}`, bytes: 1, documents: 1 }));
const toWrite = (parts: readonly PlannedPart[]) =>
  parts
    .filter(({ known, isEmpty }) => known === undefined && !isEmpty)
    .map(({ resolution, from, to }) => [resolution, from, to]);
const plan = (
  now: number,
  before: readonly SeriesPart[] | undefined,
  changedFrom: number,
  definition = OBSERVED,
) => plannedParts({ definition, now, before, changedFrom });

test('stretches of one resolution follow each other without a gap, and end after now', () => {
  for (const definition of [OBSERVED, DAILY]) {
    const parts = plan(NOW, undefined, 0, definition);
    for (const stretches of Map.groupBy(parts, ({ resolution }) => resolution).values()) {
      for (const [n, { from }] of stretches.slice(1).entries()) expect(from).toBe(stretches[n]?.to);
      expect(stretches.at(-1)?.to).toBeGreaterThan(NOW);
    }
  }
  expect(
    plan(NOW, undefined, 0, DAILY)
      .map(({ resolution }) => resolution)
      .every((one) => one === '1d'),
  ).toBe(true);
});

test('a tick writes the open hour, the open day and the open month', () => {
  const before = written(plan(NOW, undefined, 0));
  expect(toWrite(plan(NOW + 300, before, NOW))).toEqual([
    ['raw', at('2026-03-15T10:00:00'), at('2026-03-15T11:00:00')],
    ['1h', at('2026-03-15T00:00:00'), at('2026-03-16T00:00:00')],
    ['1d', at('2026-03-01T00:00:00'), at('2026-04-01T00:00:00')],
  ]);
});

test('a late row writes its day again, and nothing before it', () => {
  const before = written(plan(NOW, undefined, 0));
  const again = toWrite(plan(NOW, before, at('2026-03-10T12:00:00')));
  expect(again.filter(([, , to]) => Number(to) <= at('2026-03-10T00:00:00'))).toEqual([]);
  expect(again).toContainEqual(['raw', at('2026-03-10T00:00:00'), at('2026-03-11T00:00:00')]);
});

test('the hours of a day become one file when it ends', () => {
  const before = written(plan(at('2026-03-15T23:59:00'), undefined, 0));
  const next = plan(at('2026-03-16T00:01:00'), before, at('2026-03-15T23:59:01'));
  expect(toWrite(next)).toContainEqual(['raw', at('2026-03-15T00:00:00'), at('2026-03-16T00:00:00')]);
  expect(next.filter(({ resolution, to, from }) => resolution === 'raw' && to - from === 3_600)).toHaveLength(
    1,
  );
});

test('a stretch that was empty stays empty until something changes there', () => {
  const next = plan(NOW, [], NOW);
  expect(next.filter(({ isEmpty }) => isEmpty).length).toBe(next.length - 3);
  expect(toWrite(plan(NOW, [], 0))).toHaveLength(next.length);
});

const withBytes = (parts: readonly SeriesPart[], bytes: number) => parts.map((part) => ({ ...part, bytes }));
const untilOf = (parts: readonly PlannedPart[]) =>
  parts.flatMap(({ resolution, earlier }) => (earlier === undefined ? [] : [[resolution, earlier.until]]));

test.each([
  [65_535, []],
  [
    65_536,
    [
      ['1h', at('2026-03-15T10:00:00')],
      ['1d', at('2026-03-15T00:00:00')],
    ],
  ],
])('of files of %s bytes, whole hours and days before the change are taken', (bytes, expected) => {
  const before = withBytes(written(plan(NOW, undefined, 0)), bytes);
  expect(untilOf(plan(NOW + 300, before, NOW))).toEqual(expected);
});

test('nothing is taken from a file whose first hour or day may have changed', () => {
  const before = withBytes(written(plan(NOW, undefined, 0)), 1_000_000);
  const midnight = at('2026-03-15T00:00:00');
  expect(untilOf(plan(NOW, before, midnight + 3_599))).toEqual([['1d', midnight]]);
  expect(untilOf(plan(NOW, before, midnight + 3_600))).toContainEqual(['1h', midnight + 3_600]);
  expect(untilOf(plan(NOW, before, at('2026-03-01T00:59:59')))).toEqual([]);
});

test('nothing is taken from a daily series, whose records also depend on the days before', () => {
  const before = withBytes(written(plan(NOW, undefined, 0, DAILY)), 1_000_000);
  expect(untilOf(plan(NOW + 300, before, NOW, DAILY))).toEqual([]);
});
