// Positions of one request share what is there, and cannot be more than that.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ETH_FALLS, SimulatorApi, SUPPLY } from './simulator-api.ts';

let api: SimulatorApi;

beforeAll(async () => {
  api = await SimulatorApi.start();
});
afterAll(() => api.stop());

const RESERVE = { kind: 'supply', market: 'ethereum:weth-usdc' };
const VAULT = { kind: 'vault', vault: 'ethereum:0xv' };
const POOL = { kind: 'pool', pool: 'ethereum:0xstable' };
const debtOf = (amount_usd: number) => ({
  kind: 'borrow',
  market: 'ethereum:weth-usdc',
  collateral: [{ asset: 'WETH', amount_usd: 1e9 }],
  debt: [{ asset: 'USDC', amount_usd }],
});
const run = (...positions: object[]) => api.run({ shocks: [ETH_FALLS], positions });

describe('an amount of exactly what exists is accepted, and a cent more is not', () => {
  test.each<[string, object[], object[], string, string]>([
    [
      'supply',
      [{ ...SUPPLY, amount_usd: 709_027.33 }],
      [{ ...SUPPLY, amount_usd: 709_027.34 }],
      'positions/0/amount_usd',
      '709027.33 USD are supplied to arbitrum:xusd-usdc',
    ],
    [
      'supply in two positions',
      [
        { ...SUPPLY, amount_usd: 709_000 },
        { ...SUPPLY, amount_usd: 27.33 },
      ],
      [
        { ...SUPPLY, amount_usd: 709_000 },
        { ...SUPPLY, amount_usd: 27.34 },
      ],
      'positions/1/amount_usd',
      '709027.33 USD are supplied to arbitrum:xusd-usdc, and the positions before it hold 709000.00 of them',
    ],
    [
      'shares of a vault',
      [{ ...VAULT, amount_usd: 1e7 }],
      [{ ...VAULT, amount_usd: 1e7 + 0.01 }],
      'positions/0/amount_usd',
      '10000000.00 USD are in the vault ethereum:0xv',
    ],
    [
      'supply next to a vault that is part of it',
      [
        { ...VAULT, amount_usd: 1e7 },
        { ...RESERVE, amount_usd: 92e6 },
      ],
      [
        { ...VAULT, amount_usd: 1e7 },
        { ...RESERVE, amount_usd: 92e6 + 0.01 },
      ],
      'positions/1/amount_usd',
      '100000000.00 USD are supplied to ethereum:weth-usdc, and the positions before it hold 8000000.00 of them',
    ],
    [
      'debt',
      [debtOf(9e7)],
      [debtOf(9e7 + 0.01)],
      'positions/0/debt/0/amount_usd',
      '90000000.00 USD are borrowed from ethereum:weth-usdc',
    ],
  ])('%s', async (_, exact, more, field, words) => {
    expect((await run(...exact)).status).toBe(200);
    const { status, error } = await run(...more);
    expect([status, error.code]).toEqual([400, 'validation_failed']);
    expect(error.details.fields).toEqual([{ field, problem: `is more than exists: ${words}` }]);
  });

  test('shares of a pool, by the price of one of its coins', async () => {
    // 4 M USDC and 6 M DAI, of which only USDC has a price. DAI is plentiful, so the pool values it at a little less.
    expect((await run({ ...POOL, amount_usd: 9.9e6 })).status).toBe(200);
    const { error } = await run({ ...POOL, amount_usd: 1e7 });
    expect(error.message).toMatch(
      /^positions\/0\/amount_usd is more than exists: 99\d{5}\.\d\d USD are in the pool ethereum:0xstable\.$/,
    );
  });

  test('a refused run is not charged', async () => {
    const before = (await api.run({ shocks: [ETH_FALLS], positions: [SUPPLY] }, 'careless')).headers;
    await api.run({ shocks: [ETH_FALLS], positions: [{ ...SUPPLY, amount_usd: 1e12 }] }, 'careless');
    const after = (await api.run({ shocks: [ETH_FALLS], positions: [SUPPLY] }, 'careless')).headers;
    expect(after.get('x-quota-remaining')).toBe(before.get('x-quota-remaining'));
  });
});

describe('what is there once', () => {
  const depeg = [
    { kind: 'price', subject: 'XUSD', path: [[0, 0.242 / 1.264]] },
    { kind: 'oracle_freeze', subject: 'XUSD', path: [[0, 0]] },
  ];
  const lossOf = async (positions: readonly object[], assumptions: object = {}) =>
    (await api.run({ shocks: depeg, positions, assumptions })).json.data.totals.loss_usd;

  test('is shared by the positions, however they are written down', async () => {
    const one = await lossOf([{ ...SUPPLY, amount_usd: 600_000 }]);
    const parts = [1, 2, 3].map((index) => ({ ...SUPPLY, id: `part ${index}`, amount_usd: 200_000 }));
    expect(await lossOf(parts)).toBeCloseTo(one, 1);
    expect(one).toBeCloseTo((600_000 * 553_273.83) / 709_027.33, 2);
  });

  test('is also what a vault and a supplier next to it can withdraw', async () => {
    const { data } = (await run({ ...RESERVE, amount_usd: 92e6 }, { ...VAULT, amount_usd: 1e7 })).json;
    // 10 M of 100 M are free: 9.2 M for the supplier, and .8 M next to the vault’s idle million.
    expect(
      data.positions.map(({ before }: { before: { withdrawable_usd: number } }) => before.withdrawable_usd),
    ).toEqual([9.2e6, 1.8e6]);
  });

  test('goes to the positions first only if the caller assumes so, which is another run', async () => {
    const ask = (first_to_leave?: boolean) =>
      api.run({
        shocks: [ETH_FALLS],
        positions: [{ ...RESERVE, amount_usd: 5e6 }],
        ...(first_to_leave === undefined ? {} : { assumptions: { first_to_leave } }),
      });
    const [usual, first, never] = [await ask(), await ask(true), await ask(false)];
    expect(usual.json.data.positions[0].before.withdrawable_usd).toBe(5e5);
    expect(first.json.data.positions[0].before.withdrawable_usd).toBe(5e6);
    expect(first.json.data.assumed).toEqual(['assumptions/first_to_leave']);
    expect(first.json.data.seed).not.toBe(usual.json.data.seed);
    expect(never.json).toEqual(usual.json);
  });
});

test('a market that reports more liquidity than is left of its supply has what is left', async () => {
  const { data } = (await run({ kind: 'supply', market: 'ethereum:odd-usdc', amount_usd: 10_607 })).json;
  expect(data.positions[0].before.withdrawable_usd).toBe(934);
  expect(data.warnings).toContain(
    'withdrawable_limited: ethereum:odd-usdc reports 3440000.00 USD as withdrawable, which is more than is supplied and not borrowed; the latter is used',
  );
});
