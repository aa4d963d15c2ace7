import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ETH_FALLS, SimulatorApi, SUPPLY } from './simulator-api.ts';

let api: SimulatorApi;

beforeAll(async () => {
  api = await SimulatorApi.start();
});
afterAll(() => api.stop());

const run = (body: unknown, org?: string) => api.run(body, org);

describe('bad input', () => {
  const shock = (more: object) => ({ shocks: [{ ...ETH_FALLS, ...more }], positions: [SUPPLY] });
  const position = (...positions: object[]) => ({ shocks: [ETH_FALLS], positions });
  test.each<[string, unknown, string]>([
    ['neither scenario nor shocks', { positions: [SUPPLY] }, 'scenario_id'],
    ['both', { scenario_id: 'usdc_2023', shocks: [ETH_FALLS], positions: [SUPPLY] }, 'scenario_id'],
    ['no positions', { shocks: [ETH_FALLS], positions: [] }, 'positions'],
    [
      '101 positions',
      position(...Array.from({ length: 101 }, (_, i) => ({ ...SUPPLY, amount_usd: i + 1 }))),
      'positions',
    ],
    [
      '21 shocks',
      {
        shocks: Array.from({ length: 21 }, (_, i) => ({ ...ETH_FALLS, subject: `A${i}` })),
        positions: [SUPPLY],
      },
      'shocks',
    ],
    ['the same position twice', position(SUPPLY, SUPPLY), 'positions/1'],
    [
      'one id twice',
      position({ ...SUPPLY, id: 'a' }, { ...SUPPLY, id: 'a', amount_usd: 1 }),
      'positions/1/id',
    ],
    ['an amount of 1e300', position({ ...SUPPLY, amount_usd: 1e300 }), 'positions/0/amount_usd'],
    ['a negative amount', position({ ...SUPPLY, amount_usd: -1 }), 'positions/0/amount_usd'],
    ['an amount of 0', position({ ...SUPPLY, amount_usd: 0 }), 'positions/0/amount_usd'],
    ['an amount in a string', position({ ...SUPPLY, amount_usd: '1' }), 'positions/0/amount_usd'],
    ['no amount', position({ kind: 'supply', market: SUPPLY.market }), 'positions/0/amount_usd'],
    [
      'debt of a supplier',
      position({ ...SUPPLY, debt: [{ asset: 'A', amount_usd: 1 }] }),
      'positions/0/debt',
    ],
    ['an unknown market', position({ ...SUPPLY, market: 'ethereum:nope' }), 'positions/0/market'],
    [
      'an unknown vault',
      position({ kind: 'vault', vault: 'ethereum:nope', amount_usd: 1 }),
      'positions/0/vault',
    ],
    ['an unknown pool', position({ kind: 'pool', pool: 'ethereum:nope', amount_usd: 1 }), 'positions/0/pool'],
    ['an unknown kind', position({ ...SUPPLY, kind: 'short' }), 'positions/0/kind'],
    [
      'a loan without rules',
      position({
        kind: 'borrow',
        collateral: [{ asset: 'ETH', amount_usd: 1 }],
        debt: [{ asset: 'USDC', amount_usd: 1 }],
      }),
      'positions/0/rules',
    ],
    [
      'hours that go back',
      shock({
        path: [
          [5, 1],
          [4, 1],
        ],
      }),
      'shocks/0/path/1',
    ],
    [
      'an hour twice',
      shock({
        path: [
          [5, 1],
          [5, 0.5],
        ],
      }),
      'shocks/0/path/1',
    ],
    ['half an hour', shock({ path: [[0.5, 1]] }), 'shocks/0/path/0/0'],
    ['hour 721', shock({ path: [[721, 1]] }), 'shocks/0/path/0/0'],
    ['three numbers', shock({ path: [[0, 1, 2]] }), 'shocks/0/path/0'],
    ['a negative factor', shock({ path: [[0, -0.1]] }), 'shocks/0/path/0/1'],
    ['a factor of 1e300', shock({ path: [[0, 1e300]] }), 'shocks/0/path/0/1'],
    ['half a frozen oracle', shock({ kind: 'oracle_freeze', path: [[0, 0.5]] }), 'shocks/0/path/0'],
    ['a path without points', shock({ path: [] }), 'shocks/0/path'],
    ['an unknown shock', shock({ kind: 'moon' }), 'shocks/0/kind'],
    [
      'two prices of one asset',
      { shocks: [ETH_FALLS, { ...ETH_FALLS, subject: 'eth', path: [[0, 2]] }], positions: [SUPPLY] },
      'shocks/1',
    ],
    [
      'all prices and one',
      { shocks: [ETH_FALLS, { ...ETH_FALLS, subject: '*' }], positions: [SUPPLY] },
      'shocks/1',
    ],
    [
      'withdrawable and utilisation',
      {
        shocks: [
          { kind: 'withdrawable', subject: SUPPLY.market, path: [[0, 1]] },
          { kind: 'utilization', subject: SUPPLY.market, path: [[0, 1]] },
        ],
        positions: [SUPPLY],
      },
      'shocks/1',
    ],
    [
      'a subject for certain assets',
      { scenario_id: 'usdc_2023', subject: 'DAI', positions: [SUPPLY] },
      'subject',
    ],
    ['a horizon of 721', { ...position(SUPPLY), horizon_hours: 721 }, 'horizon_hours'],
    ['a horizon of 0', { ...position(SUPPLY), horizon_hours: 0 }, 'horizon_hours'],
    ['a seed of 2^53', { ...position(SUPPLY), seed: 2 ** 53 }, 'seed'],
    ['an unknown asset', shock({ subject: 'NOSUCHCOIN' }), 'shocks/0/subject'],
    [
      'an unknown market of a shock',
      shock({ kind: 'withdrawable', subject: 'ethereum:nope' }),
      'shocks/0/subject',
    ],
    ['an unknown member', { ...position(SUPPLY), paths: 5 }, 'paths'],
  ])('%s is refused', async (_, body, field) => {
    const { status, error } = await run(body);
    expect([status, error.code], JSON.stringify(error)).toEqual([400, 'validation_failed']);
    expect(error.details.fields[0].field).toBe(field);
  });

  test.each(['{"shocks":[{"kind":"price","subject":"ETH","path":[[0,NaN]]}]}', '{', '[]', 'null'])(
    '%s is not a request',
    async (body) => {
      const { status } = await run(body);
      expect(status).toBe(400);
    },
  );

  test('Infinity written as a number is refused', async () => {
    const { status } = await run(
      `{"shocks":[{"kind":"price","subject":"ETH","path":[[0,1e999]]}],"positions":[]}`,
    );
    expect(status).toBe(400);
  });

  test('is free', async () => {
    const key = 'careless';
    await run({ positions: [] }, key);
    const { headers } = await run({ shocks: [ETH_FALLS], positions: [SUPPLY] }, key);
    expect(headers.get('x-quota-remaining')).toBe('199');
  });
});
