// Prices at two exchanges of what loans of the demo world are secured by. No oracle reads them, so they are what its oracles are judged by.
// A price comes with every answer of the feed of its pair; that of the fixed-rate token, with every answer of what it is redeemed for.

import { DAY_S } from '../../../platform/base/time.ts';
import type { Interval, Source } from '../../define/source.ts';
import { blockAt, blockBefore, timeOf } from './scenario/block.ts';
import type { Feed } from './scenario/feeds.ts';
import { discountAt, FIXED_RATE } from './scenario/fixed-rate.ts';
import { hash, hexDigits } from './scenario/hash.ts';
import { calendarOf } from './scenario/lending-states.ts';
import { Noise } from './scenario/price.ts';
import type { DemoSettings } from './scenario/settings.ts';
import { type Row, simulatedAs } from './scenario/simulated.ts';
import { DemoWorld } from './oracles-world.ts';

const SEED_OF_EXCHANGES = 3_400;
const CHAIN = 'ethereum';
/** How far the price at one exchange is from the others, as a fraction. */
const SPREAD = 0.0003;
/** Prices are numbered by their distance to this block, as those of feeds are. */
const FIRST_BLOCK = 100_000_000;
const PHASE = 1n << 64n;

interface Price {
  readonly index: number;
  readonly exchange: string;
  readonly base: string;
  readonly quote: string;
  /** The feed with whose answers it comes. */
  readonly leader: Feed;
}

/** Exchange, what is priced and in what, and the pair of the feed with whose answers the price comes. */
const PRICES: readonly (readonly [exchange: string, base: string, quote: string, pair: string])[] = [
  ['exchange-a', 'BTC', 'USD', 'BTC-USD'],
  ['exchange-b', 'BTC', 'USD', 'BTC-USD'],
  ['exchange-a', 'RSETH', 'ETH', 'RSETH-ETH'],
  ['exchange-b', 'RSETH', 'ETH', 'RSETH-ETH'],
  ['exchange-a', 'EIGEN', 'ETH', 'EIGEN-ETH'],
  ['exchange-b', 'EIGEN', 'ETH', 'EIGEN-ETH'],
  ['exchange-a', FIXED_RATE.token, 'USD', `${FIXED_RATE.redeemedFor}-USD`],
];

export function exchangeDemoSources(settings: DemoSettings): readonly Source[] {
  const world = new DemoWorld(settings);
  const prices = PRICES.flatMap(([exchange, base, quote, pair], index): Price[] => {
    const leader = world.feeds.find((feed) => feed.pair === pair);
    return leader === undefined ? [] : [{ index, exchange, base, quote, leader }];
  });
  return [
    simulatedAs('exchange-prices-listed', 'feed_registry', ({ from, to }) =>
      world.start > from && world.start <= to
        ? prices.map((price) => registryRow(settings, price, world.start))
        : [],
    ),
    simulatedAs('exchange-prices', 'feed_round', (interval) =>
      prices.flatMap((price) => roundRows(settings, world, { price, interval })),
    ),
  ];
}

const seedOf = ({ seed }: DemoSettings, { index }: Price) => hash(seed, SEED_OF_EXCHANGES + index);
const addressOf = (settings: DemoSettings, price: Price) => `0xe8c4${hexDigits(seedOf(settings, price), 36)}`;

const registryRow = (settings: DemoSettings, price: Price, observed_at: number): Row => ({
  chain: CHAIN,
  provider: price.exchange,
  feed_address: addressOf(settings, price),
  name: `${price.base} / ${price.quote} (${price.exchange})`,
  base: price.base,
  quote: price.quote,
  source_kind: 'venue',
  category: 'Price',
  asset_class: 'Crypto',
  risk_level: 'low',
  heartbeat_s: price.leader.listing.heartbeat_s ?? DAY_S,
  deviation_bps: price.leader.listing.deviation_bps,
  decimals: price.leader.listing.decimals,
  market_hours: 'crypto',
  observed_at,
});

function roundRows(
  settings: DemoSettings,
  world: DemoWorld,
  { price, interval }: { readonly price: Price; readonly interval: Interval },
): readonly Row[] {
  const { leader, base } = price;
  const { start } = calendarOf(settings);
  const spread = new Noise({ seed: seedOf(settings, price), swing: SPREAD, trendPerYear: 0, market: null });
  const worth = (at: number) => (base === FIXED_RATE.token ? Number(discountAt(start, at)) / 1e18 : 1);
  const span = {
    after: Math.max(blockAt(interval.from), blockBefore(world.start)),
    upTo: blockAt(interval.to),
  };
  return world.roundsOf(leader, span).map(({ block, head }) => ({
    chain: CHAIN,
    feed_address: addressOf(settings, price),
    round_id: (PHASE + BigInt(block - FIRST_BLOCK)).toString(),
    answer: `${Math.round(head * worth(timeOf(block)) * (1 + spread.at(block)))}${'0'.repeat(leader.listing.decimals - leader.headDecimals)}`,
    decimals: leader.listing.decimals,
    updated_at: timeOf(block),
    block_number: block,
  }));
}
