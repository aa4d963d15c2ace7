// Right oracles of five shapes, at least fifty, and as many that have one mistake each: every mistake is caught by its own name, and nothing is found in
// what is right.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CaseRow } from '../../../support/case-file.ts';
import { feed, type Leg, type Oracle, rowsOf, scaleOf, vault } from './oracle-of.ts';
import { landedLegs, landedPrices, openPathModels, type PathModels } from './path-models.ts';

type Rows = ReturnType<typeof rowsOf>;
interface Subject {
  readonly rows: Rows;
  /** The check that must fail; null for none. */
  readonly check: string | null;
}

const E = (exponent: number) => 10n ** BigInt(exponent);
const TOKENS = [6, 8, 18] as const;
const OF_USD = (symbol: string) => [symbol, 'USD'] as const;
const rate = (value = 112n * E(16)) => feed('base', ['STONE', 'ETH'], value, { decimals: 18 });
const eth = feed('base', OF_USD('ETH'), 300_000_000_000n);
const usdc = feed('quote', OF_USD('USDC'), 99_980_000n);
const share = vault('base', ['SBTC', 'BTC'], 102_000_000n, { decimals: 8 });
const btc = feed('base', OF_USD('BTC'), 6_000_000_000_000n);

/** Shapes by name: one feed on each side, a rate before a feed, a vault before a feed, a cap, and nothing on the quote side. */
const SHAPES: { readonly [name: string]: Pick<Oracle, 'legs'> & { readonly symbol: string } } = {
  plain: { symbol: 'ETH', legs: [eth, usdc] },
  rate: { symbol: 'STONE', legs: [rate(), eth, usdc] },
  vault: { symbol: 'SBTC', legs: [share, btc, usdc] },
  capped: {
    symbol: 'ETH',
    legs: [
      {
        ...eth,
        more: { kind: 'capo_stable', parameters: '{"feed_value":"300000000000","cap":"400000000000"}' },
      },
      usdc,
    ],
  },
  half: { symbol: 'ETH', legs: [feed('base', ['ETH', 'USDC'], 3_000n * E(6), { decimals: 6 })] },
};

let count = 0;
function right(shape: string, decimals: number, loan: number): Oracle {
  const { symbol, legs } = SHAPES[shape] ?? { symbol: '', legs: [] };
  count += 1;
  return { market_id: `0xm${count}`, collateral: [symbol, decimals], loan: ['USDC', loan], legs };
}

const subject = (
  oracle: Oracle,
  check: string | null,
  change: (rows: Rows) => Rows = (rows) => rows,
): Subject => ({
  rows: change(rowsOf(oracle)),
  check,
});
const replaced = (oracle: Oracle, index: number, more: Partial<Leg>): Oracle => ({
  ...oracle,
  legs: oracle.legs.map((leg, at) => (at === index ? { ...leg, ...more } : leg)),
});
const header = (more: CaseRow) => (rows: Rows) => ({ ...rows, header: { ...rows.header, ...more } });
const leg = (index: number, more: CaseRow) => (rows: Rows) => ({
  ...rows,
  legs: rows.legs.map((one, at) => (at === index ? { ...one, ...more } : one)),
});

const RIGHT: readonly Subject[] = Object.keys(SHAPES).flatMap((shape) =>
  [...TOKENS, 9].flatMap((decimals) => TOKENS.map((loan) => subject(right(shape, decimals, loan), null))),
);

/** Mistakes of an oracle of each shape, for tokens of three numbers of decimals. */
const mistakesOf = (decimals: number): readonly Subject[] => {
  const of = (shape: string) => right(shape, decimals, 6);
  const scaled = (shape: string, by: number) => {
    const oracle = of(shape);
    const scale = scaleOf(oracle);
    return subject({ ...oracle, scale: by < 0 ? scale / E(-by) : scale * E(by) }, 'wrong_scale');
  };
  const swapped = of('plain');
  const dropped = of('rate');
  const looped = of('rate');
  const half = of('half');
  return [
    subject(
      {
        ...swapped,
        legs: [
          { ...eth, side: 'quote' as const },
          { ...usdc, side: 'base' as const },
        ].reverse(),
      },
      'swapped',
    ),
    subject({ ...dropped, legs: [rate(), usdc] }, 'incomplete'),
    subject({ ...of('plain'), legs: [btc, usdc] }, 'incomplete'),
    subject({ ...of('vault'), legs: [btc, { ...share, side: 'quote' as const }, usdc] }, 'incomplete'),
    subject(of('rate'), 'leg_missing', (rows) => ({ ...rows, legs: rows.legs.slice(1) })),
    ...[-12, -6, -1, 1, 6, 12].map((by) => scaled(by % 2 === 0 ? 'plain' : 'vault', by)),
    subject(replaced(of('vault'), 0, { value: 1n, more: { ...share.more, sample: '1' } }), 'coarse_sample'),
    subject(looped, 'cycle', leg(1, { parent_index: 1 })),
    subject(of('plain'), 'wrong_decimals', leg(0, { contract: '0xlisted' })),
    subject(of('plain'), 'wrong_factors', header({ base_factors: '300000000001' })),
    subject({ ...half, price: scaleOf(half) * 3_000n * E(6) + 1n }, 'wrong_price'),
    subject(
      of('capped'),
      'wrong_value',
      leg(0, { parameters: '{"feed_value":"300000000000","cap":"299999999999"}' }),
    ),
  ];
};
const WRONG: readonly Subject[] = [...TOKENS, 9].flatMap(mistakesOf);

let models: PathModels;
let readings: ReadonlyMap<string, CaseRow>;
beforeAll(async () => {
  models = await openPathModels();
  const all = [...RIGHT, ...WRONG].map(({ rows }) => rows);
  await models.fill('derived.feed', [
    { chain: 'ethereum', feed_address: '0xlisted', base: 'ETH', quote: 'USD', decimals: 18 },
  ]);
  await models.fill(
    'derived.lending_market',
    all.map(({ market }) => market),
  );
  await models.fill('landing.oracle_leg', await landedLegs(all.flatMap(({ legs }) => legs)));
  await models.fill('landing.oracle_price', await landedPrices(all.map((rows) => rows.header)));
  await models.compute([
    ...['obs.oracle_leg', 'obs.oracle_price', 'derived.oracle_path_leg', 'derived.oracle_balance'],
    'derived.oracle_reading',
  ]);
  const rows = await models.rows('select * from derived.oracle_reading');
  readings = new Map(rows.map((row) => [String(row['market_id']), row]));
});
afterAll(() => models.close());

const readingOf = ({ rows }: Subject) => readings.get(String(rows.header['market_id']));

test('nothing is found in oracles that are right', () => {
  expect(RIGHT.length).toBeGreaterThanOrEqual(50);
  expect(RIGHT.map((one) => readingOf(one)?.['failed'])).toEqual(RIGHT.map(() => ''));
  expect(new Set(RIGHT.map((one) => readingOf(one)?.['verdict']))).toEqual(new Set(['verified']));
});

test('every mistake is caught by its own name', () => {
  expect(WRONG.length).toBeGreaterThanOrEqual(50);
  expect(
    WRONG.map((one) => String(readingOf(one)?.['failed']).split(',').includes(String(one.check))),
    JSON.stringify(WRONG.map((one) => [one.check, readingOf(one)?.['failed']])),
  ).toEqual(WRONG.map(() => true));
  expect(new Set(WRONG.map((one) => readingOf(one)?.['verdict']))).toEqual(new Set(['wrong']));
});
