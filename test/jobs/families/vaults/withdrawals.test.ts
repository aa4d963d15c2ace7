// What can be withdrawn from vaults that share markets, from landed rows to figures, against a model that sums market by market; and what
// is left of the figures when inputs are removed.
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { vaults } from '../../../../jobs/families/vaults/domain.ts';
import { type DomainWorld, openDomainWorld } from '../../../support/domain-world.ts';
import { neededFor } from '../../../support/needed-models.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const DAY = 86_400;
const START = 20_000 * DAY;
const AT = START + 3_600;
const UNIT = 1_000_000;

let world: DomainWorld;
beforeAll(async () => {
  const others = neededFor({ datasets: ['vaults'] }).filter(({ id }) => id !== vaults.id);
  world = await openDomainWorld(
    neededFor({ datasets: ['vaults'] }).find(({ id }) => id === vaults.id) ?? vaults,
    others,
  );
});
afterAll(() => world.close());

interface Position {
  readonly market: number;
  readonly own: number;
  readonly isLiquid: boolean;
}
interface Holder {
  readonly name: string;
  readonly kind: 'morpho_v1_1' | 'morpho_v2';
  readonly idle: number;
  readonly positions: readonly Position[];
}

/** Supply and cash of each market; its suppliers together have no more than the supply. */
const MARKETS = [
  [1_000_000, 0],
  [1_000_000, 3],
  [500_000, 250_000],
  [2_000_000, 2_000_000],
] as const;

const holder = fc.record({
  kind: fc.constantFrom('morpho_v1_1' as const, 'morpho_v2' as const),
  idle: fc.nat({ max: 1_000 }),
  positions: fc.uniqueArray(
    fc.record({
      market: fc.nat({ max: MARKETS.length - 1 }),
      own: fc.nat({ max: 10_000 }),
      isLiquid: fc.boolean(),
    }),
    { selector: ({ market }) => market, maxLength: MARKETS.length },
  ),
});

const holders = (): readonly Holder[] =>
  fc.sample(holder, { numRuns: 60, seed: 11 }).map(({ idle, ...one }, index) => ({
    ...one,
    name: `0x${index}`,
    idle: one.kind === 'morpho_v2' ? idle : 0,
  }));

const totalOf = ({ idle, positions }: Holder): number => positions.reduce((sum, { own }) => sum + own, idle);
const cashOf = (market: number): number => MARKETS[market]?.[1] ?? 0;
const supplyOf = (market: number): number => MARKETS[market]?.[0] ?? 1;

/** Alone and shared, in units. */
function expected({ kind, idle, positions }: Holder): readonly [number, number] {
  const reached = positions.filter(({ isLiquid }) => kind === 'morpho_v1_1' || isLiquid);
  return [
    reached.reduce((sum, { market, own }) => sum + Math.min(own, cashOf(market)), idle),
    positions.reduce((sum, { market, own }) => sum + (own * cashOf(market)) / supplyOf(market), idle),
  ];
}

const digits = (units: number): string => String(units * UNIT);

const stateRow = (one: Holder, observed_at: number) => ({
  ...{ chain: 'ethereum', vault_address: one.name, observed_at, kind: one.kind },
  ...{ asset_decimals: 6, share_decimals: 18, performance_fee: '0', management_fee: '0' },
  total_assets: digits(totalOf(one)),
  total_supply: `${digits(totalOf(one))}000000000000`,
  real_assets: digits(totalOf(one)),
  idle_assets: digits(one.idle),
  position_count: one.positions.length,
  asset_price_usd: 1,
});

const positionRow = (one: Holder, { market, own, isLiquid }: Position, observed_at: number) => ({
  ...{ chain: 'ethereum', vault_address: one.name, observed_at, held_kind: 'market', held: `0xm${market}` },
  assets: digits(own),
  queue_index: one.kind === 'morpho_v1_1' ? market : null,
  is_liquidity: one.kind === 'morpho_v2' ? isLiquid : null,
  market_supply: digits(supplyOf(market)),
  market_cash: digits(cashOf(market)),
});

async function figures(observed_at: number) {
  await world.compute({ start: START, end: START + DAY, now: START + DAY - 1 });
  const rows = await world.rows(
    `select vault_address, withdrawable, withdrawable_shared, total_assets, backed_share_price is null as is_unbacked, gaps
     from derived.vault_point where observed_at = ${observed_at}`,
  );
  return new Map(rows.map((row) => [String(row['vault_address']), row]));
}

test('what can be withdrawn is the sum over markets, within assets and cash; shared is never more than alone of all markets', async () => {
  const all = holders();
  await world.landRows(
    'vault_state',
    all.map((one) => stateRow(one, AT)),
  );
  await world.landRows(
    'vault_position',
    all.flatMap((one) => one.positions.map((held) => positionRow(one, held, AT))),
  );
  const found = await figures(AT);
  for (const one of all) {
    const row = found.get(one.name);
    const [alone, shared] = expected(one);
    expect(Number(row?.['withdrawable']), one.name).toBeCloseTo(alone, 6);
    expect(Number(row?.['withdrawable_shared']), one.name).toBeCloseTo(shared, 6);
    expect(Number(row?.['withdrawable'])).toBeLessThanOrEqual(totalOf(one));
    const reachable = one.positions.reduce((sum, { market }) => sum + cashOf(market), one.idle);
    expect(Number(row?.['withdrawable'])).toBeLessThanOrEqual(reachable);
  }
});

test('without an input a figure is unknown and a gap is named; nothing becomes larger', async () => {
  const all = holders().filter(({ positions }) => positions.some(({ own }) => own > 0));
  const later = AT + 60;
  const removed = ['assets', 'market_cash', 'market_supply', 'queue_index', 'is_liquidity', null] as const;
  await world.landRows(
    'vault_state',
    all.map((one) => stateRow(one, later)),
  );
  await world.landRows(
    'vault_position',
    all.flatMap((one, index) => {
      const gone = removed[index % removed.length];
      const rows = one.positions.map((held) => positionRow(one, held, later));
      const first = one.positions.findIndex(({ own }) => own > 0);
      if (gone === null) return rows.filter((_, turn) => turn !== first);
      return rows.map((row, turn) => (turn === first && gone !== undefined ? { ...row, [gone]: null } : row));
    }),
  );
  const found = await figures(later);
  for (const one of all) {
    const row = found.get(one.name);
    expected(one).forEach((whole, index) => {
      const left = row?.[index === 0 ? 'withdrawable' : 'withdrawable_shared'];
      if (left === null) expect(row?.['gaps'], one.name).not.toBe('');
      else expect(Number(left), one.name).toBeLessThanOrEqual(whole + 1e-6);
    });
  }
});
