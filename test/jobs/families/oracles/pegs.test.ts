import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import type { PegAsset } from '../../../../jobs/families/oracles/peg-schema.ts';
import type { Candidate } from '../../../../jobs/pipeline/events/emit.ts';
import { DEFAULT_POLICY } from '../../../../jobs/policies.ts';
import { COUNTS } from '../../../reliability/counts.ts';
import { feedRow, openOracleWorld, roundRow } from './oracle-world.ts';
import { type Answer, centres, type Edge, type PegRules, pegEdges } from './peg-model.ts';

const DAY = 1_750_032_000;
const LAST = 3 * 86_400 - 1;
const HEARTBEAT = 3_600;
const {
  peg,
  oracle: { grace_s },
} = DEFAULT_POLICY;

const kinds: readonly PegAsset['kind'][] = ['fiat_usd', 'crypto_backed', 'liquid_staking'];
const assets = Array.from({ length: 30 }, (_, index): PegAsset => {
  const kind = kinds[index % kinds.length] ?? 'fiat_usd';
  return {
    symbol: `A${index}`,
    quote: 'USD',
    kind,
    reference_price: '1',
    confirm_observations: 1 + (index % 3),
  };
});

const rulesOf = (asset: PegAsset): PegRules => ({ ...peg, ...peg.bands[asset.kind], ...asset });

const world = await openOracleWorld({
  policy: { ...DEFAULT_POLICY, peg: { ...peg, assets } },
  needs: { events: ['peg.'] },
});
afterAll(() => world.close());

/** Answers at and one digit away from every bound that any of the kinds has, both sides. */
const bounds = [50, 100, 200, 400].flatMap((bps) => [-1, 1].map((side) => 100_000_000 + side * bps * 10_000));
const answer = fc.oneof(
  { weight: 3, arbitrary: fc.constant(100_000_000) },
  {
    weight: 4,
    arbitrary: fc.tuple(fc.constantFrom(...bounds), fc.constantFrom(-1, 0, 1)).map(([a, b]) => a + b),
  },
);
const gap = fc.oneof(fc.constantFrom(0, 1, 59, 60, 61, 3_600, 21_600), fc.integer({ min: 1, max: 9_000 }));
const walkOf = fc.array(fc.tuple(gap, answer), { maxLength: 60 }).map((steps) => {
  let at = DAY;
  const observations: Answer[] = [];
  for (const [gap, answer] of steps) {
    at += gap;
    if (at <= DAY + LAST) observations.push({ at, answer });
  }
  return observations;
});

async function land(walks: readonly (readonly Answer[])[]): Promise<void> {
  await world.clear();
  await world.landFeeds(
    assets.map(({ symbol }) =>
      feedRow({
        feed_address: symbol.toLowerCase(),
        base: symbol,
        quote: 'USD',
        heartbeat_s: HEARTBEAT,
        deviation_bps: 25,
        observed_at: DAY,
      }),
    ),
  );
  const rounds = walks.flatMap((walk, index) =>
    walk.map(({ at, answer }, position) =>
      roundRow({
        feed_address: `a${index}`,
        round_id: String(position + 1),
        answer: String(answer),
        updated_at: at,
      }),
    ),
  );
  if (rounds.length > 0) await world.landRounds(rounds);
}

const edgesIn = (events: readonly Candidate[], index: number): Edge[] =>
  events
    .filter(({ envelope }) => envelope['subject_id'] === `peg:ethereum:A${index}`)
    .map(({ event_at, type, envelope }) => {
      const what = type.replace('peg.depeg.', '') as Edge['what'];
      const severity = envelope['severity'] as Edge['severity'] & {};
      return what === 'start' ? { at: event_at, what, severity } : { at: event_at, what };
    });

const sorted = (edges: readonly Edge[]) =>
  edges.toSorted((a, b) => a.at - b.at || (a.what < b.what ? -1 : 1));

test('pegs start, end and recover as their definition says, for any walk of prices along the bounds', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(walkOf, { minLength: 30, maxLength: 30 }), async (walks) => {
      await land(walks);
      await world.compute({ start: DAY, end: DAY + LAST + 1, now: DAY + LAST });
      const events = await world.detect(-1, DAY + LAST);
      for (const [index, walk] of walks.entries()) {
        const asset = assets[index];
        if (asset === undefined) throw new Error(`no asset ${index}`);
        const observed = centres(
          [{ lasts_s: HEARTBEAT + grace_s, is_pool: false, pool_units: null, answers: walk }],
          peg,
        );
        const expected = pegEdges(observed, rulesOf(asset), DAY + LAST);
        expect(sorted(edgesIn(events, index)), JSON.stringify({ asset, walk })).toEqual(sorted(expected));
      }
    }),
    { numRuns: COUNTS.walks(8), endOnFailure: true },
  );
}, 120_000);

describe('a fiat peg that asks for one observation', () => {
  const edgesOf = async (answers: readonly number[]) => {
    await land([answers.map((answer, index) => ({ at: DAY + 100 + index * 60, answer }))]);
    await world.compute({ start: DAY, end: DAY + 10_000, now: DAY + 9_999 });
    return edgesIn(await world.detect(-1, DAY + 9_999), 0).map(
      ({ at, what }) => `${what} ${(at - DAY - 100) / 60}`,
    );
  };

  test.each([
    ['one digit short of the enter bound below', [99_000_001], []],
    ['at the enter bound below', [99_000_000], ['start 0']],
    ['one digit short of it above', [100_999_999], []],
    ['at it above', [101_000_000], ['start 0']],
    ['one digit outside the exit band after it', [99_000_000, 99_499_999], ['start 0']],
    ['at the exit bound after it', [99_000_000, 99_500_000], ['start 0', 'end 1']],
    ['beyond again without an end between', [99_000_000, 99_400_000, 98_000_000], ['start 0']],
  ])('%s', async (_, answers, expected) => {
    expect(await edgesOf(answers)).toEqual(expected);
  });
});
