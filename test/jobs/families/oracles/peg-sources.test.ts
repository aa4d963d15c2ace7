// Several sources for one price: held against the model with random walks, and against what happened to USDe and USDC.
import fc from 'fast-check';
import { afterAll, beforeEach, expect, test } from 'vitest';
import type { PegAsset } from '../../../../jobs/families/oracles/peg-schema.ts';
import type { Candidate } from '../../../../jobs/pipeline/events/emit.ts';
import { DEFAULT_POLICY } from '../../../../jobs/policies.ts';
import type { PriceSourceKind } from '../../../../schemas/oracles.ts';
import { COUNTS } from '../../../reliability/counts.ts';
import {
  type FeedRow,
  feedRow,
  openOracleWorld,
  type PoolRow,
  type RoundRow,
  roundRow,
  walk,
} from './oracle-world.ts';
import { centres, type Edge, type PegRules, type PriceSource, pegEdges } from './peg-model.ts';

const DAY = 1_750_032_000;
const SPAN = 2 * 86_400;
const LAST = DAY + SPAN - 1;
const { peg, oracle } = DEFAULT_POLICY;

const AGREEMENTS = ['centre', 'any', 'centre', 'majority', 'all'] as const;
const kinds: readonly PegAsset['kind'][] = ['fiat_usd', 'crypto_backed', 'liquid_staking'];
const assets = Array.from({ length: 24 }, (_, index): PegAsset => {
  const kind = kinds[index % kinds.length] ?? 'fiat_usd';
  return {
    symbol: `A${index}`,
    quote: 'USD',
    kind,
    reference_price: '1',
    confirm_observations: 1 + (index % 3),
    agreement: AGREEMENTS[(index >> 1) % AGREEMENTS.length] ?? 'centre',
    is_disagreement_reported: index % 8 !== 7,
  };
});
const own: readonly PegAsset[] = ['USDE', 'USDC'].map((symbol) => ({
  symbol,
  quote: 'USD',
  kind: symbol === 'USDC' ? 'fiat_usd' : 'crypto_backed',
  reference_price: '1',
}));
const world = await openOracleWorld({
  policy: { ...DEFAULT_POLICY, peg: { ...peg, assets: [...assets, ...own] } },
  needs: { events: ['peg.'] },
});
afterAll(() => world.close());
beforeEach(() => world.clear());

const rulesOf = (asset: PegAsset): PegRules => ({ ...peg, ...peg.bands[asset.kind], ...asset });

interface Given {
  readonly source_kind: PriceSourceKind;
  /** null: not known. */
  readonly heartbeat_s: number | null;
  /** null: no state of the pool is known. */
  readonly pool_units: number | null;
  readonly answers: readonly { readonly at: number; readonly answer: number }[];
}

const bounds = [50, 100, 200, 400].flatMap((bps) => [-1, 1].map((side) => 100_000_000 + side * bps * 10_000));
const answer = fc.oneof(
  { weight: 4, arbitrary: fc.constant(100_000_000) },
  {
    weight: 4,
    arbitrary: fc.tuple(fc.constantFrom(...bounds), fc.constantFrom(-1, 0, 1)).map(([a, b]) => a + b),
  },
  { weight: 2, arbitrary: fc.constantFrom(96_000_000, 65_000_000) },
);
/** Mostly regular, now and then a silence that a source does not outlive. */
const gap = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(0, 1, 59, 60, 61, 600, 1_800) },
  { weight: 2, arbitrary: fc.constantFrom(1_859, 1_860, 1_861, 3_660, 3_661) },
  { weight: 1, arbitrary: fc.integer({ min: 4_000, max: 40_000 }) },
);
const source: fc.Arbitrary<Given> = fc
  .record({
    source_kind: fc.constantFrom<PriceSourceKind>('oracle', 'oracle', 'venue', 'pool'),
    heartbeat_s: fc.constantFrom(1_800, 3_600, 86_400, null),
    // At the bounds a pool loses its weight as its price falls.
    pool_units: fc.constantFrom(null, 99_999, 100_000, 101_500, 400_000, 1_000_000, 5_000_000),
    steps: fc.array(fc.tuple(gap, answer), { maxLength: 40 }),
  })
  .map(({ steps, ...rest }) => {
    let at = DAY;
    const answers = steps.map(([gap, answer]) => {
      at += gap;
      return { at, answer };
    });
    return { ...rest, answers: answers.filter((one) => one.at <= LAST) };
  });
const sourcesOfOne = fc.array(source, { minLength: 1, maxLength: 4 });
const shuffled = fc.infiniteStream(fc.integer({ min: 0, max: 0xffff }));

/** Addresses are drawn for each source, so that their order is any. */
async function land(
  all: readonly (readonly Given[])[],
  digits: Iterator<number>,
  symbolOf = (index: number) => `A${index}`,
): Promise<void> {
  const feeds: FeedRow[] = [];
  const rounds: RoundRow[] = [];
  const pools: PoolRow[] = [];
  for (const [index, sources] of all.entries()) {
    for (const [position, { source_kind, heartbeat_s, pool_units, answers }] of sources.entries()) {
      const feed_address = `0x${digits.next().value}_${index}_${position}`;
      if (pool_units !== null) pools.push(...poolStates(feed_address, symbolOf(index), pool_units));
      const base = symbolOf(index);
      feeds.push(
        feedRow({
          feed_address,
          base,
          quote: 'USD',
          source_kind,
          heartbeat_s,
          deviation_bps: 25,
          observed_at: 0,
        }),
      );
      rounds.push(
        ...answers.map(({ at, answer }, i) =>
          roundRow({ feed_address, round_id: String(i + 1), answer: String(answer), updated_at: at }),
        ),
      );
    }
  }
  await world.landFeeds(feeds);
  if (rounds.length > 0) await world.landRounds(rounds);
  if (pools.length > 0) await world.landPools(pools);
}

/** Often enough that one is never too old. */
const poolStates = (pool: string, symbol: string, units: number): PoolRow[] =>
  Array.from({ length: SPAN / 10_800 + 1 }, (_, i) => ({
    chain: 'ethereum',
    pool,
    observed_at: DAY - 10_800 + i * 10_800,
    kind: 'product',
    symbols: [symbol, 'OTHER'],
    reserves: [units, units],
  }));

function* countdown(): Generator<number> {
  for (let digit = 0xffff; ; digit -= 1) yield digit;
}

const toModel = ({ source_kind, heartbeat_s, pool_units, answers }: Given): PriceSource => ({
  lasts_s: (heartbeat_s ?? peg.default_heartbeat_s) + oracle.grace_s,
  is_pool: source_kind === 'pool',
  pool_units,
  answers,
});

const edgesIn = (events: readonly Candidate[], symbol: string): Edge[] =>
  events
    .filter(({ envelope }) => envelope['subject_id'] === `peg:ethereum:${symbol}`)
    .map(({ event_at, type, envelope }) => {
      const what = type.replace('peg.depeg.', '') as Edge['what'];
      const severity = envelope['severity'] as Edge['severity'] & {};
      return what === 'start' ? { at: event_at, what, severity } : { at: event_at, what };
    });
const sorted = (edges: readonly Edge[]) =>
  edges.toSorted((a, b) => a.at - b.at || (a.what < b.what ? -1 : 1));

test('one to four sources with silences make the edges of their definition, whatever their addresses', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(sourcesOfOne, { minLength: 24, maxLength: 24 }),
      shuffled,
      async (all, digits) => {
        await world.clear();
        await land(all, digits[Symbol.iterator]());
        await world.compute({ start: DAY, end: LAST + 1, now: LAST });
        const events = await world.detect(-1, LAST);
        for (const [index, sources] of all.entries()) {
          const asset = assets[index];
          if (asset === undefined) throw new Error(`no asset ${index}`);
          const expected = pegEdges(centres(sources.map(toModel), peg), rulesOf(asset), LAST);
          expect(sorted(edgesIn(events, `A${index}`)), JSON.stringify({ asset, sources })).toEqual(
            sorted(expected),
          );
        }
      },
    ),
    { numRuns: COUNTS.walks(8), endOnFailure: true },
  );
}, 300_000);

test('events and their contents are the same in one go, in ticks and in odd steps', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(sourcesOfOne, { minLength: 24, maxLength: 24 }),
      fc.uniqueArray(fc.integer({ min: 0, max: SPAN - 2 }), { minLength: 4, maxLength: 8 }),
      async (all, cuts) => {
        const digits = () => countdown();
        await world.clear();
        await land(all, digits());
        const atOnce = await walk(world, DAY, [LAST]);
        for (const instants of [
          [DAY + 86_399, LAST],
          [...cuts.map((at) => DAY + at).toSorted((a, b) => a - b), LAST],
        ]) {
          await world.clear();
          await land(all, digits());
          expect(await walk(world, DAY, instants), instants.join()).toEqual(atOnce);
        }
      },
    ),
    { numRuns: COUNTS.walks(3), endOnFailure: true },
  );
}, 300_000);
