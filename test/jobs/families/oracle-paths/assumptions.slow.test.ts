// Assumptions of oracle paths over time: which sources can test them, when they are broken, and what a market's page then says.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { feed, type Leg, type Oracle } from './oracle-of.ts';
import { type Answer, type Story, unfold } from './oracle-story.ts';
import { openPathModels, type PathModels } from './path-models.ts';

let models: PathModels;
beforeAll(async () => {
  models = await openPathModels();
});
afterAll(() => models.close());

const ETH_USD = '0xfeed-eth-usd';
const USDC_USD = '0xfeed-usdc-usd';
const ETH_LEG: Leg = feed('base', ['ETH', 'USD'], 300_000_000_000n);
const OETH: Oracle = {
  market_id: '0xoeth',
  collateral: ['OETH', 18],
  loan: ['USDC', 6],
  legs: [ETH_LEG, feed('quote', ['USDC', 'USD'], 99_980_000n)],
};
const FEEDS: Story['feeds'] = {
  [ETH_USD]: ['ETH', 'USD'],
  [USDC_USD]: ['USDC', 'USD', 25],
  '0xeth-2': ['ETH', 'USD'],
  '0xusdc-2': ['USDC', 'USD', 25],
  '0xoeth-eth': ['OETH', 'ETH'],
};
const steady = (of: readonly string[], prices: { readonly [feed: string]: number }): Answer[] =>
  of.flatMap((name) =>
    [80_000, 7_000, 3_500, 650].map((at) => ({ feed: name, at, price: prices[name] ?? 1 })),
  );
const PRICES = {
  [ETH_USD]: 3_000,
  [USDC_USD]: 0.9998,
  '0xeth-2': 3_000,
  '0xusdc-2': 0.9998,
  '0xoeth-eth': 0.97,
};
const STORY: Story = { oracles: [OETH], feeds: FEEDS, answers: steady(Object.keys(FEEDS), PRICES) };

test('a token priced as what backs it, while it trades below: the price gap, with the sources that show it', async () => {
  const { path, state, edges } = await unfold(models, STORY);
  expect(state('OETH=ETH')).toMatchObject({
    kind: 'equality',
    observed: 0.97,
    tested_by: '0xoeth-eth',
    is_broken: true,
  });
  expect(Number(state('OETH=ETH')['gap_bps'])).toBeCloseTo(309.28, 2);
  expect(path('0xoeth')).toMatchObject({
    verdict: 'verified',
    gap_bps: 309.28,
    sources: 1,
    is_broken: true,
    doubts: ['single_source'],
  });
  expect(String(path('0xoeth')['market_price'])).toMatch(/^2910\.58211/);
  expect(edges).toEqual(['start OETH=ETH 7000', 'start path:0xoeth 3600']);
});

test('no source of its own, no market price: adding the feeds of the oracle as sources changes nothing', async () => {
  const lbtc: Oracle = {
    market_id: '0xlbtc',
    collateral: ['LBTC', 8],
    loan: ['USD', 8],
    legs: [feed('base', ['LBTC', 'BTC'], 100_400_000n), feed('base', ['BTC', 'USD'], 6_000_000_000_000n)],
  };
  const feeds: Story['feeds'] = {
    '0xfeed-lbtc-btc': ['LBTC', 'BTC'],
    '0xfeed-btc-usd': ['BTC', 'USD'],
    '0xbtc-2': ['BTC', 'USD'],
  };
  const prices = { '0xfeed-lbtc-btc': 1.004, '0xfeed-btc-usd': 60_000, '0xbtc-2': 60_000 };
  const { path, state } = await unfold(models, {
    oracles: [lbtc],
    feeds,
    answers: steady(Object.keys(feeds), prices),
  });
  expect(path('0xlbtc')).toMatchObject({
    price: '60240',
    path_status: 'complete',
    verdict: 'verified',
    market_price: null,
    gap_bps: null,
    unrealised_bad_debt_low_usd: null,
  });
  expect(path('0xlbtc')['gaps']).toContain('market_price_not_independent');
  expect(state('path:0xlbtc')).toMatchObject({ tested_by: null, is_broken: null });
});

test('without the feeds that the oracle reads, its market price is the same', async () => {
  const whole = (await unfold(models, STORY)).path('0xoeth');
  const without = await unfold(models, {
    ...STORY,
    answers: STORY.answers.filter(({ feed: name }) => ![ETH_USD, USDC_USD].includes(name)),
  });
  expect(without.path('0xoeth')['market_price']).toBe(whole['market_price']);
});

test('a missing input makes a figure unknown, and no verdict better', async () => {
  for (const gone of ['0xeth-2', '0xusdc-2', '0xoeth-eth']) {
    const { path } = await unfold(models, {
      ...STORY,
      answers: STORY.answers.filter(({ feed: name }) => name !== gone),
    });
    expect(path('0xoeth')).toMatchObject({
      market_price: null,
      gap_bps: null,
      unrealised_bad_debt_low_usd: null,
    });
    expect(path('0xoeth')['gaps']).toContain('market_price_not_independent');
  }
});

const USDE: Oracle = { market_id: '0xusde', collateral: ['USDE', 18], loan: ['USD', 6], legs: [] };

test('one venue that is far off, while the centre is not, breaks nothing and is named', async () => {
  const feeds: Story['feeds'] = {
    '0xvenue': ['USDE', 'USD'],
    '0xdex': ['USDE', 'USD'],
    '0xfeed': ['USDE', 'USD'],
  };
  const { path, edges, state } = await unfold(models, {
    oracles: [USDE],
    feeds,
    answers: steady(Object.keys(feeds), { '0xvenue': 0.65, '0xdex': 0.997641, '0xfeed': 1 }),
  });
  expect(edges).toEqual([]);
  expect(Number(state('USDE=USD')['gap_bps'])).toBeCloseTo(23.6, 1);
  expect(path('0xusde')).toMatchObject({ is_broken: false, doubts: ['sources_disagree'] });
});

type Prices = readonly (readonly [at: number, price: number])[];

/** Breaks and ends of USDX=USD when its only source answers so. */
async function edgesOf(prices: Prices) {
  const usdx: Oracle = { market_id: '0xusdx', collateral: ['USDX', 18], loan: ['USD', 6], legs: [] };
  const answers = prices.map(([at, price]) => ({ feed: '0xa', at, price }));
  const feeds: Story['feeds'] = { '0xa': ['USDX', 'USD'] };
  const { edges } = await unfold(models, { oracles: [usdx], read: [80_000], feeds, answers });
  return edges.filter((edge) => edge.includes('='));
}
const below = (bps: number) => 1 / (1 + bps / 10_000);

test.each<readonly [prices: Prices, edges: readonly string[]]>([
  [[[900, below(400.001)]], ['start USDX=USD 900']],
  [[[900, below(399.9)]], []],
  [
    [
      [900, below(200.001)],
      [840, below(200.001)],
    ],
    ['start USDX=USD 840'],
  ],
  [
    [
      [900, below(200.001)],
      [841, below(200.001)],
    ],
    [],
  ],
  [
    [
      [900, below(199.9)],
      [800, below(199.9)],
    ],
    [],
  ],
  [
    [
      [1_000, below(500)],
      [900, below(99.9)],
      [841, below(99.9)],
      [840, below(100.1)],
      [700, below(99.9)],
      [640, below(99.9)],
    ],
    ['start USDX=USD 1000', 'end USDX=USD 640'],
  ],
])(
  'an answer at twice the band needs no confirmation, one beyond it needs another a minute later: %j',
  async (prices, edges) => {
    expect(await edgesOf(prices)).toEqual(edges);
  },
);
