// Amounts of the exit of one holder from a vault, in units of its asset. Null if something that an amount needs is not known.
import type { Vault } from '../schemas/vaults.ts';
import { flowOf, type Holding, isReachKnown, keyOf, ROUNDING, type SetVault } from './vault-flow.ts';

export interface ExitPosition {
  readonly vault: SetVault;
  /** Any published vault, by `<chain>|<address>`: for vaults that it holds. */
  readonly vaultOf: (key: string) => SetVault | undefined;
  /** What the contract quotes for it. */
  readonly assets: number | null;
  /** What could be withdrawn from the whole vault if no one else withdrew. */
  readonly withdrawable: number | null;
  /** The share of every market's cash that belongs to the whole vault. */
  readonly shared: number | null;
  /** All positions of the vault are known. */
  readonly isComplete: boolean;
}

const least = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? null : Math.min(a, b);

/** Of the position at once: if no one else leaves, if everyone does, and if all other holders leave first. */
export function atOnce({ vault, assets, withdrawable, shared }: ExitPosition) {
  const total = vault.row.total_assets;
  const alone = least(assets, withdrawable);
  if (assets === null || total === null || total <= 0 || alone === null || withdrawable === null)
    return { alone, shared: null, last: null };
  return {
    alone,
    shared: shared === null ? null : Math.min(alone, (assets * Math.min(shared, withdrawable)) / total),
    last: Math.min(alone, Math.max(0, withdrawable - (total - assets))),
  };
}

export const allOf = ({ holdings }: SetVault): readonly Holding[] => holdings?.holdings ?? [];

const limitsOf = ({ vault, vaultOf }: ExitPosition, leaves: number) => ({
  members: new Map([[keyOf(vault.row), vault]]),
  vaultOf,
  leaves: () => leaves,
});

/** What cannot leave at once, by what it waits for: as if everything lent came back. */
export function waits(position: ExitPosition) {
  const { vault, assets, isComplete } = position;
  const alone = least(assets, position.withdrawable);
  if (assets === null || alone === null) return { cash: null, allocator: null, unbacked: null };
  const limits = { ...limitsOf(position, assets), isRepaid: true };
  const reached = Math.max(alone, flowOf([vault], limits));
  const cash = reached - alone;
  if (!isComplete) return { cash, allocator: null, unbacked: null };
  const backed = Math.max(reached, flowOf([vault], { ...limits, through: allOf }));
  const unbacked = assets - backed;
  return unbacked > assets * ROUNDING
    ? { cash, allocator: backed - reached, unbacked }
    : { cash, allocator: assets - reached, unbacked: 0 };
}

/** Forced withdrawals of what cannot leave at once. Each unit costs its penalty, so who has 1 + penalty receives 1. */
export function forced(position: ExitPosition): {
  readonly received: number | null;
  readonly cost: number | null;
  readonly gap?: 'market_state_unknown' | 'not_forceable' | 'penalty_unknown';
} {
  const { vault, assets, withdrawable } = position;
  const { kind, chain, force_penalty: penalty, force_withdrawable_assets: limit } = vault.row;
  const nothing = { received: null, cost: null };
  if (kind !== 'morpho_v2') return { ...nothing, gap: 'not_forceable' };
  const limits = { ...limitsOf(position, Number.MAX_VALUE), through: allOf };
  const isKnown = allOf(vault).every((one) => one.assets === 0 || isReachKnown(chain, one, limits));
  if (limit === null || !isKnown) return { ...nothing, gap: 'market_state_unknown' };
  if (assets === null || withdrawable === null) return nothing;
  const free = Math.min(limit, Math.max(0, flowOf([vault], limits) - withdrawable));
  const rest = Math.max(0, assets - withdrawable);
  if (free === 0 || rest === 0) return { received: 0, cost: 0 };
  if (penalty === null) return { ...nothing, gap: 'penalty_unknown' };
  const received = Math.min(free, rest / (1 + penalty));
  return { received, cost: received * penalty };
}

/** Losses of the whole vault that its quote does not show: without backing, and bad debt that is not written off. */
export function lossOf({ total_assets, coverage, asset_price_usd }: Vault, debt_usd: number | null) {
  if (total_assets === null || coverage === null || debt_usd === null) return null;
  if (debt_usd > 0 && (asset_price_usd === null || asset_price_usd <= 0)) return null;
  const debt = debt_usd === 0 ? 0 : debt_usd / (asset_price_usd ?? 1);
  return total_assets - total_assets * Math.min(1, coverage) + debt;
}

/** What the position is worth if all holders bear a loss equally, and if it is the last one and bears all of it. */
export function worth({ vault, assets }: ExitPosition, loss: number | null) {
  const total = vault.row.total_assets;
  if (assets === null || total === null || total <= 0 || loss === null) return { equal: null, last: null };
  return {
    equal: Math.max(0, assets - (loss * assets) / total),
    last: Math.max(0, assets - loss),
  };
}
