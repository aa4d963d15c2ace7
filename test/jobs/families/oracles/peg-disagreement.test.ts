// One source of a coin off its peg while others are silent, late or thin: subscribers hear of it as a doubt, whatever the weights.
import { afterAll, describe, expect, test } from 'vitest';
import type { PegPolicy } from '../../../../jobs/families/oracles/peg-schema.ts';
import { DEFAULT_POLICY } from '../../../../jobs/policies.ts';
import { type OracleWorld, openOracleWorld } from './oracle-world.ts';
import {
  instant as at,
  dataOf,
  eventsOf as eventsIn,
  every,
  type PegSource,
  summaryOf,
} from './peg-story.ts';

const needs = { events: ['peg.'], tables: ['out.peg'] };
const worlds: OracleWorld[] = [];
async function worldWith(peg: Partial<PegPolicy> = {}): Promise<OracleWorld> {
  const policy = { ...DEFAULT_POLICY, peg: { ...DEFAULT_POLICY.peg, ...peg } };
  const world = await openOracleWorld({ policy, needs });
  worlds.push(world);
  return world;
}
const world = await worldWith();
afterAll(() => Promise.all(worlds.map((one) => one.close())));

const ORDERS = [
  ['0xa', '0xb'],
  ['0xb', '0xa'],
] as const;
const from = at('2022-11-10T10:00:00Z');
const HOUR = 3_600;
/** A quarter of an hour each: at the peg, an hour below it, and back. */
const fall = [...Array<number>(9).fill(1), 0.989, 0.987, 0.988, 0.989, ...Array<number>(20).fill(1)];
const usdt = { base: 'USDT', heartbeat_s: 86_400, deviation_bps: 25 };
const quick: PegSource = { feed: usdt, answers: every(900, from, fall) };
const last = from + 6 * HOUR;
const times = (events: Awaited<ReturnType<typeof eventsIn>>) =>
  summaryOf(events).map(({ type, at, severity }) => `${at} ${type} ${severity}`);

describe.each(ORDERS)('of two feeds of USDT at %s and %s', (...addresses) => {
  test('one that repeats the other two hours late is a doubt each time, and lags the first time', async () => {
    const late = { feed: usdt, answers: every(900, from + 2 * HOUR + 30, fall) };
    const events = await eventsIn(world, { sources: [quick, late], addresses, last });
    expect(times(events)).toEqual([
      '12:30 start warn',
      '13:30 end info',
      '14:30 start warn',
      '15:30 end info',
    ]);
    expect(summaryOf(events)[0]?.doubts).toContain('sources_disagree');
  });

  test('one that never answers again lags and is named', async () => {
    const silent: PegSource = { feed: usdt, answers: [[from + 60, 1]] };
    const events = await eventsIn(world, { sources: [quick, silent], addresses, last });
    expect(times(events)).toEqual(['12:30 start warn', '13:30 end info']);
    expect(summaryOf(events)[0]?.doubts).toEqual(['source_lags', 'sources_disagree']);
    const [start] = events;
    expect(start === undefined ? [] : dataOf(start).sources).toMatchObject([
      { price: '0.98700000', is_beyond: true, age_s: 0, is_lagging: false },
      { price: '1.00000000', is_beyond: false, age_s: 2.5 * HOUR - 60, is_lagging: true },
    ]);
  });

  test('one that always says 1 does not hide what the other says', async () => {
    const steady: PegSource = { feed: usdt, answers: every(900, from + 30, Array<number>(24).fill(1)) };
    const events = await eventsIn(world, { sources: [quick, steady], addresses, last });
    expect(times(events)).toEqual(['12:30 start warn', '13:30 end info']);
  });
});
