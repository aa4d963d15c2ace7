// Vaults: what backs them, what do they hold together, and who can change them?

import { html, nothing, type TemplateResult } from 'lit-html';
import { target } from './api.ts';
import { type Figure, figures } from './figures.ts';
import { age, dollars, isKnown, number, serviceBadge, shortName } from './format.ts';
import { from } from './origin.ts';
import { panel } from './panel.ts';
import { pending } from './pending-changes.ts';
import { showPage } from './shell.ts';
import { link } from './state.ts';
import { type Column, columnsOf, SHORT_PAGE, tableView } from './table.ts';
import { chosenFilters, vaultList } from './vault-list.ts';
import { type AssetTotals, gapText, type VaultAmounts, type VaultTotals } from './vault-texts.ts';

/** Of vaults of a set alone. */
const SET_GAPS: Readonly<Record<string, string>> = {
  held_back: 'a failed check holds its figures back',
  holdings_missing: 'what it holds was not read together with its state',
  kind_unknown: 'its kind is not known',
  vault_unknown: 'no source reports it',
  withdrawable_unknown: 'how much can be withdrawn is not known',
};
const textOf = (gap: string): string => SET_GAPS[gap] ?? gapText(gap);

/**
 * What the vaults of the list hold together, and what could be withdrawn from all of them. A figure that one of them does not have is
 * unknown, and the vaults because of which it is are named.
 */
const vaultTotals = panel<VaultTotals>({
  id: 'vault-totals',
  title: 'These vaults together',
  isWide: true,
  address: () => target('/v2/vaults/totals', chosenFilters()),
  view: (totals) =>
    totals.vaults === 0 && totals.unknown_vaults === 0
      ? html`<p class="empty">No vaults.</p>`
      : html`<p class="note"><span data-from=${from(totals, 'vaults')}>${number(totals.vaults)}</span> vaults, ${serviceBadge(totals.state_status)}${isKnown(totals.oldest_state_at) ? html`, the oldest state ${age(totals.oldest_state_at)}` : nothing}. What a vault inside another one holds counts once, and so does the cash of each market.</p>${figures(figuresOf(totals))}${unknownView(totals)}
        <h3>By asset</h3>${tableView('Vaults by asset', COLUMNS, totals.assets, SHORT_PAGE)}`,
});

function figuresOf(totals: VaultTotals): readonly Figure[] {
  const amount = (name: string, member: Exclude<keyof VaultAmounts, 'vaults' | 'gaps'>): Figure => ({
    name,
    text: dollars(totals[member]),
    from: from(totals, member),
  });
  return [
    amount('Assets', 'total_assets_usd'),
    {
      ...amount('Withdrawable from all of them, if no one else withdraws', 'withdrawable_usd'),
      ...(isKnown(totals.withdrawable_usd) &&
        isKnown(totals.total_assets_usd) && {
          of: { text: dollars(totals.total_assets_usd), from: from(totals, 'total_assets_usd') },
        }),
    },
    amount('Bad debt that is not written off, at least', 'unrealised_bad_debt_low_usd'),
    amount('At most', 'unrealised_bad_debt_high_usd'),
  ];
}

const unknownView = ({ unknown, unknown_vaults: count }: VaultTotals): TemplateResult | typeof nothing =>
  count === 0
    ? nothing
    : html`<details><summary>${number(count)} vaults because of which a figure is not known</summary><ul>${unknown.map(
        ({ chain, vault_address: address, gaps }) =>
          html`<li><a href=${link('/lending', { chain: chain ?? undefined, vault: address })} title=${address}>${shortName(address)}</a>${isKnown(chain) ? ` on ${chain}` : ''}: ${gaps.map(textOf).join('; ')}</li>`,
      )}</ul>${count > unknown.length ? html`<p class="note">The first ${number(unknown.length)} are listed.</p>` : nothing}</details>`;

const column = columnsOf<AssetTotals>();

const COLUMNS: readonly Column<AssetTotals>[] = [
  {
    name: 'Asset',
    cell: ({ chain, asset_symbol, asset_address }) =>
      html`${asset_symbol ?? (isKnown(asset_address) ? shortName(asset_address) : 'unknown')}<br><span class="quiet name">${chain}</span>`,
    value: ({ asset_symbol }) => asset_symbol,
  },
  column.number('Vaults', 'vaults', number),
  column.number('Assets', 'total_assets_usd', dollars),
  column.number('Withdrawable', 'withdrawable_usd', dollars),
  column.number('In other vaults of the list', 'held_twice_usd', dollars),
  column.number('Bad debt, at least', 'unrealised_bad_debt_low_usd', dollars),
  column.number('Bad debt, at most', 'unrealised_bad_debt_high_usd', dollars),
  {
    name: 'What is not known',
    cell: ({ gaps }) => (gaps.length === 0 ? '–' : gaps.map(textOf).join('; ')),
    value: ({ gaps }) => gaps.length,
  },
];

showPage([vaultList, vaultTotals, pending]);
