// The hours of a vault as inputs of an exit simulation: flows without the price, missing hours, and hours that are not over.
import { expect, test } from 'vitest';
import { vaultExitInputs } from '../../models/vault-exit-inputs.ts';
import { made } from './made-vaults.ts';

const HOUR = 3_600;
const { row } = made({ address: '0xv', at: [{ in: 'a', own: 1_000, cash: 400 }] });
const published = { ...row, total_assets_usd: 2_000, withdrawable_usd: 800, protocol: null, name: null };
const hoursOf = (
  points: readonly (readonly [hour: number, out: number | null, assets: number | null, price: number])[],
) => ({
  t: points.map(([hour]) => hour * HOUR),
  withdrawable_usd: points.map(([, out, , price]) => (out === null ? null : out * price)),
  total_assets: points.map(([, , assets]) => assets),
  total_assets_usd: points.map(([, , assets, price]) => (assets === null ? null : assets * price)),
});

test('a flow is the change of what can be withdrawn over the hour, in units of the asset, as a share of the assets before', () => {
  const hours = hoursOf([
    [1, 400, 1_000, 2],
    [2, 300, 1_000, 1],
    [3, 350, 900, 4],
  ]);
  expect(vaultExitInputs(published, hours, 4 * HOUR)).toMatchObject({
    ...{ id: 'vault:ethereum:0xv', market_id: '0xv', loan_symbol: 'USDC', depth_usd: null },
    ...{ supplied_usd: 2_000, borrowed_usd: 1_200, withdrawable_usd: 800, utilization: 0.6 },
    hours: {
      hour: [2 * HOUR, 3 * HOUR],
      flow: [-0.1, 0.05],
      utilization: [0.6, 0.7],
      supplied_usd: [2_000, 1_000],
      withdrawable_usd: [800, 300],
    },
  });
});

test('an hour is known if both of its ends are, and it is over', () => {
  const hours = hoursOf([
    [1, 400, 1_000, 1],
    [2, null, 1_000, 1],
    [3, 400, 1_000, 1],
    [4, 400, 1_000, 1],
    [6, 400, 1_000, 1],
    [7, 400, null, 1],
    [8, 400, 1_000, 1],
    [9, 400, 1_000, 1],
  ]);
  expect(vaultExitInputs(published, hours, 9 * HOUR + 1).hours.hour).toEqual([4 * HOUR]);
  expect(vaultExitInputs(published, hours, 10 * HOUR).hours.hour).toEqual([4 * HOUR, 9 * HOUR]);
});

test('an empty vault has no hours, and what is not known of its state stays unknown', () => {
  const empty = hoursOf([
    [1, 0, 0, 1],
    [2, 0, 0, 1],
  ]);
  const unknown = { ...published, withdrawable_usd: null };
  expect(vaultExitInputs(unknown, empty, 9 * HOUR)).toMatchObject({
    ...{ supplied_usd: 2_000, withdrawable_usd: null, borrowed_usd: null, utilization: null },
    hours: { hour: [], flow: [] },
  });
});
