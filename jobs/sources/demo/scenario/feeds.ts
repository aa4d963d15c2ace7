// Turns listings into computable feeds: an address, a grid of possible rounds and a price walk, all hashed from the world's seed and the
// feed's position, so that a feed is the same in a small and in a large world.
import { FAST_HEARTBEAT_S, LISTINGS, type Listing } from './catalogue.ts';
import { hash, hexDigits } from './hash.ts';
import { type Market, marketNamed } from './market.ts';
import type { Walk } from './price.ts';

/** Where rounds may occur, in blocks. Cell i begins at offset + i × spacing; its round comes up to `jitter` blocks later. */
export interface Grid {
  readonly seed: number;
  readonly offset: number;
  readonly spacing: number;
  /** One in this many cells always has a round. every × spacing + jitter stays below the heartbeat. */
  readonly every: number;
  readonly jitter: number;
  /** Delay in blocks of a feed that follows another. */
  readonly lag: number;
}

export interface Feed {
  readonly index: number;
  readonly listing: Listing;
  readonly pair: string;
  readonly address: string;
  readonly phase: number;
  readonly grid: Grid;
  readonly market: Market | null;
  readonly base: number;
  readonly walk: Walk;
  /** The feed's own deviation from the walk that it follows. */
  readonly wobble: Walk | null;
  /** Relative move that causes a round outside the heartbeat, as a fraction; 0 if there are no such rounds. */
  readonly deviation: number;
  /** Answers are computed to this many decimals and padded with zeros to the listing's. */
  readonly headDecimals: number;
}

type Spacing = Pick<Grid, 'spacing' | 'every' | 'jitter'>;

/** In blocks of 12 s, for each heartbeat in seconds; macroeconomic figures are fortnightly. */
const SPACINGS: ReadonlyMap<number | null, Spacing> = new Map([
  [FAST_HEARTBEAT_S, { spacing: 22, every: 1, jitter: 2 }],
  [3_600, { spacing: 90, every: 3, jitter: 28 }],
  [7_200, { spacing: 90, every: 6, jitter: 50 }],
  [21_600, { spacing: 120, every: 14, jitter: 60 }],
  [82_800, { spacing: 140, every: 48, jitter: 60 }],
  [86_400, { spacing: 146, every: 48, jitter: 60 }],
  [97_200, { spacing: 1_800, every: 4, jitter: 600 }],
  [3_024_000, { spacing: 1_800, every: 56, jitter: 600 }],
  [null, { spacing: 146, every: 48, jitter: 60 }],
]);

const FOLLOW_LAG_BLOCKS = 2;
/** A double holds every integer of fifteen digits. */
const EXACT_DIGITS = 15;

function gridOf(listing: Listing, seed: number): Grid {
  const spacing = SPACINGS.get(listing.heartbeat_s);
  if (spacing === undefined)
    throw new Error(`Demo world: no spacing for a heartbeat of ${listing.heartbeat_s} s (${listing.name}).`);
  return {
    ...spacing,
    seed: hash(seed, 1),
    offset: hash(seed, 2) % (spacing.spacing * spacing.every),
    lag: 0,
  };
}

function walkOf(listing: Listing, seed: number): Walk {
  const market = marketNamed(listing.market_hours);
  return { seed: hash(seed, 3), swing: listing.swing, trendPerYear: listing.trend_per_year ?? 0, market };
}

/** Zero, for no extra rounds, if the whole range is narrower than one deviation step or if every move would cause a round. */
function deviationOf(listing: Listing): number {
  const fraction = listing.deviation_bps / 10_000;
  return fraction < 1e-6 || listing.swing <= fraction / 2 ? 0 : fraction;
}

function buildFeed(index: number, listing: Listing, worldSeed: number): Feed {
  const seed = hash(worldSeed, index + 1);
  const digits = Math.max(0, Math.ceil(Math.log10(listing.price * 2)));
  return {
    index,
    listing,
    pair: `${listing.base ?? listing.name}-${listing.quote ?? ''}`,
    address: `0xde30${hexDigits(hash(seed, 4), 28)}${index.toString(16).padStart(8, '0')}`,
    phase: 1 + (hash(seed, 5) % 6),
    grid: gridOf(listing, seed),
    market: marketNamed(listing.market_hours),
    base: listing.price,
    walk: walkOf(listing, seed),
    wobble: null,
    deviation: deviationOf(listing),
    headDecimals: Math.min(listing.decimals, EXACT_DIGITS - digits),
  };
}

function follow(feed: Feed, leader: Feed): Feed {
  return {
    ...feed,
    grid: { ...leader.grid, lag: FOLLOW_LAG_BLOCKS },
    base: leader.base * feed.base,
    walk: leader.walk,
    wobble: feed.walk,
    deviation: leader.deviation,
    headDecimals: Math.min(feed.listing.decimals, leader.headDecimals),
  };
}

const CONSONANTS = 'BDFGHJKLMNPRSTVWXYZC';
const VOWELS = 'AEIOU';
const TICKERS = 20 * 5 * 20 * 5 * 20;
/** Coprime to the number of tickers, so that neighbours get dissimilar names and none occurs twice. */
const TICKER_STRIDE = 77_773;

/** An invented ticker of five letters, unique below 200,000. */
export function ticker(index: number): string {
  let rest = (index * TICKER_STRIDE) % TICKERS;
  let text = '';
  for (const letters of [CONSONANTS, VOWELS, CONSONANTS, VOWELS, CONSONANTS]) {
    text += letters.charAt(rest % letters.length);
    rest = Math.floor(rest / letters.length);
  }
  return text;
}

const TEMPLATES = LISTINGS.filter(
  (listing) => listing.heartbeat_s !== FAST_HEARTBEAT_S && listing.follows === undefined,
);

/** An invented feed that copies the traits of a catalogue entry. */
function inventedListing(index: number, worldSeed: number): Listing {
  const template = TEMPLATES[index % TEMPLATES.length] as Listing;
  const symbol = ticker(index);
  const scale = 0.5 + hash(worldSeed, -index) / 2 ** 32;
  const isRatio = template.swing < 0.01;
  return {
    ...template,
    base: template.base === null ? null : symbol,
    name:
      template.base === null
        ? `${symbol} Index`
        : template.name.replace(template.base, symbol).replace(/ \(.*\)$/, ''),
    price: isRatio ? template.price : template.price * scale,
  };
}

/** The world's feeds; the first forty are the catalogue's, in its order. */
export function buildFeeds(worldSeed: number, count: number): readonly Feed[] {
  const feeds = LISTINGS.slice(0, count).map((listing, index) => buildFeed(index, listing, worldSeed));
  // The first feed of a pair leads the others.
  const byPair = new Map(feeds.toReversed().map((feed) => [feed.pair, feed]));
  const known = feeds.map((feed) => {
    const leader = feed.listing.follows === undefined ? undefined : byPair.get(feed.listing.follows);
    return leader === undefined ? feed : follow(feed, leader);
  });
  for (let index = known.length; index < count; index++) {
    known.push(buildFeed(index, inventedListing(index, worldSeed), worldSeed));
  }
  return known;
}
