// Oracles that were wrong, or could be: what they lack, by how much they were off, and which assumption says so. And real answers of a quiet
// year, in which nothing breaks.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { describeRealData, realData } from '../../../support/real-data.ts';
import { feed, type Oracle } from './oracle-of.ts';
import { type Answer, type Story, unfold } from './oracle-story.ts';
import { NOW, openPathModels, type PathModels } from './path-models.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let models: PathModels;
beforeAll(async () => {
  models = await openPathModels();
});
afterAll(() => models.close());

const at = (prices: Readonly<Record<string, number>>): Answer[] =>
  Object.entries(prices).flatMap(([name, price]) =>
    [80_000, 7_300, 3_700, 700].map((before) => ({ feed: name, at: before, price })),
  );

test('cbETH at its rate in ETH: the missing leg is named, and the price of the path is 9,994.9 bps too low', async () => {
  const cbeth: Oracle = {
    market_id: '0xcbeth',
    collateral: [null, 18],
    loan: ['CBETH', 18],
    legs: [feed('base', ['CBETH', 'ETH'], 1_120_000_000_000_000_000n, { decimals: 18, contract: '0xrate' })],
    scale: 1n,
    more: { kind: 'moonwell', kind_by: 'registry', scale_factor: '1', price_decimals: 18 },
  };
  const { path, edges, state, events } = await unfold(models, {
    oracles: [cbeth],
    feeds: { '0xa': ['CBETH', 'ETH'], '0xeth': ['ETH', 'USD'] },
    answers: at({ '0xa': 1.12, '0xeth': 1_964.3 }),
    events: ['oracle.assumption.broken'],
  });
  expect(path('0xcbeth')).toMatchObject({
    ...{
      left_over: 'CBETH/ETH',
      missing: 'ETH/USD',
      path_status: 'incomplete',
      failed_checks: ['incomplete'],
    },
    ...{ verdict: 'wrong', price: '1.12', gap_bps: -9_994.91, is_broken: true },
    ...{ unrealised_bad_debt_low_usd: null, gaps: ['pooled_collateral'] },
  });
  expect(Number(path('0xcbeth')['market_price'])).toBeCloseTo(1.12 * 1_964.3, 9);
  expect(1 / (1 + Number(state('path:0xcbeth')['gap_bps']) / 10_000)).toBeCloseTo(1_964.3, 0);
  // One observation suffices: it is far beyond the band.
  expect(edges).toEqual(['start path:0xcbeth 7200']);
  expect(events.map(({ subject_id, severity }) => [subject_id, severity])).toEqual([
    ['assumption:ethereum:path:0xcbeth', 'warn'],
  ]);
});

const constant = (symbol: string): Oracle => ({
  market_id: `0x${symbol.toLowerCase()}`,
  collateral: [symbol, 18],
  loan: ['USDC', 6],
  legs: [],
  more: { kind: 'meta' },
});
const EACH_OTHER: Story['feeds'] = {
  '0xd': ['DEUSD', 'XUSD'],
  '0xx': ['XUSD', 'DEUSD'],
  '0xusdc': ['USDC', 'USD', 25],
};

test('dollars that back each other and are priced in each other have no price, and nothing about them holds', async () => {
  const story: Story = {
    oracles: [constant('DEUSD'), constant('XUSD')],
    feeds: EACH_OTHER,
    answers: at({ '0xd': 1, '0xx': 1, '0xusdc': 1 }),
    falls: [0.05],
    events: ['oracle.assumption.broken'],
  };
  const { path, state, events, edges } = await unfold(models, story);
  for (const symbol of ['DEUSD', 'XUSD']) {
    expect(path(`0x${symbol.toLowerCase()}`)).toMatchObject({
      ...{ market_price: null, gap_bps: null, sources: 0, is_broken: null },
      ...{
        unrealised_bad_debt_low_usd: null,
        unrealised_bad_debt_high_usd: null,
        phantom_interest_usd_day: null,
      },
      gaps: ['market_price_not_independent'],
    });
    expect(state(`${symbol}=USDC`)).toMatchObject({ tested_by: null, observed: null, is_broken: null });
  }
  expect([events, edges]).toEqual([[], []]);

  // A price of one of them from outside is a price of that one alone.
  const outside = await unfold(models, {
    ...story,
    feeds: { ...EACH_OTHER, '0xout': ['XUSD', 'USD'] },
    answers: [...story.answers, ...at({ '0xout': 0.2 })],
  });
  expect(outside.path('0xxusd')).toMatchObject({ gap_bps: 40_000, is_broken: true });
  expect(outside.path('0xdeusd')).toMatchObject({ market_price: null, is_broken: null });
});

/** WSTETH under a cap that grows at that rate; null if it was not read. */
const cappedAt = (growth: string | null, value: bigint, at: number): Oracle => ({
  market_id: '0xcap',
  collateral: ['WSTETH', 18],
  loan: ['USDC', 6],
  legs: [
    feed('base', ['WSTETH', 'USD'], value, {
      contract: '0xcapped',
      more: {
        kind: 'capo_rate',
        parameters:
          growth &&
          JSON.stringify({
            ...{ feed_value: '300000000000', ratio: '1228920000000000000', ratio_decimals: '18' },
            ...{ snapshot_ratio: '1191916000000000000', snapshot_at: String(NOW - 604_800) },
            max_growth_per_second_scaled: growth,
          }),
      },
    }),
  ],
  at,
});

test('a cap that is set to another growth is another path, said as a setting, and critical with a jump of its price', async () => {
  const GROWTH = '3280641451040081';
  const VALUE = 358_170_040_000n;
  const changes = async (growth: string | null, value: bigint) => {
    const { events } = await unfold(models, {
      ...{ oracles: [cappedAt(GROWTH, VALUE, NOW)], read: [7_200, 3_600], feeds: {}, answers: [] },
      ...{ later: [cappedAt(growth, value, NOW - 600)], events: ['oracle.path.changed'] },
    });
    return events.map(({ severity, data_cause }) => [severity, data_cause]);
  };
  expect(await changes(GROWTH, VALUE)).toEqual([]);
  // What it reads may change without being another path.
  expect(await changes(GROWTH, 365_000_000_000n)).toEqual([]);
  expect(await changes(null, VALUE)).toEqual([]);
  expect(await changes('3280641451040082', VALUE)).toEqual([['warn', 'settings']]);
  expect(await changes('0', 347_960_000_000n)).toEqual([['critical', 'settings']]);
});

describeRealData('real answers', () => {
  const DAYS = 365;
  const MOST = 700;

  interface Replay {
    readonly answers: readonly Answer[];
    /** Unix seconds of an edge, which a story states in seconds before now. */
    readonly timeOf: (edge: string | undefined) => number;
  }

  /** Answers of a file in the year up to a time, moved so that the last one is a minute before now. */
  function replayOf(file: string, feedName: string, until: string): Replay {
    const [header = '', ...lines] = readFileSync(realData(`oracles/${file}`), 'utf8')
      .trim()
      .split('\n');
    const names = header.split(',');
    const [answer, updated] = [names.indexOf('answer'), names.findIndex((one) => /^update/.test(one))];
    const end = Date.parse(until) / 1000;
    const all = lines
      .map((line) => line.split(','))
      .map((cells) => ({ price: Number(cells[answer]) / 1e8, time: Number(cells[updated]) }))
      .filter(({ price, time }) => price > 0 && time <= end && time > end - DAYS * 86_400)
      .toSorted((left, right) => left.time - right.time)
      .slice(-MOST);
    expect(all.length).toBeGreaterThan(300);
    const last = all.at(-1)?.time ?? 0;
    return {
      answers: all.map(({ price, time }) => ({ feed: feedName, at: last - time + 60, price })),
      timeOf: (edge) => last + 60 - Number(edge?.split(' ')[2]),
    };
  }
  const dollar = (symbol: string, { answers }: Replay): Story => ({
    ...{
      oracles: [{ ...constant(symbol), loan: ['USD', 6] }],
      read: [DAYS * 86_400 - 1],
      days: DAYS,
      answers,
    },
    ...{ feeds: { '0xreal': [symbol, 'USD', 25] }, events: ['oracle.assumption.broken'] },
  });

  test('of USDC in a quiet year break nothing', async () => {
    const replay = replayOf('chainlink-usdc-usd-rounds-all-phases.csv', '0xreal', '2022-02-16');
    const { edges, events } = await unfold(models, dollar('USDC', replay));
    expect([edges, events]).toEqual([[], []]);
  });

  test('of USDT break it once, around the window in May 2022 that the owners of the file state', async () => {
    const replay = replayOf('chainlink-usdt-usd-rounds-all-phases.csv', '0xreal', '2022-08-09');
    const { edges } = await unfold(models, dollar('USDT', replay));
    expect(edges.map((edge) => edge.split(' ').slice(0, 2).join(' '))).toEqual([
      'start USDT=USD',
      'end USDT=USD',
    ]);
    const [start, end] = edges.map(replay.timeOf);
    // The next answer after the first one below .99, which confirms it.
    expect(start).toBe(Date.parse('2022-05-12T06:30:42Z') / 1000);
    expect(end).toBeGreaterThanOrEqual(Date.parse('2022-05-12T15:43:17Z') / 1000);
    expect((end ?? 0) - (start ?? 0)).toBeLessThan(2 * 86_400);
  });

  test('of ETH, with a second source that agrees, break nothing', async () => {
    const { answers } = replayOf('chainlink-eth-usd-rounds.csv', '0xfeed-eth-usd', '2024-01-30');
    const { edges, state } = await unfold(models, {
      oracles: [
        {
          ...{ market_id: '0xeth', collateral: ['WETH', 18], loan: ['USD', 8] },
          legs: [feed('base', ['ETH', 'USD'], 230_000_000_000n)],
        },
      ],
      ...{ read: [DAYS * 86_400 - 1], days: DAYS },
      feeds: { '0xfeed-eth-usd': ['ETH', 'USD', 50], '0xsecond': ['ETH', 'USD', 50] },
      answers: [...answers, ...answers.map((one) => ({ ...one, feed: '0xsecond' }))],
    });
    expect(edges).toEqual([]);
    expect(state('feed:0xfeed-eth-usd')).toMatchObject({ tested_by: '0xsecond', is_broken: false });
  });
});
