// What the price of a coin is made of: sources that come and go, coins that share a symbol, pairs that are written the other way round.
import { afterAll, describe, expect, test } from 'vitest';
import type { PegAsset } from '../../../../jobs/families/oracles/peg-schema.ts';
import type { Candidate } from '../../../../jobs/pipeline/events/emit.ts';
import { DEFAULT_POLICY } from '../../../../jobs/policies.ts';
import { type FeedRow, openOracleWorld } from './oracle-world.ts';
import { instant as at, eventsOf as eventsIn, every, type PegSource, summaryOf } from './peg-story.ts';

const assets: readonly PegAsset[] = [
  ...DEFAULT_POLICY.peg.assets,
  { symbol: 'PLN', quote: 'USD', kind: 'fiat_other', reference_price: '0.25', confirm_observations: 1 },
  {
    symbol: 'USDX',
    quote: 'USD',
    kind: 'fiat_usd',
    reference_price: '1',
    asset_id: '0xconfigured',
    chain: 'base',
  },
  { symbol: 'USDX', quote: 'USD', kind: 'fiat_usd', reference_price: '1' },
];
const world = await openOracleWorld({
  policy: { ...DEFAULT_POLICY, peg: { ...DEFAULT_POLICY.peg, assets } },
  needs: { events: ['peg.'] },
});
afterAll(() => world.close());

const eventsOf = (sources: readonly PegSource[], addresses: readonly string[], last: number) =>
  eventsIn(world, { sources, addresses, last });

describe('a change of sources', () => {
  const from = at('2024-02-01T00:00:00Z');
  const steady = (price: number, n: number) => every(600, from, Array(n).fill(price));

  test('makes no edge on the observation at which it shows', async () => {
    const usual: PegSource = { feed: { base: 'USDC', heartbeat_s: 600 }, answers: steady(1, 10) };
    const low: PegSource = {
      feed: { base: 'USDC', heartbeat_s: 600 },
      answers: every(600, from + 100, Array(20).fill(0.9)),
    };
    const events = summaryOf(await eventsOf([usual, usual, low], ['0xa', '0xc', '0xb'], from + 11_600));
    expect(events).toMatchObject([
      { type: 'start', severity: 'warn', doubts: ['sources_disagree'], at: '00:10' },
      { type: 'start', severity: 'high', doubts: ['single_source'], at: '01:51' },
    ]);
    expect(
      await world.rows(`
        select observed_at - ${from} as at, sources, zone from derived.peg_observation
        where observed_at between ${from} + 5_400 and ${from} + 6_700 order by observed_at`),
    ).toEqual([
      { at: 5_400, sources: 3, zone: 'inside' },
      { at: 5_500, sources: 3, zone: 'inside' },
      { at: 6_100, sources: 1, zone: 'beyond' },
      { at: 6_700, sources: 1, zone: 'beyond' },
    ]);
  });

  test('ends no depeg by silence alone', async () => {
    const one: PegSource = { feed: { base: 'USDC', heartbeat_s: 600 }, answers: steady(0.97, 5) };
    const other: PegSource = { feed: { base: 'USDC', heartbeat_s: 600 }, answers: steady(0.98, 4) };
    const events = summaryOf(await eventsOf([one, other], ['0xa', '0xb'], from + 86_000));
    expect(events.map(({ type, severity }) => [type, severity])).toEqual([['start', 'high']]);
  });
});

describe('assets', () => {
  const from = at('2024-02-01T00:00:00Z');
  const coin = (feed: Partial<FeedRow>, price: number): PegSource => ({
    feed: { base: 'USDX', chain: 'base', heartbeat_s: 600, ...feed },
    answers: every(120, from + (feed.observed_at ?? 0), [price, price]),
  });
  const subjects = (events: readonly Candidate[]) =>
    events.map(({ envelope }) => envelope['subject_id']).sort();

  test('of one symbol are apart when their addresses are, and the one priced first has the plain name', async () => {
    const first = coin({ base_address: '0xFIRST'.toLowerCase(), chain: 'ethereum' }, 1);
    const second = coin({ base_address: '0xsecond', chain: 'ethereum', observed_at: 300 }, 0.9);
    const events = await eventsOf([first, second], ['0xa', '0xb'], from + 3_600);
    expect(subjects(events)).toEqual(['peg:ethereum:USDX:0xsecond']);
    expect(events[0]?.key).toContain('|ethereum|USDX:0xsecond|USD|');
    const both = await eventsOf(
      [coin({ base_address: '0xone' }, 0.9), coin({ base_address: '0xtwo' }, 0.9)],
      ['0xa', '0xb'],
      from + 3_600,
    );
    expect(subjects(both)).toEqual(['peg:base:USDX:0xone', 'peg:base:USDX:0xtwo']);
  });

  test('that configuration gives by id keep the plain name, and feeds without an address are of the symbol', async () => {
    const known = coin({ base_address: '0xconfigured', observed_at: 300 }, 0.9);
    const nameless = coin({}, 0.9);
    expect(subjects(await eventsOf([known, nameless], ['0xa', '0xb'], from + 3_600))).toEqual([
      'peg:base:USDX',
      'peg:base:USDX:unidentified',
    ]);
    expect(subjects(await eventsOf([nameless], ['0xa'], from + 3_600))).toEqual(['peg:base:USDX']);
    expect(subjects(await eventsOf([coin({ base_address: '0xalone' }, 0.9)], ['0xa'], from + 3_600))).toEqual(
      ['peg:base:USDX'],
    );
  });

  test('are priced by an inverted pair as well', async () => {
    const inverted: PegSource = {
      feed: { base: 'USD', quote: 'PLN', heartbeat_s: 600 },
      answers: every(60, from, [4, 4.2]),
    };
    const [start] = summaryOf(await eventsOf([inverted], ['0xa'], from + 600));
    expect(start).toMatchObject({ type: 'start', observed_price: '0.238095238095238' });
  });
});
