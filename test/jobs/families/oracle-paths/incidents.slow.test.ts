// Known incidents as rows: what is reported, once, how severe, and about what.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CaseRow } from '../../../support/case-file.ts';
import { feed, type Oracle, vault } from './oracle-of.ts';
import { type Story, unfold } from './oracle-story.ts';
import { NOW, openPathModels, type PathModels } from './path-models.ts';

let models: PathModels;
beforeAll(async () => {
  models = await openPathModels();
});
afterAll(() => models.close());

const BROKEN = ['oracle.assumption.broken'];
const answers = (feeds: {
  readonly [feed: string]: readonly (readonly [at: number, price: number])[];
}): Story['answers'] =>
  Object.entries(feeds).flatMap(([name, all]) => all.map(([at, price]) => ({ feed: name, at, price })));
const steady = (price: number) => [80_000, 7_000, 3_500, 650].map((at) => [at, price] as const);
const shown = (events: readonly CaseRow[]) =>
  events.map(({ subject_id, severity, event_at }) => [subject_id, severity, NOW - Number(event_at)]);

test('a break that leaves loans uncovered later is a second event, at the observation that shows it, and no third', async () => {
  const { events } = await unfold(models, {
    oracles: [{ market_id: '0xconstant', collateral: ['USDX', 18], loan: ['USDC', 6], legs: [] }],
    feeds: { '0xusdx': ['USDX', 'USD'], '0xusdc': ['USDC', 'USD', 25] },
    answers: answers({
      '0xusdx': [...[80_000, 7_000].map((at) => [at, 0.97] as const), [3_500, 0.7], [650, 0.6]],
      '0xusdc': steady(1),
    }),
    falls: [0.05, 0.3],
    events: BROKEN,
  });
  expect(shown(events).toSorted(([, , left], [, , right]) => Number(right) - Number(left))).toEqual([
    ['assumption:ethereum:USDX=USDC', 'high', 7_000],
    ['assumption:ethereum:USDX=USDC', 'critical', 3_500],
  ]);
  for (const { data_assumption } of events)
    expect(data_assumption).toMatchObject({ broken_since_at: NOW - 7_000 });
});

const WSTUSR: Oracle = {
  market_id: '0xresolv',
  collateral: ['WSTUSR', 18],
  loan: ['USDC', 6],
  legs: [vault('base', ['WSTUSR', 'USR'], 1_130_000_000_000_000_000n, { decimals: 18 })],
};

test('a dollar that others can mint: one critical event at the second source, with markets, vaults and losses', async () => {
  const { events, path } = await unfold(models, {
    oracles: [WSTUSR],
    feeds: {
      '0xa': ['USR', 'USD'],
      '0xb': ['USR', 'USD'],
      '0xc': ['USR', 'USD'],
      '0xusdc': ['USDC', 'USD', 25],
    },
    answers: answers({
      '0xa': [...steady(1).slice(0, 2), [1_200, 0.25]],
      '0xb': [...steady(1).slice(0, 2), [1_150, 0.25]],
      '0xc': steady(1).slice(0, 2),
      '0xusdc': steady(1),
    }),
    falls: [0.05, 0.2],
    vaultShare: 0.4,
    events: BROKEN,
  });
  expect(shown(events)).toEqual([['assumption:ethereum:USR=USDC', 'warn', 1_150]]);
  const [event = {}] = events;
  expect(event).toMatchObject({
    data_observed: '0.25',
    data_gap_bps: 30_000,
    data_market_count: 1,
    data_vault_count: 1,
  });
  const low = 2_500_000 - (0.25 * 2_500_000) / 0.86 / 0.95 + 2_500_000 - (0.25 * 2_500_000) / 0.86 / 0.8;
  expect(Number(event['data_unrealised_bad_debt_low_usd'])).toBeCloseTo(low, 1);
  expect(event['data_vaults']).toMatchObject([{ vault: 'vault:ethereum:0xva', exposure_usd: 2_000_000 }]);
  expect(path('0xresolv')).toMatchObject({ is_broken: true, verdict: 'verified' });
});

test('the same once all sources agree is critical', async () => {
  const { events } = await unfold(models, {
    oracles: [WSTUSR],
    feeds: { '0xa': ['USR', 'USD'], '0xb': ['USR', 'USD'], '0xusdc': ['USDC', 'USD', 25] },
    answers: answers({
      '0xa': [...steady(1).slice(0, 2), [1_200, 0.25]],
      '0xb': [...steady(1).slice(0, 2), [1_150, 0.25]],
      '0xusdc': steady(1),
    }),
    falls: [0.05],
    events: BROKEN,
  });
  expect(shown(events).at(-1)?.slice(0, 2)).toEqual(['assumption:ethereum:USR=USDC', 'critical']);
  expect(events).toHaveLength(1);
});

const ethOf = (market_id: string): Oracle => ({
  market_id,
  collateral: ['WETH', 18],
  loan: ['USDC', 6],
  legs: [feed('base', ['ETH', 'USD'], 150_000_000_000n)],
});

test('a dollar that loses its peg is one event, however many markets lend it', async () => {
  const { events, path } = await unfold(models, {
    oracles: ['0x1', '0x2', '0x3'].map(ethOf),
    feeds: { '0xfeed-eth-usd': ['ETH', 'USD'], '0xeth-2': ['ETH', 'USD'], '0xusdc': ['USDC', 'USD', 25] },
    answers: answers({
      '0xfeed-eth-usd': steady(1_500),
      '0xeth-2': steady(1_500),
      '0xusdc': [
        [80_000, 1],
        [7_000, 1],
        [3_600, 0.97],
        [3_500, 0.9],
        [650, 0.9],
      ],
    }),
    falls: [0.05, 0.3],
    events: BROKEN,
  });
  expect(shown(events)).toEqual([['assumption:ethereum:USDC=USD', 'warn', 3_600]]);
  expect(events[0]).toMatchObject({
    data_market_count: 3,
    data_debt_usd: 15_000_000,
    data_unrealised_bad_debt_low_usd: 0,
  });
  expect(path('0x1')).toMatchObject({ gap_bps: -1_000, unrealised_bad_debt_low_usd: 0 });
});

test('a constant price while everything is lent: what is not covered, and interest that will not be paid', async () => {
  const { events, path } = await unfold(models, {
    oracles: [
      { market_id: '0xxusd', collateral: ['XUSD', 6], loan: ['USDC', 6], legs: [], more: { kind: 'meta' } },
    ],
    feeds: { '0xx': ['XUSD', 'USD'], '0xusdc': ['USDC', 'USD', 25] },
    answers: answers({
      '0xx': [
        [80_000, 1],
        [7_000, 0.2],
        [3_500, 0.2],
        [650, 0.2],
      ],
      '0xusdc': steady(1),
    }),
    falls: [0.05],
    debt: 709_027.33,
    events: BROKEN,
  });
  expect(shown(events)).toEqual([['assumption:ethereum:XUSD=USDC', 'critical', 7_000]]);
  expect(path('0xxusd')).toMatchObject({
    verdict: 'verified',
    phantom_interest_usd_day: 709.03,
    doubts: ['single_source'],
  });
});

test('a feed that answers zero lets healthy loans be liquidated, which is said at once, by the market price', async () => {
  const zero = ethOf('0x1');
  const { events, path } = await unfold(models, {
    oracles: [zero],
    read: [7_200, 3_600],
    later: [{ ...zero, legs: [feed('base', ['ETH', 'USD'], 0n)] }],
    feeds: { '0xeth-2': ['ETH', 'USD'], '0xusdc': ['USDC', 'USD', 25] },
    answers: answers({ '0xeth-2': steady(1_500), '0xusdc': steady(1) }),
    falls: [0.05, 0.3],
    events: BROKEN,
  });
  expect(shown(events)).toEqual([['assumption:ethereum:feed:0xfeed-eth-usd', 'high', 600]]);
  expect(events[0]).toMatchObject({
    data_assumed: '0',
    data_gap_bps: -10_000,
    data_unjust_liquidation_usd: 5e6,
  });
  expect(path('0x1')).toMatchObject({
    ...{ price: '0', market_price: '1500', gap_bps: -10_000, unjust_liquidation_usd: 5e6 },
    ...{ unrealised_bad_debt_low_usd: 0, unrealised_bad_debt_high_usd: 0, gaps: [] },
  });
});

test('markets with little debt emit nothing', async () => {
  const story: Story = {
    oracles: [ethOf('0x1')],
    feeds: { '0xusdc': ['USDC', 'USD', 25] },
    answers: answers({
      '0xusdc': [
        [7_000, 1],
        [3_600, 0.9],
      ],
    }),
    events: BROKEN,
  };
  expect((await unfold(models, { ...story, debt: 9_999.99 })).events).toEqual([]);
  expect((await unfold(models, { ...story, debt: 10_000 })).events).toHaveLength(1);
});

test('a cap that holds a rising rate down is broken downwards, without bad debt', async () => {
  const wsteth: Oracle = {
    market_id: '0xcapo',
    collateral: ['WSTETH', 18],
    loan: ['USDC', 6],
    legs: [
      feed('base', ['WSTETH', 'USD'], 358_170_040_000n, {
        contract: '0xcapo',
        more: {
          kind: 'capo_rate',
          parameters: JSON.stringify({
            feed_value: '300000000000',
            ratio: '1228920000000000000',
            ratio_decimals: '18',
            snapshot_ratio: '1191916000000000000',
            snapshot_at: String(NOW - 3_600 - 604_800),
            max_growth_per_second_scaled: '3280641451040081',
          }),
        },
      }),
    ],
  };
  const { edges, state } = await unfold(models, {
    oracles: [wsteth],
    read: [7_200, 3_600],
    feeds: {},
    answers: [],
  });
  expect(edges).toContain('start cap:0xcapo 3600');
  expect(Number(state('cap:0xcapo')['gap_bps'])).toBeCloseTo(-284.97, 1);
});

test('other legs behind the same oracle are a change of its path, and critical if the price jumps with it', async () => {
  const jump = (value: bigint): Oracle => ({
    ...ethOf('0x1'),
    legs: [feed('base', ['ETH', 'USD'], value, { contract: '0xfeed-new' })],
    at: 1,
  });
  const story: Story = {
    oracles: [ethOf('0x1')],
    read: [7_200, 3_600],
    feeds: {},
    answers: [],
    events: ['oracle.path.changed'],
  };
  expect((await unfold(models, story)).events).toEqual([]);
  const changed = async (value: bigint) =>
    (await unfold(models, { ...story, later: [jump(value)] })).events.map(
      ({ severity, data_market_count, data_debt_usd }) => [severity, data_market_count, data_debt_usd],
    );
  expect(await changed(150_000_000_000n)).toEqual([['high', 1, 5_000_000]]);
  expect(await changed(152_990_000_000n)).toEqual([['high', 1, 5_000_000]]);
  expect(await changed(153_000_000_000n)).toEqual([['critical', 1, 5_000_000]]);
});
