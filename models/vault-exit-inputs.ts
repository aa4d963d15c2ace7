// The published hours of a vault as inputs of an exit simulation: its total assets stand for the supply of a market, and what it could
// withdraw for what can be withdrawn there. Flows are in units of the asset, so that its price is no part of them.
import { HOUR_S } from '../platform/base/time.ts';
import type { ExitInputs } from '../schemas/analytics.ts';
import type { Vault } from '../schemas/vaults.ts';
import { roundTo, usd } from './rounding.ts';

/** Points of an hour each, by its start, with the values at its end; ascending. */
export interface VaultHours {
  readonly t: readonly number[];
  readonly withdrawable_usd: readonly (number | null)[];
  readonly total_assets: readonly (number | null)[];
  readonly total_assets_usd: readonly (number | null)[];
}

interface HourEnd {
  readonly hour: number;
  readonly supplied_usd: number;
  readonly withdrawable_usd: number;
  readonly assets: number;
  /** Units of the asset. */
  readonly withdrawable: number;
}

/** `asOf`: an hour that ends later is not over. */
export function vaultExitInputs(row: Vault, hours: VaultHours, asOf: number): ExitInputs {
  const { total_assets_usd: supplied, withdrawable_usd: withdrawable } = row;
  const isKnown = supplied !== null && withdrawable !== null;
  return {
    id: `vault:${row.chain}:${row.vault_address}`,
    ...{ chain: row.chain, market_id: row.vault_address, protocol: row.protocol, name: row.name },
    ...{ loan_symbol: row.asset_symbol?.toUpperCase() ?? null, collateral_symbol: null },
    observed_at: row.state_at ?? 0,
    ...{ supplied_usd: supplied, withdrawable_usd: withdrawable, depth_usd: null },
    borrowed_usd: isKnown ? usd(Math.max(0, supplied - withdrawable)) : null,
    utilization: isKnown && supplied > 0 ? roundTo(Math.max(0, 1 - withdrawable / supplied), 8) : null,
    hours: vaultExitHours(hours, asOf),
  };
}

/** The hours of which both ends are known and whose start has assets. `asOf`: an hour that ends later is not over. */
export function vaultExitHours(hours: VaultHours, asOf: number): ExitInputs['hours'] {
  const ends = hours.t.flatMap((_, index) => endOf(hours, index, asOf));
  const known = ends.flatMap((end, index) => {
    const before = ends[index - 1];
    return before === undefined || before.hour !== end.hour - HOUR_S ? [] : [{ before, end }];
  });
  return {
    hour: known.map(({ end }) => end.hour),
    flow: known.map(({ before, end }) =>
      roundTo((end.withdrawable - before.withdrawable) / before.assets, 12),
    ),
    utilization: known.map(({ before }) => roundTo(1 - before.withdrawable / before.assets, 8)),
    supplied_usd: known.map(({ before }) => before.supplied_usd),
    withdrawable_usd: known.map(({ before }) => before.withdrawable_usd),
  };
}

function endOf(hours: VaultHours, index: number, asOf: number): readonly HourEnd[] {
  const hour = hours.t[index] ?? 0;
  const withdrawable_usd = hours.withdrawable_usd[index] ?? null;
  const assets = hours.total_assets[index] ?? null;
  const supplied_usd = hours.total_assets_usd[index] ?? null;
  const isWhole =
    withdrawable_usd !== null && assets !== null && supplied_usd !== null && hour + HOUR_S <= asOf;
  if (!isWhole || !(assets > 0) || !(supplied_usd > 0)) return [];
  const withdrawable = (Math.min(withdrawable_usd, supplied_usd) / supplied_usd) * assets;
  return [{ hour, supplied_usd, withdrawable_usd, assets, withdrawable }];
}
