// Sandwiches whose legs are split, nested or unequal: the input of a known fault through the whole pipeline, and random blocks against a
// model that keeps a stack of purchases.
import fc from 'fast-check';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { mev } from '../../../../jobs/families/mev/domain.ts';
import { oracles } from '../../../../jobs/families/oracles/domain.ts';
import { pools } from '../../../../jobs/families/pools/domain.ts';
import { sources } from '../../../../jobs/families/sources/domain.ts';
import { type DomainWorld, openDomainWorld } from '../../../support/domain-world.ts';
import { runInputFolder } from '../../../support/input-folder.ts';

vi.setConfig({ testTimeout: 120_000 });

const NOON = Date.parse('2026-03-01T12:00:00Z') / 1000;
const DAY = NOON - 43_200;
const BOT = `0x${'1'.repeat(40)}`;
const OTHER = `0x${'7'.repeat(40)}`;
const A = `0x${'a'.repeat(40)}`;
const B = `0x${'b'.repeat(40)}`;
const TOLERANCE = 0.05;

let world: DomainWorld;
beforeAll(async () => {
  world = await openDomainWorld(mev, [sources, oracles, pools]);
});
afterAll(() => world.close());

test('a front-run in two parts gains 20, nested ones 8 and 5, and one that sold more than it bought says so', async () => {
  const run = await runInputFolder(new URL('./front-run-in-parts/', import.meta.url), NOON);
  onTestFinished(() => run.remove());
  const rows = await run.rows(
    'select block_number, front_index, back_index, victims, extracted, covered_share from derived.mev_sandwich order by block_number, front_index',
  );
  expect(rows).toEqual([
    { block_number: 10, front_index: 0, back_index: 3, victims: 1, extracted: 20_000_000, covered_share: 1 },
    { block_number: 11, front_index: 0, back_index: 5, victims: 2, extracted: 8_000_000, covered_share: 1 },
    { block_number: 11, front_index: 2, back_index: 4, victims: 1, extracted: 5_000_000, covered_share: 1 },
    {
      block_number: 12,
      front_index: 0,
      back_index: 2,
      victims: 1,
      extracted: expect.closeTo(6_635_294, 0),
      covered_share: 0.605882,
    },
  ]);
});

interface Trade {
  readonly isOwn: boolean;
  readonly isPurchase: boolean;
  readonly amount: number;
  readonly paid: number;
}

interface Position {
  readonly front: number;
  readonly back: number;
  readonly extracted: number;
}

interface Match {
  readonly front: number;
  readonly back: number;
  readonly amount: number;
}

/** Purchases on a stack; a sale takes from the top. `trades` are those of one direction of one pool. */
function matchesOf(trades: readonly Trade[]): readonly Match[] {
  const stack: { index: number; left: number }[] = [];
  return trades.flatMap((trade, index) => {
    if (!trade.isOwn) return [];
    if (trade.isPurchase) {
      stack.push({ index, left: trade.amount });
      return [];
    }
    const found: Match[] = [];
    for (let open = trade.amount; open > 0 && stack.length > 0; ) {
      const top = stack.at(-1) as { index: number; left: number };
      const amount = Math.min(open, top.left);
      found.push({ front: top.index, back: index, amount });
      open -= amount;
      top.left -= amount;
      if (top.left === 0) stack.pop();
    }
    return found;
  });
}

function positionsOf(trades: readonly Trade[]): readonly Position[] {
  const of = (index: number) => trades[index] as Trade;
  const matches = matchesOf(trades).filter(
    ({ front, back, amount }) => amount > TOLERANCE * Math.min(of(front).amount, of(back).amount),
  );
  const groups: Match[][] = [];
  for (const match of matches) {
    const joined = groups.filter((group) =>
      group.some(({ front, back }) => front === match.front || back === match.back),
    );
    for (const group of joined) groups.splice(groups.indexOf(group), 1);
    groups.push([...joined.flat(), match]);
  }
  return groups.flatMap((group) => {
    const front = Math.min(...group.map((one) => one.front));
    const back = Math.max(...group.map((one) => one.back));
    const hasVictim = trades.some(
      (trade, index) => !trade.isOwn && trade.isPurchase && index > front && index < back,
    );
    const extracted = group.reduce(
      (sum, one) =>
        sum +
        (of(one.back).paid * one.amount) / of(one.back).amount -
        (of(one.front).paid * one.amount) / of(one.front).amount,
      0,
    );
    return hasVictim ? [{ front, back, extracted }] : [];
  });
}

/** The same trades seen from the other token: a purchase of one is a sale of the other. */
const turned = (trades: readonly Trade[]): readonly Trade[] =>
  trades.map(({ isOwn, isPurchase, amount, paid }) => ({
    isOwn,
    isPurchase: !isPurchase,
    amount: paid,
    paid: amount,
  }));

const blocks = fc.array(
  fc.record({
    isOwn: fc.boolean(),
    isPurchase: fc.boolean(),
    amount: fc.constantFrom(2, 5, 60, 61, 100, 103, 160, 500),
    paid: fc.constantFrom(3, 59, 60, 65, 100, 108, 165),
  }),
  { minLength: 2, maxLength: 9 },
);

const swapsOf = (trades: readonly Trade[], block: number) =>
  trades.map(({ isOwn, isPurchase, amount, paid }, index) => ({
    chain: 'ethereum',
    block_number: block,
    observed_at: DAY + block,
    tx_index: index,
    tx_hash: `0x${(1_000 * block + index).toString(16)}`,
    swap_index: index,
    pool_id: 'p',
    sender: isOwn ? BOT : OTHER,
    token_in: isPurchase ? A : B,
    token_out: isPurchase ? B : A,
    amount_in: String(isPurchase ? paid : amount),
    amount_out: String(isPurchase ? amount : paid),
  }));

const shown = (block: unknown, { front, back, extracted }: Position) =>
  `${block} ${front} ${back} ${extracted.toFixed(6)}`;

test('random blocks have the positions of the model', async () => {
  const list = fc.sample(blocks, { numRuns: 1_500, seed: 3 });
  await world.landRows('mev_swap', list.flatMap(swapsOf));
  await world.compute({ start: DAY, end: DAY + 86_400, now: DAY + 86_399 });
  const rows = await world.rows(
    `select block_number, front_index, back_index, extracted from derived.mev_sandwich where sender = '${BOT}'`,
  );
  const found = rows.map((row) =>
    shown(row['block_number'], {
      front: Number(row['front_index']),
      back: Number(row['back_index']),
      extracted: Number(row['extracted']),
    }),
  );
  const expected = list.flatMap((trades, block) =>
    [...positionsOf(trades), ...positionsOf(turned(trades))].map((one) => shown(block, one)),
  );
  expect(expected.length).toBeGreaterThan(100);
  expect(found.sort()).toEqual(expected.sort());
});
