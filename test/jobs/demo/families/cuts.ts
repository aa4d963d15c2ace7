// What every family of the demo world promises: any cut of time gives the rows of the whole.
import { expect } from 'vitest';
import type { Interval, Source } from '../../../../jobs/define.ts';
import { deliveries } from '../expand-rows.ts';

/** Rows of a source as a reader would see them, computed columns aside. */
export async function rowsOf(
  source: Source | undefined,
  interval: Interval,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const batches = await deliveries(source, interval);
  return batches.flatMap(({ count, columns }) =>
    Array.from({ length: count }, (_, row) =>
      Object.fromEntries(Object.entries(columns).map(([name, values]) => [name, values[row]])),
    ),
  );
}

/** Asks for (from, to] at once and cut at the given instants, and expects the same rows. */
export async function expectSameRows(
  source: Source | undefined,
  { from, to }: Interval,
  cuts: readonly number[],
): Promise<void> {
  const whole = (await rowsOf(source, { from, to })).map((row) => JSON.stringify(row)).sort();
  const ends = [...cuts.filter((cut) => cut > from && cut < to).toSorted((a, b) => a - b), to];
  const pieces: string[] = [];
  for (const [at, end] of ends.entries()) {
    const rows = await rowsOf(source, { from: ends[at - 1] ?? from, to: end });
    pieces.push(...rows.map((row) => JSON.stringify(row)));
  }
  expect(pieces.sort()).toEqual(whole);
}
