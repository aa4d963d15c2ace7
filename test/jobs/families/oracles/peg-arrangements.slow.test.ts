// Two and three sources for one coin, as they were for USDe on 2025-10-10 and for USDC in March 2023: with either order of addresses, with a
// dead source next to them, and with most of them wrong. The pool's feed names no pool, so its depth is unknown and it only doubts.
import { afterAll, describe, expect, test } from 'vitest';
import { DEFAULT_POLICY } from '../../../../jobs/policies.ts';
import { COUNTS } from '../../../reliability/counts.ts';
import { feedRow, openOracleWorld, roundRow } from './oracle-world.ts';
import {
  instant as at,
  dataOf,
  eventsOf as eventsIn,
  every,
  type PegSource,
  summaryOf,
} from './peg-story.ts';

const MINUTE = 60;
const needs = { events: ['peg.'] };
const world = await openOracleWorld({ needs });
afterAll(() => world.close());

const eventsOf = (sources: readonly PegSource[], addresses: readonly string[], last: number) =>
  eventsIn(world, { sources, addresses, last });

const ALL_ORDERS = [
  ['0xa', '0xb', '0xc'],
  ['0xc', '0xb', '0xa'],
  ['0xb', '0xc', '0xa'],
  ['0xa', '0xc', '0xb'],
] as const;
const ORDERS = ALL_ORDERS.slice(0, COUNTS.addressOrders);

describe('USDe on 2025-10-10, a venue at .65 and a pool above .994', () => {
  const from = at('2025-10-10T21:30:00Z');
  const minutely = { base: 'USDE', heartbeat_s: 5 * MINUTE };
  const venue: PegSource = {
    feed: { ...minutely, source_kind: 'venue' },
    answers: every(MINUTE, from, [
      ...Array(10).fill(0.9996),
      0.97,
      0.86,
      0.72,
      0.65,
      0.65,
      0.8,
      0.95,
      0.99,
      0.999,
      0.9995,
    ]),
  };
  const pool: PegSource = {
    feed: { ...minutely, source_kind: 'pool' },
    answers: every(MINUTE, from + 30, [
      ...Array(10).fill(0.9993),
      0.998,
      0.996,
      0.9951,
      0.9945,
      0.9948,
      0.996,
      ...Array(4).fill(0.999),
    ]),
  };
  const dead: PegSource = { feed: { base: 'USDE' }, answers: [[at('2025-01-02T00:00:00Z'), 1]] };
  const last = from + 3_600;

  test.each(ORDERS)('is reported with both values and the doubts, at addresses %s, %s', async (...order) => {
    for (const sources of [
      [venue, pool],
      [venue, pool, dead],
    ]) {
      const [start, end, ...more] = summaryOf(await eventsOf(sources, order, last));
      expect(start).toEqual({
        type: 'start',
        at: '21:41',
        severity: 'warn',
        doubts: ['single_source', 'source_lags', 'thin_pools_disagree'],
        observed_price: '0.86000000',
        values: ['venue 0.86', 'pool 0.998'],
      });
      expect(end).toMatchObject({ type: 'end', at: '21:48' });
      expect(more).toEqual([]);
    }
  });

  test('is no price at all where the pool is all there is', async () => {
    expect(await eventsOf([pool, dead], ['0xa', '0xb'], last)).toEqual([]);
    expect(await world.rows('select * from derived.peg_observation where observed_at > 1760000000')).toEqual(
      [],
    );
  });

  test.each(ORDERS)(
    'is a doubt where an oracle contradicts it, at addresses %s, %s, %s',
    async (...order) => {
      const oracle: PegSource = {
        feed: { base: 'USDE', heartbeat_s: 86_400 },
        answers: [[from - 3_600, 0.9994]],
      };
      const [start, ...more] = summaryOf(await eventsOf([venue, pool, oracle], order, last));
      expect(start).toMatchObject({
        type: 'start',
        severity: 'warn',
        doubts: expect.arrayContaining(['sources_disagree']),
      });
      expect(start?.values).toHaveLength(3);
      expect(more.map(({ type }) => type)).toEqual(['end']);
    },
  );

  test.each(ORDERS)(
    'is a doubted one where two of three are wrong, at addresses %s, %s, %s',
    async (...order) => {
      const other: PegSource = {
        ...venue,
        answers: venue.answers.map(([time, price]) => [time + 10, price]),
      };
      const oracle: PegSource = {
        feed: { base: 'USDE', heartbeat_s: 86_400 },
        answers: [[from - 3_600, 0.9994]],
      };
      const [start, ...more] = summaryOf(await eventsOf([venue, other, oracle], order, last));
      expect(start).toMatchObject({
        type: 'start',
        severity: 'warn',
        doubts: ['source_lags', 'sources_disagree'],
      });
      expect(start?.values).toHaveLength(3);
      expect(more.map(({ type }) => type)).toEqual(['end']);
    },
  );

  test('is weighed by configuration: an oracle that outweighs the rest is the centre', async () => {
    const peg = { ...DEFAULT_POLICY.peg, weights: { oracle: 3, venue: 1, pool: 1 } };
    const weighed = await openOracleWorld({ policy: { ...DEFAULT_POLICY, peg }, needs });
    await weighed.landFeeds(
      (['oracle', 'venue', 'venue'] as const).map((source_kind, i) =>
        feedRow({ feed_address: `0x${i}`, base: 'USDE', quote: 'USD', source_kind, heartbeat_s: 86_400 }),
      ),
    );
    const answers = ['99950000', '65000000', '66000000'];
    await weighed.landRounds(
      answers.map((answer, i) => roundRow({ feed_address: `0x${i}`, answer, updated_at: from + i })),
    );
    await weighed.compute({ start: from - (from % 86_400), end: last + 1, now: last });
    expect(
      await weighed.rows('select sources, price_text from derived.peg_price order by observed_at'),
    ).toEqual([
      { sources: 1, price_text: '0.99950000' },
      { sources: 2, price_text: '0.99950000' },
      { sources: 3, price_text: '0.99950000' },
    ]);
    await weighed.close();
  });
});

describe('USDC in March 2023', () => {
  const from = at('2023-03-11T02:00:00Z');
  const fall = [0.9998, 0.998, 0.994, 0.986, 0.975, 0.955, 0.93, 0.9, 0.885, 0.88, 0.91, 0.93, 0.95, 0.96];
  const oracle: PegSource = { feed: { base: 'USDC', heartbeat_s: 82_800 }, answers: every(600, from, fall) };
  const venue: PegSource = {
    feed: { base: 'USDC', heartbeat_s: 600, deviation_bps: null, source_kind: 'venue' },
    answers: every(
      120,
      from + 45,
      fall.flatMap((price) => Array(5).fill(price)),
    ),
  };
  const silent: PegSource = {
    feed: { base: 'USDC', heartbeat_s: 3_600 },
    answers: [[at('2022-05-01T00:00:00Z'), 1]],
  };
  const last = from + 86_000;

  test.each(ORDERS)('is one depeg that all sources agree on, at addresses %s, %s', async (...order) => {
    expect(summaryOf(await eventsOf([oracle, venue], order, last))).toMatchObject([
      { type: 'start', at: '02:32', severity: 'high', doubts: [] },
    ]);
  });

  test.each(ORDERS)(
    'is high with a second feed that fell silent in 2022, at addresses %s, %s',
    async (...order) => {
      const [start, ...more] = summaryOf(await eventsOf([oracle, silent], order, last));
      expect(start).toMatchObject({
        type: 'start',
        severity: 'high',
        doubts: ['single_source'],
        values: ['oracle 0.975'],
      });
      expect(more).toEqual([]);
    },
  );

  test('is muted by no feed that is being deprecated or gives no valid answer', async () => {
    const deprecating: PegSource = {
      ...silent,
      feed: { base: 'USDC', risk_level: 'deprecating' },
      answers: every(60, from, Array(140).fill(1)),
    };
    const invalid: PegSource = { ...silent, answers: every(60, from, Array(140).fill(0)) };
    const [start] = summaryOf(await eventsOf([oracle, deprecating, invalid], ['0xc', '0xa', '0xb'], last));
    expect(start).toMatchObject({ severity: 'high', doubts: ['single_source'] });
  });

  test('names the block of the answer that made the edge', async () => {
    const [start] = await eventsOf([oracle], ['0xa'], last);
    expect(start === undefined ? null : dataOf(start).block_number).toBe(1_000_004);
  });
});
