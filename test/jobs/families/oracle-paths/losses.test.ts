// Debt that the collateral does not cover at the market price, as an interval: known incidents to the cent, and random books.
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { COUNTS } from '../../../reliability/counts.ts';
import type { CaseRow } from '../../../support/case-file.ts';
import { NOW, openPathModels, type PathModels } from './path-models.ts';

let models: PathModels;
beforeAll(async () => {
  models = await openPathModels();
});
afterAll(() => models.close());

const AT = NOW - 600;
const RUNS = COUNTS.lossBooks;
/** At most, for one book in two forms on a busy machine. */
const BOOK_MS = 600;

interface Tranche {
  readonly fall_from: number;
  readonly fall_to: number;
  readonly debt_usd: number;
  readonly collateral_usd: number;
}
interface Book {
  readonly id: string;
  readonly oracle: number;
  readonly market: number | null;
  readonly lltv: number | null;
  readonly tranches: readonly Tranche[];
  readonly basis?: 'oracle' | 'market' | null;
  readonly collateral?: string | null;
  /** Price of the oracle when the tranches were reported, if another than now. */
  readonly before?: number;
  readonly reported?: number;
}

const reportedAt = ({ reported = AT }: Book) => reported;
const of = ({ id }: Book, observed_at: number) => ({ chain: 'ethereum', market_id: id, observed_at });

const priceRow = (book: Book, observed_at: number, price_number: number): CaseRow => ({
  ...of(book, observed_at),
  day: observed_at - (observed_at % 86_400),
  oracle_address: '0xo',
  price_number,
});
const pricesOf = (book: Book): CaseRow[] => [
  priceRow(book, AT, book.oracle),
  ...(book.before === undefined ? [] : [priceRow(book, reportedAt(book), book.before)]),
];

const seenOf = ({ id, oracle, market }: Book): CaseRow[] =>
  market === null
    ? []
    : [
        {
          chain: 'ethereum',
          assumption_id: `path:${id}`,
          observed_at: AT,
          assumed: oracle,
          observed: market,
          gap_bps: Math.round((oracle / market - 1) * 1e10) / 1e6,
          sources: 2,
          is_single_source: false,
          is_disputed: false,
        },
      ];

const registered = ({ id, lltv, collateral = 'X' }: Book): CaseRow => ({
  chain: 'ethereum',
  market_id: id,
  collateral_symbol: collateral,
  loan_symbol: 'USDC',
  lltv,
  valid_from: 0,
  valid_to: 253402300799,
});

const tranchesIn = (book: Book): CaseRow[] =>
  book.tranches.map((tranche) => ({
    ...of(book, reportedAt(book)),
    ...tranche,
    price_basis: book.basis === undefined ? 'oracle' : book.basis,
  }));

async function points(books: readonly Book[]): Promise<ReadonlyMap<string, CaseRow>> {
  await models.fill('obs.oracle_price', books.flatMap(pricesOf));
  await models.fill('derived.assumption_observation', books.flatMap(seenOf));
  await models.fill('derived.lending_market', books.map(registered));
  await models.fill('obs.borrower_tranche', books.flatMap(tranchesIn));
  await models.compute(['derived.oracle_point']);
  const rows = await models.rows(`select * from derived.oracle_point where observed_at = ${AT}`);
  return new Map(rows.map((row) => [String(row['market_id']), row]));
}

const one = async (book: Omit<Book, 'id'>) => (await points([{ id: '0xm', ...book }])).get('0xm') ?? {};
const cents = (row: CaseRow, name: string) => Math.round(Number(row[name]) * 100) / 100;

const single = (fall: number, debt_usd: number, collateral_usd: number): Tranche => ({
  fall_from: fall,
  fall_to: fall,
  debt_usd,
  collateral_usd,
});
const borrower = (debt: number, collateral: number, lltv: number) =>
  single(1 - debt / (lltv * collateral), debt, collateral);

test.each([
  [0.25, 621_500, 30_000],
  [0.025, 875_750, 390_000],
])('a collateral at %f of what its oracle says', async (m, bad, gap) => {
  const row = await one({
    oracle: 1.13,
    market: 1.13 * m,
    lltv: 0.86,
    tranches: [borrower(904_000, 1_130_000, 0.86)],
  });
  expect([cents(row, 'bad_debt_low_usd'), cents(row, 'bad_debt_high_usd'), cents(row, 'gap_bps')]).toEqual([
    bad,
    bad,
    gap,
  ]);
});

test('a market without a liquidation has the whole shortfall as bad debt, and a vault bears its share of the supply', async () => {
  const [debt, atMarket, m] = [709_027.33, 155_753.5, 0.2];
  const row = await one({
    oracle: 1,
    market: m,
    lltv: 0.915,
    tranches: [borrower(debt, atMarket / m, 0.915)],
  });
  expect([cents(row, 'bad_debt_low_usd'), cents(row, 'bad_debt_high_usd')]).toEqual([553_273.83, 553_273.83]);
  expect(Math.round(Number(row['bad_debt_low_usd']) * 0.4 * 100) / 100).toBe(221_309.53);
});

test('a gap that no borrower who is healthy by the oracle can turn into bad debt', async () => {
  const healthy = (lltv: number) =>
    [0, 0.05, 0.2].map((fall) => single(fall, 1_000, 1_000 / (lltv * (1 - fall))));
  const row = await one({ oracle: 1, market: 0.87, lltv: 0.86, tranches: healthy(0.86) });
  expect(row).toMatchObject({ bad_debt_low_usd: 0, bad_debt_high_usd: 0 });
  expect(cents(row, 'gap_bps')).toBe(1_494.25);
  const other = await one({ oracle: 1, market: 0.87, lltv: 0.915, tranches: healthy(0.915) });
  expect(Number(other['bad_debt_low_usd'])).toBeGreaterThan(0);
  expect(1 - 0.87 / 0.915).toBeCloseTo(0.0492, 4);
});

const STRADDLED: readonly Tranche[] = [
  { fall_from: 0, fall_to: 0.005, debt_usd: 1_000_000, collateral_usd: 1_095_640 },
  { fall_from: 0.01, fall_to: 0.03, debt_usd: 2_000_000, collateral_usd: 2_230_300 },
  { fall_from: 0.1, fall_to: 0.2, debt_usd: 500_000, collateral_usd: 642_000 },
];

test('a tranche that the limit divides gives an interval', async () => {
  const row = await one({ oracle: 1, market: 0.9, lltv: 0.915, tranches: STRADDLED });
  expect([cents(row, 'bad_debt_low_usd'), cents(row, 'bad_debt_high_usd')]).toEqual([13_924, 26_840.05]);
  const share = 1.2 / 4;
  expect((Number(row['bad_debt_high_usd']) * share).toFixed(2)).toBe('8052.01');
});

test('an oracle below the market liquidates debt that is healthy', async () => {
  const row = await one({
    oracle: 1_500,
    market: 1_666.666666666667,
    lltv: 0.86,
    tranches: [
      { fall_from: -0.05, fall_to: -0.01, debt_usd: 300, collateral_usd: 340 },
      { fall_from: -0.2, fall_to: -0.12, debt_usd: 70, collateral_usd: 72 },
      { fall_from: -0.12, fall_to: -0.06, debt_usd: 10, collateral_usd: 11 },
      { fall_from: 0.1, fall_to: 0.2, debt_usd: 5_000, collateral_usd: 7_000 },
    ],
  });
  expect(cents(row, 'gap_bps')).toBe(-1_000);
  expect(row).toMatchObject({ bad_debt_low_usd: 0, unjust_usd: 300, unjust_high_usd: 310 });
});

test('an oracle that answers zero liquidates all debt that is healthy, and the losses are those at the market price', async () => {
  const tranches: readonly Tranche[] = [
    { fall_from: 0.1, fall_to: 0.2, debt_usd: 5_000, collateral_usd: 7_000 },
    { fall_from: 0.4, fall_to: 0.5, debt_usd: 100, collateral_usd: 300 },
  ];
  const book = { market: 0.7, lltv: 0.86, tranches, before: 1, reported: AT - 3_600 };
  const row = await one({ ...book, oracle: 0 });
  // At 0.7, a fall of 1 - 0.7/0.86 = 0.186 divides the first: at least 5,000 - 4,900.
  expect(cents(row, 'bad_debt_low_usd')).toBe(100);
  expect(row).toMatchObject({ gaps: '', unjust_usd: 100, unjust_high_usd: 100, gap_bps: -10_000 });
  for (const oracle of [0.5, 1, 2]) {
    const other = await one({ ...book, oracle });
    for (const name of ['bad_debt_low_usd', 'bad_debt_high_usd'])
      expect(cents(other, name), `${oracle}`).toBe(cents(row, name));
  }
});

test('tranches are converted from the price of their own time to that of now', async () => {
  const now = await one({ oracle: 1, market: 0.9, lltv: 0.915, tranches: STRADDLED });
  const then = STRADDLED.map(({ fall_from, fall_to, debt_usd, collateral_usd }) => ({
    fall_from: 1 - (1 - fall_from) / 1.25,
    fall_to: 1 - (1 - fall_to) / 1.25,
    debt_usd,
    collateral_usd: collateral_usd * 1.25,
  }));
  const row = await one({
    oracle: 1,
    market: 0.9,
    lltv: 0.915,
    tranches: then,
    before: 1.25,
    reported: AT - 3_600,
  });
  expect(cents(row, 'bad_debt_low_usd')).toBe(cents(now, 'bad_debt_low_usd'));
  expect(cents(row, 'bad_debt_high_usd')).toBe(cents(now, 'bad_debt_high_usd'));
});

test.each([
  ['market_price_not_independent', { market: null }],
  ['lltv_unknown', { lltv: null }],
  ['pooled_collateral', { collateral: null }],
  ['borrowers_unknown', { tranches: [] }],
  ['tranche_basis_unknown', { basis: null }],
  ['tranche_price_unknown', { reported: AT - 4 * 3_600, before: undefined }],
  ['tranche_price_unknown', { reported: AT - 3_600, before: 0 }],
  ['tranches_old', { reported: AT - 86_400, before: 1 }],
])('without one of its inputs the figure is unknown, not 0: %s', async (gap, without) => {
  const row = await one({
    oracle: 1,
    market: 0.5,
    lltv: 0.86,
    tranches: [borrower(700, 1_000, 0.86)],
    ...(without as object),
  });
  expect(row).toMatchObject({ gaps: gap, bad_debt_low_usd: null, bad_debt_high_usd: null, unjust_usd: null });
});

const arbitraryBook = fc.record({
  m: fc.double({ min: 0.05, max: 1.6, noNaN: true }),
  lltv: fc.double({ min: 0.5, max: 0.95, noNaN: true }),
  width: fc.constantFrom(0.001, 0.01, 0.05, 0.2, 0.6),
  borrowers: fc.array(
    fc.record({
      fall: fc.double({ min: -0.3, max: 0.8, noNaN: true }),
      debt: fc.integer({ min: 1, max: 1_000_000 }),
    }),
    { minLength: 1, maxLength: 12 },
  ),
});

test('the true bad debt is inside the interval, and with one borrower in each tranche it is exact', {
  timeout: RUNS * BOOK_MS,
}, async () => {
  const samples = fc.sample(arbitraryBook, { numRuns: RUNS, seed: 7 });
  const truth = samples.map(({ m, lltv, borrowers }) =>
    borrowers.reduce((sum, { fall, debt }) => sum + Math.max(0, debt - (m * debt) / (lltv * (1 - fall))), 0),
  );
  const books = samples.flatMap(({ m, lltv, width, borrowers }, index): Book[] => {
    const lines = borrowers.map(({ fall, debt }) => single(fall, debt, debt / (lltv * (1 - fall))));
    const common = { oracle: 1, market: m, lltv };
    return [
      { ...common, id: `0x${index}`, tranches: tranchesOf(lines, width) },
      { ...common, id: `0xexact${index}`, tranches: distinct(lines) },
    ];
  });
  const rows = await points(books);
  for (const [index, bad] of truth.entries()) {
    const row = rows.get(`0x${index}`) ?? {};
    const slack = 0.01 + bad * 1e-6;
    expect(Number(row['bad_debt_low_usd'])).toBeLessThanOrEqual(bad + slack);
    expect(Number(row['bad_debt_high_usd'])).toBeGreaterThanOrEqual(bad - slack);
    const exact = rows.get(`0xexact${index}`) ?? {};
    expect(Math.abs(Number(exact['bad_debt_low_usd']) - bad)).toBeLessThan(slack);
    expect(Math.abs(Number(exact['bad_debt_high_usd']) - bad)).toBeLessThan(slack);
  }
});

test('a lower market price never means less bad debt', async () => {
  const samples = fc.sample(arbitraryBook, { numRuns: RUNS / 5, seed: 11 });
  const steps = [1, 0.8, 0.6, 0.4, 0.2];
  const rows = await points(
    samples.flatMap(({ lltv, width, borrowers }, index) =>
      steps.map(
        (m): Book => ({
          id: `0x${index}-${m}`,
          oracle: 1,
          market: m,
          lltv,
          tranches: tranchesOf(
            borrowers.map(({ fall, debt }) => single(fall, debt, debt / (lltv * (1 - fall)))),
            width,
          ),
        }),
      ),
    ),
  );
  for (const [index] of samples.entries()) {
    for (const name of ['bad_debt_low_usd', 'bad_debt_high_usd']) {
      const values = steps.map((m) => Number(rows.get(`0x${index}-${m}`)?.[name]));
      expect(values.every((value, at) => at === 0 || value >= (values[at - 1] ?? 0) - 0.01)).toBe(true);
    }
  }
});

/** Borrowers put together in ranges of equal width. */
function tranchesOf(lines: readonly Tranche[], width: number): readonly Tranche[] {
  const groups = Map.groupBy(lines, ({ fall_from }) => Math.floor(fall_from / width));
  return [...groups].map(([cell, group]) => ({
    fall_from: cell * width,
    fall_to: Math.min((cell + 1) * width, 0.999),
    debt_usd: group.reduce((sum, { debt_usd }) => sum + debt_usd, 0),
    collateral_usd: group.reduce((sum, { collateral_usd }) => sum + collateral_usd, 0),
  }));
}

const distinct = (lines: readonly Tranche[]) =>
  [...new Map(lines.map((line) => [line.fall_from, line])).values()].length === lines.length
    ? lines
    : tranchesOf(lines, 1e-9);
