// A vault and its delayed changes as the pages read them, and in words what is wrong with a vault and why a figure is missing.
import { html, type TemplateResult } from 'lit-html';
import { caption, dollars, isKnown, percent } from './format.ts';

export interface VaultState {
  readonly chain: string;
  readonly vault_address: string;
  readonly name: string | null;
  readonly protocol: string | null;
  readonly kind: string | null;
  readonly has_metadata: boolean;
  readonly asset_symbol: string | null;
  readonly curator: string | null;
  readonly curator_name: string | null;
  readonly total_assets_usd: number | null;
  readonly share_price: string | null;
  readonly backed_share_price: string | null;
  readonly coverage: number | null;
  readonly net_apy_7d_pct: number | null;
  readonly withdrawable_usd: number | null;
  readonly withdrawable_shared_usd: number | null;
  readonly withdrawable_share: number | null;
  readonly force_withdrawable_usd: number | null;
  readonly reallocatable_usd: number | null;
  readonly unrealised_bad_debt_low_usd: number | null;
  readonly unrealised_bad_debt_high_usd: number | null;
  readonly is_gated: boolean | null;
  readonly is_liquidity_low: boolean | null;
  readonly pending_changes: number | null;
  readonly next_executable_at: number | null;
  readonly flags: readonly string[];
  readonly gaps: readonly string[];
  readonly state_at: number | null;
  readonly state_status: string;
}

/** A change in `vault-changes`. */
export interface DelayedChange {
  readonly chain: string;
  readonly vault_address: string;
  readonly vault_name: string | null;
  readonly statement: string;
  readonly status: string;
  readonly severity: string;
  readonly executable_at: number | null;
  readonly executable_by: string;
  readonly can_revoke: readonly string[];
  readonly is_not_final: boolean;
}

/** Amounts of a set or of its vaults with one asset, USD. */
export interface VaultAmounts {
  readonly vaults: number;
  readonly total_assets_usd: number | null;
  readonly held_twice_usd: number | null;
  readonly withdrawable_usd: number | null;
  readonly unrealised_bad_debt_low_usd: number | null;
  readonly unrealised_bad_debt_high_usd: number | null;
  readonly gaps: readonly string[];
}

export interface AssetTotals extends VaultAmounts {
  readonly chain: string;
  readonly asset_address: string | null;
  readonly asset_symbol: string | null;
}

export interface VaultTotals extends VaultAmounts {
  readonly assets: readonly AssetTotals[];
  readonly unknown: readonly {
    readonly chain: string | null;
    readonly vault_address: string;
    readonly gaps: readonly string[];
  }[];
  readonly unknown_vaults: number;
  readonly oldest_state_at: number | null;
  readonly state_status: string;
}

const FLAGS: Readonly<Record<string, string>> = {
  donated: 'Its price rose more than interest can explain in the last 90 days.',
  held_twice: 'Part of its assets is in another vault of this list.',
  kind_changed: 'Its contract or its decimals changed in the last 90 days.',
  price_fell: 'Its share price fell in the last 90 days.',
  price_reset: 'It was empty in the last 90 days, and its price started again.',
  rate_limited: 'It holds gains that it distributes only slowly.',
  unseeded: 'It is so small that its price is noise.',
};

const GAPS: Readonly<Record<string, string>> = {
  apy_history_missing: 'it was not observed long enough for every APY',
  apy_price_broke: 'its price broke within the period of an APY',
  apy_too_small: 'it holds too little for an APY',
  bad_debt_unknown: 'bad debt is not known of every market',
  changes_unknown: 'its logs and its contracts do not tell',
  decimals_unknown: 'its decimals were not read',
  held_vault_unknown: 'a vault that it holds was not read',
  market_state_unknown: 'the liquidity of a market is not known',
  no_state: 'its state was never read',
  positions_missing: 'not every position was read',
  price_unknown: 'no source prices its asset',
  real_assets_unknown: 'what backs its shares was not read',
  share_price_unknown: 'its totals were not read',
  total_assets_unknown: 'its source states a share price alone',
};
export const gapText = (name: string): string => GAPS[name] ?? caption(name);

/** Its source is overdue, or reports it no more. */
const isOld = ({ state_at, state_status }: VaultState): boolean =>
  isKnown(state_at) && state_status !== 'fresh';

const isLossUnknown = ({ gaps }: VaultState): boolean => gaps.includes('bad_debt_unknown');

/** The largest share that does not read as all. */
const ALMOST_ALL = 0.9999;

/** What is wrong, worst first; what is not known about that is among it. */
export function troublesOf(vault: VaultState): readonly string[] {
  const { coverage, unrealised_bad_debt_low_usd: low } = vault;
  return [
    ...(isKnown(coverage) && coverage < 1
      ? [`Only ${percent(Math.min(coverage, ALMOST_ALL), 2)} of what it quotes is backed.`]
      : []),
    ...(isKnown(low) && low > 0
      ? [`At least ${dollars(low)} of what it lent is not covered by collateral, and not written off.`]
      : []),
    ...(isLossUnknown(vault) ? ['How much of what it lent is not covered is not known.'] : []),
    ...(vault.is_liquidity_low === true
      ? ['Too little can be withdrawn, of its assets or for the loans that its shares secure.']
      : []),
    ...(vault.is_gated === true ? ['A contract decides who may leave.'] : []),
    ...(isOld(vault) ? ['Its state is not current.'] : []),
    ...(isKnown(vault.pending_changes)
      ? []
      : [`Whether a change is waiting is not known: ${gapText('changes_unknown')}.`]),
    ...(vault.gaps.includes('sources_disagree') ? ['Its sources state different prices.'] : []),
    ...vault.flags.flatMap((flag) => FLAGS[flag] ?? []),
  ];
}

export const troublesView = (all: readonly string[]): TemplateResult =>
  html`${all.map((one) => html`<p class="trouble" role="status"><span data-derived>${one}</span></p>`)}`;

/** Losses, then what keeps from leaving, then what is not known of either, then everything else that is wrong, then no known trouble. */
export function troubleRank(vault: VaultState): number {
  if ((vault.coverage ?? 1) < 1 || (vault.unrealised_bad_debt_low_usd ?? 0) > 0) return 0;
  if (vault.is_liquidity_low === true || vault.is_gated === true) return 1;
  if (!isKnown(vault.state_at) || isOld(vault) || isLossUnknown(vault)) return 2;
  return troublesOf(vault).length > 0 ? 3 : 4;
}
