// A redemption rate only rises, so a fall of it is news even where the price of the asset falls along with it and keeps its peg.
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { DEFAULT_POLICY } from '../../../../jobs/policies.ts';
import { feedRow, type OracleWorld, openOracleWorld, roundRow } from './oracle-world.ts';
import { instant as at } from './peg-story.ts';

const from = at('2026-03-01T00:00:00Z');
const HOUR = 3_600;
const DAY = 24 * HOUR;
const assets = [
  { symbol: 'APY', quote: 'USD', kind: 'nav' as const, reference_pair: 'APYRATE-USD' },
  {
    symbol: 'QUIET',
    quote: 'USD',
    kind: 'nav' as const,
    reference_pair: 'APYRATE-USD',
    reference_fall_bps: 0,
  },
];
const world = await openOracleWorld({
  policy: { ...DEFAULT_POLICY, peg: { ...DEFAULT_POLICY.peg, assets } },
  needs: { tables: ['derived.reference_fall'] },
});
afterAll(() => world.close());

type Answer = readonly [at: number, rate: number];

async function falls(target: OracleWorld, answers: readonly Answer[], steps: readonly number[] = []) {
  await target.clear();
  const feed = { quote: 'USD', observed_at: 0, heartbeat_s: DAY };
  await target.landFeeds([
    feedRow({ ...feed, base: 'APY', feed_address: '0xa' }),
    feedRow({ ...feed, base: 'QUIET', feed_address: '0xq' }),
    feedRow({ ...feed, base: 'APYRATE', feed_address: '0xrate', category: 'nav' }),
  ]);
  await target.landRounds([
    roundRow({ feed_address: '0xa', updated_at: from, answer: '100000000' }),
    roundRow({ feed_address: '0xq', updated_at: from, answer: '100000000' }),
    ...answers.map(([updated_at, rate], i) =>
      roundRow({
        feed_address: '0xrate',
        round_id: String(i + 1),
        updated_at,
        answer: String(Math.round(rate * 1e8)),
      }),
    ),
  ]);
  const last = (answers.at(-1)?.[0] ?? from) + 1;
  let start = from;
  for (const end of [...steps.filter((step) => step < last), last]) {
    await target.compute({ start, end, now: end - 1 });
    start = end - (end % DAY);
  }
  const rows = await target.rows(
    'select symbol, observed_at, grade, fall_bps from derived.reference_fall order by observed_at, symbol',
  );
  return rows.map(({ symbol, observed_at, grade, fall_bps }) =>
    [symbol, (Number(observed_at) - from) / HOUR, grade, fall_bps].join(' '),
  );
}
const hourly = (rates: readonly number[]): readonly Answer[] =>
  rates.map((rate, i) => [from + i * HOUR, rate]);

test('a fall is named at the answer that shows it, once, and only for assets that want to know', async () => {
  expect(await falls(world, hourly([1.1302, 1.1302, 0.9736, 0.9736, 0.9736]))).toEqual([
    'APY 2 high 1385.59547',
  ]);
});

test('the return is no news, and the next fall is', async () => {
  expect(await falls(world, hourly([1.13, 0.97, 1.13, 1.1301, 0.97, 1.1302]))).toEqual([
    'APY 1 high 1415.929204',
    'APY 4 high 1416.688789',
  ]);
});

test('a fall that grows past the deviation at which a depeg starts is reported again, and another not', async () => {
  expect(await falls(world, hourly([1, 0.999, 0.998, 0.985, 0.98]))).toEqual([
    'APY 1 warn 10',
    'APY 3 high 150',
  ]);
});

test.each([
  [0.99990001, []],
  [0.9999, ['APY 1 warn 1']],
  [0.99989999, ['APY 1 warn 1.0001']],
  [0.98500001, ['APY 1 warn 149.9999']],
  [0.985, ['APY 1 high 150']],
])('from 1 to %f, at the bounds of both grades', async (rate, expected) => {
  expect(await falls(world, hourly([1, rate]))).toEqual(expected);
});

test('a slow slide adds up to a fall', async () => {
  const slide = Array.from({ length: 30 }, (_, i) => 1 - i * 0.000005);
  expect(await falls(world, hourly(slide))).toEqual([]);
  expect(await falls(world, hourly([...Array<number>(300).fill(1), ...slide]))).toEqual(['APY 320 warn 1']);
});

test('a level that was held for a week is the one that later falls are measured from', async () => {
  const rates = [1, 0.99, ...Array<number>(8).fill(0.99), 0.98];
  const daily: readonly Answer[] = rates.map((rate, i) => [from + i * DAY, rate]);
  expect(await falls(world, daily)).toEqual(['APY 24 warn 100', 'APY 240 warn 101.010101']);
});

test('a reference that falls as often as it rises is a market price', async () => {
  const market = Array.from({ length: 40 }, (_, i) => (i % 2 === 0 ? 1 : 0.999));
  const named = await falls(world, hourly([...market, 0.9]));
  expect(named.every((fall) => Number(fall.split(' ')[1]) < 12)).toBe(true);
});

test('an invalid answer is no rate', async () => {
  expect(await falls(world, hourly([1.13, 0, 1.13]))).toEqual([]);
});

/** The rule once more, answer by answer; the level of a feed counts at every midnight too. */
function expected(answers: readonly Answer[]): string[] {
  const levels: { at: number; rate: number; rank: number; isAnswer: boolean; isFall: boolean }[] = [];
  const named: string[] = [];
  let rank = 0;
  let last: number | null = null;
  const walk = answers.flatMap(([time, rate], i): (Answer | readonly [number, null])[] => {
    const before = answers[i - 1]?.[0] ?? time;
    const midnights: (readonly [number, null])[] = [];
    for (let day = before - (before % DAY) + DAY; day <= time; day += DAY) midnights.push([day, null]);
    return [...midnights, [time, rate]];
  });
  for (const [time, answer] of walk) {
    const rate: number = answer ?? last ?? 0;
    const recent = levels.filter((level) => level.at >= time - 30 * DAY && level.at < time);
    const highest = Math.max(rate, ...levels.filter((l) => l.at >= time - 7 * DAY).map((l) => l.rate));
    const fall = Math.round((1 - rate / highest) * 1e10) / 1e6;
    const known = recent.filter(({ isAnswer }) => isAnswer).length;
    const isMarket = known >= 10 && recent.filter(({ isFall }) => isFall).length * 10 > known;
    const grade = fall < 1 || isMarket ? 0 : fall >= 150 ? 2 : 1;
    // What is remembered of the grades of a fall is what the last seven days show.
    const run = levels.filter((l) => l.at >= time - 7 * DAY);
    const since = run.slice(run.findLastIndex((l) => l.rank === 0) + 1);
    rank = grade === 0 ? 0 : Math.max(0, ...since.map((l) => l.rank));
    if (answer !== null && grade > rank)
      named.push(`APY ${(time - from) / HOUR} ${grade === 2 ? 'high' : 'warn'} ${fall}`);
    levels.push({
      at: time,
      rate,
      rank: grade,
      isAnswer: answer !== null,
      isFall: answer !== null && last !== null && rate < last,
    });
    last = rate;
  }
  return named;
}

const move = fc.oneof(
  fc.constantFrom(1, 1, 1.0001, 1.001, 0.9999, 0.99, 0.985, 0.8, 1.25),
  fc.double({ min: 0.97, max: 1.03, noNaN: true }),
);
const walk = fc
  .array(fc.tuple(fc.constantFrom(1, 6, 24, 24, 48, 100), move), { minLength: 2, maxLength: 25 })
  .map((steps) => {
    let time = from;
    let rate = 1;
    return steps.map(([hours, factor]): Answer => {
      time += hours * HOUR;
      rate = Math.round(rate * factor * 1e8) / 1e8;
      return [time, rate];
    });
  });

test('any walk gives what the rule gives, in one step or several', async () => {
  await fc.assert(
    fc.asyncProperty(
      walk,
      fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 3 }),
      async (answers, days) => {
        const steps = days.map((day) => from + day * DAY + 7).toSorted((a, b) => a - b);
        expect(await falls(world, answers)).toEqual(expected(answers));
        expect(await falls(world, answers, steps)).toEqual(expected(answers));
      },
    ),
    { numRuns: 20 },
  );
}, 120_000);
