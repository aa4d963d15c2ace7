// What every family of the demo world promises: an interval split at any instants gives the same rows as the whole.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Interval, Source } from '../../../../jobs/define/source.ts';
import type { DemoSettings } from '../../../../jobs/sources/demo/scenario/settings.ts';
import { deliveries, STARTED_AT, settings } from './expand-rows.ts';

const DAY = 86_400;

/** Rows of a source as a reader would see them, without computed columns. */
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

/** Requests (from, to] whole and split at the given instants, and expects the same rows. */
export async function expectSameRows(
  source: Source | undefined,
  { from, to }: Interval,
  cuts: readonly number[],
): Promise<void> {
  const whole = await wholeOf(source, { from, to });
  const ends = [...cuts.filter((cut) => cut > from && cut < to).toSorted((a, b) => a - b), to];
  const pieces: string[] = [];
  for (const [index, end] of ends.entries()) {
    const rows = await rowsOf(source, { from: ends[index - 1] ?? from, to: end });
    pieces.push(...rows.map((row) => JSON.stringify(row)));
  }
  expect(pieces.sort()).toEqual(whole);
}

/** By source and span: all cuts of one are compared with the same rows. */
const wholes = new WeakMap<Source, Map<string, Promise<readonly string[]>>>();

function wholeOf(source: Source | undefined, { from, to }: Interval): Promise<readonly string[]> {
  const rows = async () => (await rowsOf(source, { from, to })).map((row) => JSON.stringify(row)).sort();
  if (source === undefined) return rows();
  const known = wholes.get(source) ?? new Map<string, Promise<readonly string[]>>();
  wholes.set(source, known);
  const whole = known.get(`${from} ${to}`) ?? rows();
  known.set(`${from} ${to}`, whole);
  return whole;
}

/** The tests of what every family promises. */
export function testPromises(sourcesOf: (settings: DemoSettings) => readonly Source[]): void {
  const sources = sourcesOf(settings());

  test('every source says that it is simulated', () => {
    for (const { facts } of sources)
      expect(facts).toMatchObject({ kind: 'simulated', name: expect.stringContaining('simulated') });
  });

  test.each(sources.map((source, index) => [source.table, index] as const))(
    'any split of time gives the same rows of %s, and another seed gives others',
    async (_table, index) => {
      const span = { from: STARTED_AT - 6 * DAY, to: STARTED_AT };
      const cuts = fc.array(fc.integer({ min: span.from, max: STARTED_AT }), { maxLength: 8 });
      await fc.assert(
        fc.asyncProperty(cuts, (instants) => expectSameRows(sources[index], span, instants)),
        { numRuns: 20, seed: 3 },
      );
      const other = sourcesOf(settings({ seed: 2 }));
      expect(await rowsOf(other[index], span)).not.toEqual(await rowsOf(sources[index], span));
    },
  );
}
