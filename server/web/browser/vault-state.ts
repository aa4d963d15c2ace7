// What is wrong with one vault: what backs its shares, what can be withdrawn, what is about to change.
import { html, nothing } from 'lit-html';
import { target } from './api.ts';
import { type Figure, figures } from './figures.ts';
import {
  age,
  caption,
  dollars,
  isKnown,
  number,
  percent,
  serviceBadge,
  shortName,
  UNKNOWN,
} from './format.ts';
import { heldNote, missingRow, reasonLine } from './missing-reason.ts';
import { from } from './origin.ts';
import { panel } from './panel.ts';
import { changesTable, readNote, WAITING } from './pending-changes.ts';
import { param } from './state.ts';
import { type DelayedChange, gapText, troublesOf, troublesView, type VaultState } from './vault-texts.ts';

const isVault = (): boolean => isKnown(param('vault')) && isKnown(param('chain'));
const pathOf = (rest: string): string =>
  `/v2/vaults/${encodeURIComponent(param('chain') ?? '')}/${encodeURIComponent(param('vault') ?? '')}${rest}`;

export const vaultState = panel<VaultState>({
  id: 'vault-state',
  title: 'What backs it, and what can be withdrawn',
  isWide: true,
  address: () => (isVault() ? target(pathOf('')) : undefined),
  missing: () => missingRow('The state of this vault', 'vaults', param('vault') ?? ''),
  view: (vault) =>
    isKnown(vault.state_at)
      ? html`<p><strong data-from=${isKnown(vault.name) ? from(vault, 'name') : nothing}>${vault.name ?? shortName(vault.vault_address)}</strong> ${serviceBadge(vault.state_status)} <span class="name" data-from=${isKnown(vault.kind) ? from(vault, 'kind') : nothing}>${caption(vault.kind ?? UNKNOWN)}</span>, observed ${age(vault.state_at)}</p>${troublesView(troublesOf(vault))}${figures(stateFigures(vault))}<p class="note">Withdrawable amounts assume different things; they do not add up.</p>`
      : html`<p><strong>${vault.name ?? shortName(vault.vault_address)}</strong></p><p class="quiet">Its state was never read.</p>`,
});

const reasonFor = ({ gaps }: VaultState, ...names: readonly string[]): unknown => {
  const found = names.filter((name) => gaps.includes(name)).map(gapText);
  return found.length === 0 ? nothing : reasonLine(found.join('; '));
};

const LIQUIDITY_GAPS = [
  'positions_missing',
  'market_state_unknown',
  'held_vault_unknown',
  'price_unknown',
] as const;

const PRICE_GAPS = [
  'share_price_unknown',
  'held_vault_unknown',
  'decimals_unknown',
  'real_assets_unknown',
  'total_assets_unknown',
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
        ...(member === 'unrealised_bad_debt_high_usd'
          ? ['bad_debt_unknown', 'total_assets_unknown']
          : LIQUIDITY_GAPS),
      ),
});

const price = (vault: VaultState, name: string, member: 'share_price' | 'backed_share_price'): Figure => ({
  name,
  text: isKnown(vault[member]) ? number(Number(vault[member]), 8) : UNKNOWN,
  from: from(vault, member),
  more: isKnown(vault[member]) ? nothing : reasonFor(vault, ...PRICE_GAPS),
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
    more: isKnown(vault.net_apy_7d_pct)
      ? nothing
      : reasonFor(vault, 'apy_too_small', 'apy_price_broke', 'apy_history_missing', 'share_price_unknown'),
  },
];

export const vaultDelayed = panel<readonly DelayedChange[]>({
  id: 'vault-delayed',
  title: 'What is about to change',
  isWide: true,
  address: () => (isVault() ? target(pathOf('/changes'), { status: WAITING }) : undefined),
  missing: () => missingRow('Changes of this vault', 'vault-changes', param('vault') ?? ''),
  view: (rows, meta) =>
    html`${heldNote('vault-changes')}${readNote(meta)}${rows.length === 0 ? html`<p>No submitted change waits in the logs that were read.</p>` : changesTable(rows, true)}`,
});
