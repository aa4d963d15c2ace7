// What is read of a demo vault's contract and what is reported of its holdings agree: the same markets, the same dollars, the same whole.
import { expect, test } from 'vitest';
import { exposureDemoSources } from '../../../../jobs/sources/demo/exposure.ts';
import { demoMarkets, demoVaults } from '../../../../jobs/sources/demo/scenario/lending-markets.ts';
import { vaultsDemoSources } from '../../../../jobs/sources/demo/vaults.ts';
import { demoPools } from '../../../../jobs/sources/demo/yields-catalogue.ts';
import { rowsOf, testPromises } from './cuts.ts';
import { STARTED_AT, settings } from './expand-rows.ts';

type Row = Readonly<Record<string, unknown>>;

/** Of a dollar: amounts are whole units of the asset, dollars are doubles. */
const ROUNDING = 1e-6;
const SETTINGS = settings({ days: 9 });
const ALL = { from: -1, to: STARTED_AT };
const NAMES = new Map(
  demoVaults(SETTINGS.seed, demoMarkets(SETTINGS)).map(({ vault_address, name }) => [vault_address, name]),
);

const [states, positions, allocations] = await Promise.all(
  [...vaultsDemoSources(SETTINGS), exposureDemoSources(SETTINGS)[0]].map((source) => rowsOf(source, ALL)),
);
const keyOf = ({ vault_address, observed_at }: Row) => `${vault_address} ${observed_at}`;
const byReading = (rows: readonly Row[] = []) => Map.groupBy(rows, keyOf);
const [positionsOf, allocationsOf] = [byReading(positions), byReading(allocations)];

const nameOf = ({ vault_address }: Row) => NAMES.get(String(vault_address)) ?? null;
const namesOf = (rows: readonly Row[] = []) => [...new Set(rows.map(nameOf))].sort();

// Positions come of the same hours as states.
testPromises((changed) => vaultsDemoSources(changed).slice(0, 1));

test('a vault is reported at every instant at which its positions are read, and one is known by its reports alone', () => {
  expect([...positionsOf.keys()].filter((key) => !allocationsOf.has(key))).toEqual([]);
  const alone = [...allocationsOf].filter(([key]) => !positionsOf.has(key)).flatMap(([, rows]) => rows);
  expect(namesOf(alone)).toEqual(['Lantern USDC Credit']);
  const silent = [...NAMES.values()].filter((name) => !namesOf(allocations).includes(name));
  expect(silent).toEqual(['Dormant USDC', null]);
});

test('each holding is worth the same by both, and so is the whole', () => {
  expect(positions?.length).toBeGreaterThan(1_000);
  for (const state of states ?? []) {
    const own = positionsOf.get(keyOf(state)) ?? [];
    const usdOf = (assets: unknown) =>
      (Number(assets) / 10 ** Number(state['asset_decimals'])) * Number(state['asset_price_usd']);
    const idle = Number(state['idle_assets'] ?? 0);
    const read = [
      ...own.map(({ held_kind, held, assets }) => [`${held_kind} ${held}`, usdOf(assets)] as const),
      ...(idle > 0 ? [['asset USDC', usdOf(idle)] as const] : []),
    ];
    const reported = allocationsOf.get(keyOf(state)) ?? [];
    expect(reported.map(({ held_kind, held }) => `${held_kind} ${held}`)).toEqual(read.map(([held]) => held));
    for (const [index, row] of reported.entries()) {
      expect(Math.abs(Number(row['value_usd']) - (read[index]?.[1] ?? 0))).toBeLessThan(ROUNDING);
      expect(Math.abs(Number(row['vault_total_usd']) - usdOf(state['real_assets']))).toBeLessThan(ROUNDING);
    }
  }
});

test('what a vault quotes differs from what it holds only by what its state names', () => {
  const differing = (states ?? []).filter((row) => row['total_assets'] !== row['real_assets']);
  expect(namesOf(differing)).toEqual(['Anchor USDC Prime', 'Lantern USDC Flex']);
  for (const row of differing) {
    const [quoted, real] = [BigInt(String(row['total_assets'])), BigInt(String(row['real_assets']))];
    if (quoted < real) expect(row['undistributed_assets']).toBe((real - quoted).toString());
    else expect(nameOf(row)).toBe('Anchor USDC Prime');
  }
});

test('reports explain the whole of every vault but the one that is known by them alone', () => {
  const shares = [...allocationsOf.values()].map((rows) => {
    const sum = rows.reduce((total, { value_usd }) => total + Number(value_usd), 0);
    return [nameOf(rows[0] ?? {}), (sum / Number(rows[0]?.['vault_total_usd'])).toFixed(9)];
  });
  const partial = shares.filter(([, share]) => share !== '1.000000000');
  expect([...new Set(partial.map(String))]).toEqual(['Lantern USDC Credit,0.880000000']);
});

test('yields are those of as many dollars as a vault holds, but for the hour', () => {
  const last = new Map(states?.map((state) => [state['vault_address'], state]));
  const pools = demoPools(SETTINGS).filter(({ pool_id }) => NAMES.has(pool_id));
  expect(pools).toHaveLength(6);
  for (const { pool_id, tvl_usd } of pools) {
    const state = last.get(pool_id);
    const usd =
      (Number(state?.['real_assets']) / 10 ** Number(state?.['asset_decimals'])) *
      Number(state?.['asset_price_usd']);
    expect(Math.abs(tvl_usd / usd - 1)).toBeLessThan(0.03);
  }
});

test('one vault holds part of another, and no vault holds more of it than it has', () => {
  const inside = (allocations ?? []).filter(({ held_kind }) => held_kind === 'vault');
  expect(namesOf(inside)).toEqual(['Anchor USDC V2']);
  for (const { held, observed_at, value_usd } of inside) {
    const [inner] = allocationsOf.get(`${held} ${observed_at}`) ?? [];
    expect(Number(value_usd)).toBeLessThan(Number(inner?.['vault_total_usd']));
  }
});
