// What is wrong with one vault: what backs its shares, what can be withdrawn, what is about to change.
import { html, nothing, type TemplateResult } from 'lit-html';
import { target } from './api.ts';
import { type Figure, figures } from './figures.ts';
import {
  age,
  badge,
  caption,
  dollars,
  isKnown,
  named,
  percent,
  serviceBadge,
  shortName,
  timeText,
  UNKNOWN,
} from './format.ts';
import { reasonLine } from './missing-reason.ts';
import { from } from './origin.ts';
import { panel } from './panel.ts';
import { param } from './state.ts';
import { type Column, tableView } from './table.ts';

interface VaultState {
  readonly chain: string;
  readonly vault_address: string;
  readonly kind: string | null;
  readonly asset_symbol: string | null;
  readonly total_assets_usd: number | null;
  readonly share_price: string | null;
  readonly backed_share_price: string | null;
  readonly coverage: number | null;
  readonly net_apy_7d_pct: number | null;
  readonly withdrawable_usd: number | null;
  readonly withdrawable_shared_usd: number | null;
  readonly force_withdrawable_usd: number | null;
  readonly reallocatable_usd: number | null;
  readonly unrealised_bad_debt_low_usd: number | null;
  readonly unrealised_bad_debt_high_usd: number | null;
  readonly is_gated: boolean | null;
  readonly is_liquidity_low: boolean | null;
  readonly pending_changes: number | null;
  readonly flags: readonly string[];
  readonly gaps: readonly string[];
  readonly state_at: number | null;
  readonly state_status: string;
}

const isVault = (): boolean => isKnown(param('vault')) && isKnown(param('chain'));
const pathOf = (rest: string): string =>
  `/v2/vaults/${encodeURIComponent(param('chain') ?? '')}/${encodeURIComponent(param('vault') ?? '')}${rest}`;

export const vaultState = panel<VaultState>({
  id: 'vault-state',
  title: 'What backs it, and what can be withdrawn',
  isWide: true,
  address: () => (isVault() ? target(pathOf('')) : undefined),
  view: (vault) =>
    isKnown(vault.state_at)
      ? html`<p>${serviceBadge(vault.state_status)} <span class="name" data-from=${isKnown(vault.kind) ? from(vault, 'kind') : nothing}>${caption(vault.kind ?? UNKNOWN)}</span>, observed ${age(vault.state_at)}</p>${troubles(vault)}${figures(stateFigures(vault))}<p class="note">The amounts that can be withdrawn assume different things; they do not add up.</p>`
      : html`<p class="quiet">Its state was never read: ${UNKNOWN}.</p>`,
});

const FLAGS: Readonly<Record<string, string>> = {
  donated: 'Its price rose more than interest can explain in the last 90 days.',
  held_twice: 'Part of its assets is in another vault of this list.',
  kind_changed: 'Its contract or its decimals changed in the last 90 days.',
  price_reset: 'It was empty in the last 90 days, and its price started again.',
  rate_limited: 'It holds gains that it distributes only slowly.',
  unseeded: 'It is so small that its price is noise.',
};

/** What is wrong comes before any figure. */
function troubles(vault: VaultState): TemplateResult {
  const all = [
    ...(isKnown(vault.coverage) && vault.coverage < 1
      ? [`Only ${percent(vault.coverage, 2)} of what it quotes is backed.`]
      : []),
    ...(vault.is_liquidity_low === true ? ['Almost nothing can be withdrawn.'] : []),
    ...(vault.is_gated === true ? ['A contract decides who may leave.'] : []),
    ...(isKnown(vault.pending_changes)
      ? []
      : ['Whether a change is waiting is not known: its logs were not read.']),
    ...vault.flags.flatMap((flag) => FLAGS[flag] ?? []),
  ];
  return html`${all.map((one) => html`<p class="trouble" role="status"><span data-derived>${one}</span></p>`)}`;
}

const GAPS: Readonly<Record<string, string>> = {
  bad_debt_unknown: 'bad debt is not known of every market',
  held_vault_unknown: 'a vault that it holds was not read',
  liquidity_above_supply: 'a market reports more liquidity than supply',
  market_state_unknown: 'the liquidity of a market is not known',
  positions_missing: 'not every position was read',
  price_unknown: 'no source prices its asset',
  share_price_unknown: 'its totals were not read',
  decimals_unknown: 'its decimals were not read',
};

const reasonFor = ({ gaps }: VaultState, ...names: readonly string[]): unknown => {
  const found = names.filter((name) => gaps.includes(name)).map((name) => GAPS[name] ?? caption(name));
  return found.length === 0 ? nothing : reasonLine(found.join('; '));
};

const LIQUIDITY_GAPS = [
  'positions_missing',
  'market_state_unknown',
  'held_vault_unknown',
  'price_unknown',
] as const;

type Amount =
  | 'withdrawable_usd'
  | 'withdrawable_shared_usd'
  | 'force_withdrawable_usd'
  | 'reallocatable_usd'
  | 'unrealised_bad_debt_high_usd';

const amount = (vault: VaultState, name: string, member: Amount): Figure => ({
  name,
  text: dollars(vault[member]),
  from: from(vault, member),
  more: isKnown(vault[member])
    ? nothing
    : reasonFor(
        vault,
        ...(member === 'unrealised_bad_debt_high_usd' ? ['bad_debt_unknown'] : LIQUIDITY_GAPS),
      ),
});

const price = (vault: VaultState, name: string, member: 'share_price' | 'backed_share_price'): Figure => ({
  name,
  text: isKnown(vault[member]) ? vault[member] : UNKNOWN,
  from: from(vault, member),
  more: isKnown(vault[member])
    ? nothing
    : reasonFor(vault, 'share_price_unknown', 'held_vault_unknown', 'decimals_unknown'),
});

function withdrawals(vault: VaultState): readonly Figure[] {
  const whole: Pick<Figure, 'of'> = isKnown(vault.total_assets_usd)
    ? { of: { text: dollars(vault.total_assets_usd), from: from(vault, 'total_assets_usd') } }
    : {};
  return [
    { ...amount(vault, 'Withdrawable, if no one else withdraws', 'withdrawable_usd'), ...whole },
    amount(vault, 'Withdrawable, if all suppliers withdraw', 'withdrawable_shared_usd'),
    ...(vault.kind === 'morpho_v2'
      ? [amount(vault, 'Withdrawable by force, at a penalty', 'force_withdrawable_usd')]
      : []),
    ...(isKnown(vault.reallocatable_usd)
      ? [amount(vault, 'Movable into one market by a public allocator', 'reallocatable_usd')]
      : []),
  ];
}

const stateFigures = (vault: VaultState): readonly Figure[] => [
  ...withdrawals(vault),
  price(vault, 'Share price, by what backs it', 'backed_share_price'),
  price(vault, 'Share price, as quoted', 'share_price'),
  { name: 'Backed', text: percent(vault.coverage, 2), from: from(vault, 'coverage') },
  amount(vault, 'Bad debt not written off, at most', 'unrealised_bad_debt_high_usd'),
  {
    name: 'Net APY over 7 days',
    text: isKnown(vault.net_apy_7d_pct)
      ? html`<span data-derived>${percent(vault.net_apy_7d_pct / 100, 2)}</span>`
      : UNKNOWN,
    more: isKnown(vault.net_apy_7d_pct) ? nothing : reasonLine('a price is missing, or broke in between'),
  },
];

interface DelayedChange {
  readonly statement: string;
  readonly status: string;
  readonly severity: string;
  readonly executable_at: number | null;
  readonly executable_by: string;
  readonly submitted_at: number;
  readonly can_revoke: readonly string[];
  readonly is_not_final: boolean;
}

const CHANGE_COLUMNS: readonly Column<DelayedChange>[] = [
  {
    name: 'Severity',
    cell: ({ severity }) => badge(severity),
    value: ({ severity }) => severity,
    from: (row) => from(row, 'severity'),
  },
  {
    name: 'What it does',
    cell: ({ statement }) => statement,
    value: ({ statement }) => statement,
    from: (row) => from(row, 'statement'),
  },
  {
    name: 'Status',
    cell: ({ status, is_not_final }) => (is_not_final ? `${status}, not final` : status),
    value: ({ status }) => status,
  },
  {
    name: 'Executable from, UTC',
    cell: ({ executable_at: at }) => (isKnown(at) ? timeText(at) : undefined),
    value: ({ executable_at }) => executable_at,
    from: (row) => (isKnown(row.executable_at) ? from(row, 'executable_at') : nothing),
  },
  {
    name: 'By',
    cell: ({ executable_by: by }) => (by === 'anyone' ? by : named(shortName(by), by)),
    value: ({ executable_by }) => executable_by,
  },
  {
    name: 'Revocable by',
    cell: ({ can_revoke }) => can_revoke.join(', '),
    value: ({ can_revoke }) => can_revoke.join(', '),
  },
];

export const vaultDelayed = panel<readonly DelayedChange[]>({
  id: 'vault-delayed',
  title: 'What is about to change',
  isWide: true,
  address: () =>
    isVault() ? target(pathOf('/changes'), { status: 'pending,executable,blocked' }) : undefined,
  view: (rows) =>
    rows.length === 0
      ? html`<p>No submitted change is waiting in the logs that were read.</p>`
      : tableView('What is about to change', CHANGE_COLUMNS, rows),
});
