// The list of vaults: what is wrong with each, what backs it, what can be withdrawn, what is about to change.
import { html, nothing, type TemplateResult } from 'lit-html';
import { target } from './api.ts';
import { filterForm } from './filters.ts';
import {
  age,
  caption,
  dollars,
  isKnown,
  named,
  number,
  opening,
  percent,
  points,
  serviceBadge,
  shortName,
} from './format.ts';
import { heldNote } from './missing-reason.ts';
import { from } from './origin.ts';
import { countOfPage, MAX_ROWS, pager } from './pager.ts';
import { panel } from './panel.ts';
import { bar } from './shapes.ts';
import { link, param } from './state.ts';
import { type Column, columnsOf, tableView } from './table.ts';
import { gapText, troubleRank, troublesOf, type VaultState } from './vault-texts.ts';

const FILTERS = ['chain', 'kind', 'protocol', 'asset', 'curator', 'state_status', 'has_pending'] as const;
/** Those that the reader has chosen. */
export const chosenFilters = () => Object.fromEntries(FILTERS.map((name) => [name, param(name)]));
const SORTS: Readonly<Record<string, string>> = {
  '-total_assets_usd': 'most assets',
  '-unrealised_bad_debt_low_usd': 'most bad debt',
  withdrawable_share: 'least withdrawable',
  '-net_apy_7d_pct': 'highest net APY',
};

/** The list of the service, of which a page may be a part, is in this order. */
const sortOf = (): string => param('sort') ?? '-total_assets_usd';

export const vaultList = panel<readonly VaultState[]>({
  id: 'vaults',
  title: 'Vaults',
  isWide: true,
  address: () =>
    target('/v2/vaults', {
      ...chosenFilters(),
      sort: sortOf(),
      // Those of no registry are shown apart.
      has_metadata: 'true,false',
      limit: MAX_ROWS,
      cursor: param('cursor'),
    }),
  view: (all, meta) => {
    const known = all.filter(({ has_metadata }) => has_metadata);
    const strangers = all.filter(({ has_metadata }) => !has_metadata);
    return html`${filterForm([...FILTERS.map((name) => ({ name, label: caption(name), values: valuesOf(all, name) })), ORDER])}${heldNote('vaults', 'vault-changes')}
      <p class="note">${countOfPage(all, meta, 'vaults')}${isKnown(param('sort')) ? '' : ', those with a known trouble first'}. ${FILTERS.some((name) => isKnown(param(name))) ? html`<a href=${link('/vaults')}>All vaults</a>` : nothing}</p>
      ${pager({ name: 'cursor', of: 'vaults' }, meta)}
      ${tableView('Vaults', COLUMNS, isKnown(param('sort')) ? known : troubledFirst(known))}${strangersView(strangers)}`;
  },
});

const ORDER = {
  name: 'sort',
  label: 'Order',
  none: 'trouble first',
  values: Object.keys(SORTS),
  textOf: (name: string) => SORTS[name] ?? name,
};

function valuesOf(all: readonly VaultState[], name: (typeof FILTERS)[number]): readonly (string | null)[] {
  if (name === 'has_pending') return ['true', 'false', 'unknown'];
  return all.map((row) => (name === 'asset' ? row.asset_symbol : row[name]));
}

/** Otherwise in the order of the service. */
const troubledFirst = (all: readonly VaultState[]): readonly VaultState[] =>
  all.toSorted((a, b) => troubleRank(a) - troubleRank(b));

/** What a contract says of itself proves little: such vaults are never among the largest. */
const strangersView = (all: readonly VaultState[]): TemplateResult | typeof nothing =>
  all.length === 0
    ? nothing
    : html`<h3>In no registry</h3><p class="note">What they hold is what their contracts say. They are not sorted among the others.</p>${tableView('Vaults in no registry', COLUMNS, all)}`;

const column = columnsOf<VaultState>();

function troubleCell(vault: VaultState): TemplateResult {
  const all = troublesOf(vault);
  if (!isKnown(vault.state_at)) return html`${serviceBadge('never read', 'unknown')}`;
  if (all.length > 0) return html`${all.map((one) => html`<span data-derived>${one}</span> `)}`;
  return html`<span class="quiet">nothing known${vault.gaps.length > 0 ? html`; ${vault.gaps.map(gapText).join('; ')}` : nothing}</span>`;
}

const COLUMNS: readonly Column<VaultState>[] = [
  {
    name: 'Vault',
    cell: ({ chain, vault_address, name, asset_symbol, curator_name }) =>
      html`<a href=${link('/lending', { chain, vault: vault_address })}>${name ?? shortName(vault_address)}</a><br><span class="quiet name">${[asset_symbol, curator_name, chain].filter(isKnown).join(', ')}</span>`,
    value: ({ name }) => name,
  },
  { name: 'What is wrong', cell: troubleCell, value: (vault) => -troubleRank(vault) },
  {
    ...column.number('Assets', 'total_assets_usd', dollars),
    help: 'Total assets as the contract quotes them, USD',
  },
  {
    ...column.number('Backed', 'coverage', (share) => percent(share, 2)),
    help: 'Share of the quoted assets that is backed',
  },
  {
    ...column.number('Withdrawable', 'withdrawable_share', (share) => bar(share, percent(share))),
    help: 'What could be withdrawn if no one else withdrew, of the assets',
  },
  {
    ...column.number('Bad debt, at most', 'unrealised_bad_debt_high_usd', dollars),
    help: 'Bad debt of its markets that has not been written off, as far as it bears it, USD',
  },
  { ...column.number('Bad debt, at least', 'unrealised_bad_debt_low_usd', dollars), isOptional: true },
  {
    ...column.number('Net APY, 7 d', 'net_apy_7d_pct', points),
    help: 'Growth of the quoted share price, a year',
  },
  {
    name: 'Changes that wait',
    help: 'Submitted and without an end, and when the next one may be executed',
    isNumber: true,
    cell: (row) =>
      isKnown(row.pending_changes)
        ? html`<span data-from=${from(row, 'pending_changes')}>${number(row.pending_changes)}</span>${isKnown(row.next_executable_at) ? html`<br><span class="quiet">${opening(row.next_executable_at)}</span>` : nothing}`
        : undefined,
    value: ({ pending_changes }) => pending_changes,
  },
  { ...column.text('Kind', 'kind', caption), isOptional: true },
  {
    name: 'State',
    help: 'Freshness of its newest state',
    cell: ({ state_status, state_at }) =>
      html`${serviceBadge(state_status)}${isKnown(state_at) ? html` <span class="quiet">${age(state_at)}</span>` : nothing}`,
    value: ({ state_at }) => state_at,
  },
  { name: 'Address', isOptional: true, cell: ({ vault_address }) => named('show', vault_address) },
];
