// The lists of lending markets and of vaults.
import { html } from 'lit-html';
import { target } from './api.ts';
import { type Borrowers, borrowersByMarket } from './borrower-risk.ts';
import { type ExposureNode, graphOf, worthOf } from './exposure-paths.ts';
import { changeColumns, pointsOfPercent, pointsOfShare, WITH_CHANGES } from './figure-changes.ts';
import { countOf } from './figures.ts';
import { filterForm } from './filters.ts';
import {
  age,
  badge,
  caption,
  dollars,
  isKnown,
  named,
  number,
  percent,
  points,
  serviceBadge,
  shortName,
  span,
} from './format.ts';
import { LIMIT, type Market, nameColumn, riskColumn, stateOf, type Vault } from './lending-rows.ts';
import { heldNote } from './missing-reason.ts';
import { rememberName } from './names.ts';
import { from, lengthOf } from './origin.ts';
import { countOfPage, MAX_ROWS, pager } from './pager.ts';
import { type Further, panel } from './panel.ts';
import { bar } from './shapes.ts';
import { link, param } from './state.ts';
import { type Column, columnsOf, tableView } from './table.ts';

const textOf = (value: string | boolean | null): string | undefined =>
  value === null ? undefined : String(value);

const FILTERS = ['chain', 'protocol', 'oracle_status', 'risk_level', 'is_classified'] as const;

export const markets = panel<readonly Market[]>({
  id: 'markets',
  title: 'Lending markets',
  isWide: true,
  address: () =>
    target('/v2/lending/markets', {
      ...Object.fromEntries(FILTERS.map((name) => [name, param(name)])),
      market_id: param('market'),
      limit: MAX_ROWS,
      cursor: param('cursor'),
      ...WITH_CHANGES,
    }),
  also: { borrowers: () => target('/v2/datasets/borrower-tranches') },
  view: (rows, meta, also) =>
    html`${filterForm(FILTERS.map((name) => ({ name, label: caption(name), values: rows.map((row) => textOf(row[name])) })))}${heldNote('lending-markets')}
      <p class="note">${countOfPage(rows, meta, 'markets')}, highest utilization first. ${isNarrowed() ? html`<a href=${link('/lending')}>All markets</a>` : ''}</p>
      ${pager({ name: 'cursor', of: 'markets' }, meta)}
      ${tableView(
        'Lending markets',
        marketColumns(also),
        rows.toSorted((a, b) => (b.utilization ?? -1) - (a.utilization ?? -1)),
      )}`,
});

const isNarrowed = (): boolean => [...FILTERS, 'market'].some((name) => param(name) !== undefined);

const column = columnsOf<Market>();

const rateChange = (figure: string) => ({ figure, text: points, changeText: pointsOfPercent });

const RATE_COLUMNS: readonly Column<Market>[] = [
  { ...column.number('Supply rate', 'supply_apr_pct', points), help: 'A year', isOptional: true },
  ...changeColumns<Market>('Supply rate', rateChange('supply_apr_pct')),
  { ...column.number('Borrow rate', 'borrow_apr_pct', points), help: 'A year', isOptional: true },
  ...changeColumns<Market>('Borrow rate', rateChange('borrow_apr_pct')),
];

const marketColumns = (also: Further): readonly Column<Market>[] => {
  const borrowers = borrowersByMarket(also.get<readonly Borrowers[]>('borrowers'));
  return [
    nameColumn,
    {
      ...column.number('Withdrawable', 'withdrawable_usd', dollars),
      help: 'What all suppliers together can withdraw now',
    },
    {
      ...column.number('Utilization', 'utilization', (share) => bar(share, percent(share), LIMIT)),
      help: `What is borrowed of what is supplied, with a mark at ${percent(LIMIT, 0)}`,
    },
    ...changeColumns<Market>(
      'Utilization',
      { figure: 'utilization', text: percent, changeText: pointsOfShare },
      ['change_24h'],
    ),
    riskColumn(0.1, borrowers, also),
    { ...riskColumn(0.2, borrowers, also), isOptional: true },
    { ...column.number('Supplied', 'supplied_usd', dollars), help: 'Everything that is supplied' },
    ...changeColumns<Market>('Supplied', { figure: 'supplied_usd', text: dollars }, ['change_24h']),
    { ...column.number('Borrowed', 'borrowed_usd', dollars), isOptional: true },
    ...changeColumns<Market>('Borrowed', { figure: 'borrowed_usd', text: dollars }),
    ...changeColumns<Market>('Withdrawable', { figure: 'withdrawable_usd', text: dollars }),
    ...RATE_COLUMNS,
    {
      ...column.number('Depth', 'depth_usd', dollars),
      help: 'What can be withdrawn and sold at a slippage of 1 % or less',
      isOptional: true,
    },
    {
      ...column.text('Oracle', 'oracle_status', serviceBadge),
      help: 'Whether the price of the worst feed is fresh',
    },
    { ...column.text('Risk', 'risk_level', badge), help: 'The risk level of its classification' },
    { name: 'State', help: 'Whether it is frozen or paused', cell: stateOf, value: stateOf },
    column.text('Observed', 'state_at', age),
    { name: 'Id', cell: ({ market_id }) => named('show', market_id), isOptional: true },
  ];
};

export const vaults = panel<readonly Vault[]>({
  id: 'vaults',
  title: 'Vaults',
  isWide: true,
  address: () => target('/v2/datasets/lending-vaults'),
  also: { graph: () => target('/v2/datasets/exposure-graph') },
  view: (rows, _, also) => {
    const curator = param('curator');
    const shown = rows.filter(({ curator_name }) => curator === undefined || curator_name === curator);
    return html`${filterForm([{ name: 'curator', label: 'Curator', values: rows.map((row) => row.curator_name), textOf: String }])}${heldNote('lending-vaults', 'exposure-graph', 'vault-events')}
      <p class="note"><span data-derived>${number(shown.length)}</span> of ${countOf(rows.length, lengthOf(rows))} vaults. <a href=${link('/vaults')}>What backs vaults, and what is about to change</a></p>${tableView('Vaults', vaultColumns(also), shown)}`;
  },
  draw: (_, rows) => {
    rows.forEach(rememberName);
    document.getElementById('vault-events')?.dispatchEvent(new CustomEvent('repaint'));
  },
});

const vault = columnsOf<Vault>();

const derived = (value: number | undefined, text: (known: number) => string) =>
  value === undefined ? undefined : html`<span data-derived>${text(value)}</span>`;

function vaultColumns(also: Further): readonly Column<Vault>[] {
  const graph = graphOf(also.get<readonly ExposureNode[]>('graph') ?? []);
  return [
    {
      name: 'Vault',
      cell: ({ chain, vault_address, name }) =>
        html`<a href=${link('/lending', { chain, vault: vault_address })}>${name ?? shortName(vault_address)}</a>`,
      value: ({ name }) => name,
    },
    vault.text('Asset', 'asset_symbol'),
    ...holdingColumns((row) => graph.get(`vault:${row.chain}:${row.vault_address}`)),
    vault.text('Curator', 'curator_name'),
    {
      ...vault.number('Timelock', 'timelock_s', span),
      help: 'Time between the announcement of a change and its effect',
    },
    ...governanceColumns,
  ];
}

function holdingColumns(nodeOf: (row: Vault) => ExposureNode | undefined): readonly Column<Vault>[] {
  const worthIn = (row: Vault) => {
    const node = nodeOf(row);
    return node === undefined ? undefined : worthOf(node);
  };
  return [
    {
      name: 'Value',
      help: 'What it holds, from the amounts that its source reports',
      isNumber: true,
      cell: (row) => derived(worthIn(row), dollars),
      value: worthIn,
    },
    {
      name: 'Accounted for',
      help: 'Share of the value of which a source says where it is',
      isNumber: true,
      cell: (row) => (nodeOf(row) === undefined ? undefined : percent(nodeOf(row)?.known_share, 0)),
      value: (row) => nodeOf(row)?.known_share,
      from: (row) => from(nodeOf(row), 'known_share'),
    },
  ];
}

const governanceColumns: readonly Column<Vault>[] = [
  {
    name: 'Governance seen',
    help: 'Kinds of acts of its owner, curator and guardian that were observed',
    isOptional: true,
    cell: (row) => row.governance_kinds.join(', ') || 'none',
    value: (row) => row.governance_kinds.length,
  },
  {
    name: 'Events',
    isNumber: true,
    cell: ({ chain, vault_address, events }) =>
      isKnown(events)
        ? html`<a href=${link('/events', { subject: `vault:${chain}:${vault_address}` })}>${number(events)}</a>`
        : undefined,
    value: ({ events }) => events,
    from: (row) => from(row, 'events'),
  },
  vault.text('Last event', 'last_event_at', age),
  { name: 'Address', isOptional: true, cell: (row) => named('show', row.vault_address) },
];
