// Scripts a pegged price that leaves its band: down (or up) within a few rounds, then either back after about an hour and quiet for the
// six hours that a recovery must hold, or never back. Depths are multiples of the band that applies to the feed.
import { blocksIn, timeOf } from './scenario/block.ts';
import type { Feed } from './scenario/feeds.ts';
import { type ExtraRound, type Plot, subject } from './oracles-incident.ts';
import { pegPolicy } from '../../families/oracles/peg-policy.ts';

const CONFIRM_BLOCKS = 11;
const FALL_BLOCKS = 40;
const CALM_BLOCKS = 45;
/** Two observations confirm the start; neither is deep enough to do so alone. */
const BREAK = [1.3, 1.6] as const;
const FALL = [2.6, 3.2, 3.5, 3.1, 2.7, 2.3, 1.9, 1.5, 1.2, 0.8] as const;
const CALM = 0.1;
const OPEN_DEPTH = 3;

/** Distance from the reference at which a depeg starts for this feed, as a fraction. */
export function enterBand(feed: Feed): number {
  const { base, quote, deviation_bps } = feed.listing;
  const { assets, bands, feed_band_margin_bps } = pegPolicy.defaults;
  const asset = assets.find((one) => one.symbol === base && one.quote === quote);
  if (asset === undefined) throw new Error(`Demo world: ${feed.pair} has no peg to leave.`);
  return Math.max(bands[asset.kind].enter_bps, deviation_bps + feed_band_margin_bps) / 10_000;
}

/** Rounds at the given distances in blocks, starting at `block`. */
function path(block: number, apart: number, factors: readonly number[]): ExtraRound[] {
  return factors.map((factor, i) => ({ block: block + i * apart, available: block + i * apart, factor }));
}

const observed = (type: string, block: number) => ({
  type,
  at: timeOf(block),
  confirmed_at: timeOf(block + CONFIRM_BLOCKS),
});

/** A depeg from `block` on that ends after about 80 minutes and recovers six hours later; below the reference if `sign` is -1. */
export function depeg(feed: Feed, block: number, sign: -1 | 1): Plot {
  const enter = sign * enterBand(feed);
  const factors = (multiples: readonly number[]) => multiples.map((multiple) => 1 + multiple * enter);
  const hold = pegPolicy.defaults.recovery_hold_s;
  const fallAt = block + BREAK.length * CONFIRM_BLOCKS;
  const endAt = fallAt + FALL.length * FALL_BLOCKS;
  const calmAt = endAt + 2 * CONFIRM_BLOCKS;
  const calmRounds = Math.ceil(blocksIn(hold) / CALM_BLOCKS) + 1;
  const extras = [
    ...path(block, CONFIRM_BLOCKS, factors(BREAK)),
    ...path(fallAt, FALL_BLOCKS, factors(FALL)),
    ...path(endAt, CONFIRM_BLOCKS, factors([CALM, CALM])),
    ...path(calmAt, CALM_BLOCKS, factors(Array<number>(calmRounds).fill(CALM))),
  ];
  const end = observed('peg.depeg.end', endAt);
  return {
    incident: {
      kind: 'depeg',
      feed: subject(feed),
      from: timeOf(block),
      to: timeOf(endAt),
      expect: [
        observed('peg.depeg.start', block),
        end,
        { type: 'peg.depeg.recovered', at: end.at + hold, confirmed_at: end.confirmed_at + hold },
      ],
    },
    silence: { after: block - 1, until: calmAt + (calmRounds - 1) * CALM_BLOCKS + 1 },
    extras,
  };
}

/** A depeg below the reference that does not end, by so many bands. */
export function openDepeg(feed: Feed, block: number, depth = OPEN_DEPTH): Plot {
  const enter = enterBand(feed);
  const extras = [
    ...path(
      block,
      CONFIRM_BLOCKS,
      BREAK.map((multiple) => 1 - multiple * enter),
    ),
    ...path(block + BREAK.length * CONFIRM_BLOCKS, FALL_BLOCKS, [1 - 2.2 * enter, 1 - depth * enter]),
  ];
  const last = (extras.at(-1) as ExtraRound).block;
  return {
    incident: {
      kind: 'depeg_open',
      feed: subject(feed),
      from: timeOf(block),
      to: null,
      expect: [observed('peg.depeg.start', block)],
    },
    silence: { after: block - 1, until: last + 1 },
    extras,
    shift: { from: last + 1, factor: 1 - depth * enter },
  };
}
