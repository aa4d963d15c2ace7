import fc from 'fast-check';
import { expect, test } from 'vitest';
import { overallDemoSources } from '../../../../jobs/sources/demo/overall.ts';
import { expectSameRows, rowsOf } from '../../sources/demo/cuts.ts';
import { STARTED_AT, settings } from '../../sources/demo/expand-rows.ts';

const DAY = 86_400;
const SOURCES = overallDemoSources(settings({ days: 3 }));
const ALL = { from: -1, to: STARTED_AT };
const of = (table: string) => SOURCES.find((source) => source.table === table);

test('every source says that it is simulated', () => {
  expect(SOURCES.map(({ table }) => table).toSorted()).toEqual([
    'overall_operator',
    'overall_pool',
    'overall_protocol',
    'overall_security',
    'overall_token',
  ]);
  for (const { facts } of SOURCES)
    expect(facts).toMatchObject({ kind: 'simulated', name: expect.stringContaining('simulated') });
});

test('thirteen protocols are scored from the first day on, all but one with pools and a registry of security', async () => {
  const protocols = (await rowsOf(of('overall_protocol'), ALL)).map(({ protocol }) => protocol);
  expect(protocols).toHaveLength(13);
  for (const table of ['overall_pool', 'overall_security']) {
    const seen = new Set((await rowsOf(of(table), ALL)).map(({ protocol }) => protocol));
    expect(protocols.filter((protocol) => !seen.has(protocol))).toEqual(['synthetix']);
  }
});

test('shares are shares, amounts are not below 0, and emissions are no more than the yield', async () => {
  for (const { tvl_usd, depth_usd, utilization } of await rowsOf(of('overall_pool'), ALL)) {
    expect(Number(depth_usd)).toBeGreaterThanOrEqual(0);
    expect(Number(depth_usd)).toBeLessThanOrEqual(Number(tvl_usd));
    if (utilization !== null) expect(Number(utilization)).toBeLessThanOrEqual(1);
  }
  for (const { top10_share, yield_usd, emissions_usd } of await rowsOf(of('overall_token'), ALL)) {
    if (top10_share !== null) expect(Number(top10_share)).toBeLessThanOrEqual(1);
    expect(Number(emissions_usd)).toBeLessThanOrEqual(Number(yield_usd));
  }
  const weights = (await rowsOf(of('overall_operator'), ALL)).map(({ weight }) => Number(weight));
  expect(Math.min(...weights)).toBeGreaterThan(0);
});

test('one protocol loses its pools for a day', async () => {
  const seen = (await rowsOf(of('overall_pool'), ALL)).filter(({ protocol }) => protocol === 'curve');
  const days = new Set(seen.map(({ observed_at }) => Math.floor(Number(observed_at) / DAY)));
  const first = Math.min(...days);
  expect(days.has(first + 3)).toBe(true);
  expect(days.has(first + 4)).toBe(false);
  expect(days.has(first + 5)).toBe(true);
});

test.each(SOURCES)(
  'any cut of time gives the same rows to $table, another seed gives others',
  async (source) => {
    const cuts = fc.array(fc.integer({ min: STARTED_AT - 20 * DAY, max: STARTED_AT }), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(cuts, (instants) => expectSameRows(source, ALL, instants)),
      { numRuns: 15, seed: 3 },
    );
    const other = overallDemoSources(settings({ days: 3, seed: 2 })).find(
      ({ table }) => table === source.table,
    );
    if (/pool|operator|token/.test(source.table))
      expect(await rowsOf(other, ALL)).not.toEqual(await rowsOf(source, ALL));
  },
);
