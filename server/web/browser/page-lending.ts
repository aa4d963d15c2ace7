// Lending and vaults: where can I not get out?
import { html } from 'lit-html';
import { target } from './api.ts';
import { filterForm } from './filters.ts';
import { age, badge, dollars, isKnown, named, number, percent, span, timeText, words } from './format.ts';
import { panel } from './panel.ts';
import { rangeChoice, seriesPanel } from './series.ts';
import { bar } from './shapes.ts';
import { showPage } from './shell.ts';
import { link, param } from './state.ts';
import { SHORT_PAGE, tableView } from './table.ts';

interface Market {
  readonly chain: string;
  readonly market_id: string;
  readonly protocol: string;
  readonly name: string;
  readonly utilization: number | null;
  readonly supplied_usd: number | null;
  readonly borrowed_usd: number | null;
  readonly withdrawable_usd: number | null;
  readonly depth_usd: number | null;
  readonly supply_cap: number | null;
  readonly supplied: number | null;
  readonly oracle_status: string | null;
  readonly risk_level: string | null;
  readonly is_frozen: boolean | null;
  readonly is_paused: boolean | null;
  readonly state_at: number | null;
}

/** Above this share of use, withdrawing gets hard: the kink of usual rate models. */
const LIMIT = 0.9;

const FILTERS = ['chain', 'protocol', 'oracle_status', 'risk_level'] as const;

const markets = panel<readonly Market[]>({
  id: 'markets',
  title: 'Lending markets',
  isWide: true,
  note: html`The bar is utilization, with a mark at ${percent(LIMIT, 0)}.`,
  address: () => target('/v2/datasets/lending-markets'),
  view: (rows) => {
    const id = param('market');
    const shown = rows.filter(
      (row) =>
        (id === undefined || row.market_id === id) &&
        FILTERS.every((name) => param(name) === undefined || row[name] === param(name)),
    );
    return html`${filterForm(FILTERS.map((name) => ({ name, label: words(name), values: rows.map((row) => row[name]) })))}
      ${shown.length < rows.length ? html`<p class="note">${shown.length} of ${rows.length} markets. <a href=${link('/lending')}>All markets</a></p>` : ''}
      ${tableView(
        'Lending markets',
        MARKET_COLUMNS,
        shown.toSorted((a, b) => (b.utilization ?? -1) - (a.utilization ?? -1)),
      )}`;
  },
});

const money = (name: string, member: 'supplied_usd' | 'borrowed_usd' | 'withdrawable_usd' | 'depth_usd') => ({
  name,
  isNumber: true,
  cell: (row: Market) => (isKnown(row[member]) ? dollars(row[member]) : undefined),
  value: (row: Market) => row[member],
});

const MARKET_COLUMNS = [
  {
    name: 'Market',
    cell: ({ name, protocol, chain, market_id }: Market) =>
      html`<a href=${link('/lending', { chain, market: market_id })}>${name}</a><br><span class="quiet">${protocol}, ${chain}</span>`,
    value: ({ name }: Market) => name,
  },
  {
    name: 'Utilization',
    cell: ({ utilization }: Market) => bar(utilization, percent(utilization), LIMIT),
    value: ({ utilization }: Market) => utilization,
    isNumber: true,
  },
  money('Supplied', 'supplied_usd'),
  money('Withdrawable', 'withdrawable_usd'),
  money('Depth', 'depth_usd'),
  {
    name: 'Oracle',
    cell: (row: Market) => badge(row.oracle_status),
    value: (row: Market) => row.oracle_status,
  },
  { name: 'Risk', cell: (row: Market) => badge(row.risk_level), value: (row: Market) => row.risk_level },
  {
    name: 'State',
    cell: ({ is_frozen, is_paused }: Market) =>
      [is_frozen === true && 'frozen', is_paused === true && 'paused'].filter(Boolean).join(', ') || 'open',
    value: ({ is_frozen }: Market) => is_frozen,
  },
  { name: 'Observed', cell: (row: Market) => age(row.state_at), value: (row: Market) => row.state_at },
  { name: 'Id', cell: (row: Market) => named('show', row.market_id) },
];

const historyAddress = () =>
  isKnown(param('market')) && isKnown(param('chain'))
    ? target(
        `/v2/lending/markets/${encodeURIComponent(param('chain') ?? '')}/${encodeURIComponent(param('market') ?? '')}/history`,
        { resolution: param('resolution') ?? '1h' },
      )
    : undefined;

const utilization = seriesPanel({
  id: 'utilization',
  title: 'Utilization of the market',
  note: rangeChoice(),
  address: historyAddress,
  columns: ['utilization'],
  unit: 'fraction',
  decoration: () => ({ thresholds: [{ value: LIMIT, label: percent(LIMIT, 0) }] }),
});

const amounts = seriesPanel({
  id: 'amounts',
  title: 'Supplied, borrowed and withdrawable, USD',
  address: historyAddress,
  columns: ['supplied_usd', 'borrowed_usd', 'withdrawable_usd'],
  unit: 'usd',
});

interface Vault {
  readonly name: string;
  readonly vault_address: string;
  readonly protocol: string | null;
  readonly asset_symbol: string | null;
  readonly curator_name: string | null;
  readonly timelock_s: number | null;
  readonly events: number;
  readonly governance_kinds: readonly string[];
  readonly last_event_at: number | null;
}

const vaults = panel<readonly Vault[]>({
  id: 'vaults',
  title: 'Vaults',
  isWide: true,
  address: () => target('/v2/datasets/lending-vaults'),
  view: (rows) => tableView('Vaults', VAULT_COLUMNS, rows),
});

const VAULT_COLUMNS = [
  { name: 'Vault', cell: (row: Vault) => row.name, value: (row: Vault) => row.name },
  { name: 'Asset', cell: (row: Vault) => row.asset_symbol, value: (row: Vault) => row.asset_symbol },
  { name: 'Curator', cell: (row: Vault) => row.curator_name, value: (row: Vault) => row.curator_name },
  {
    name: 'Timelock',
    isNumber: true,
    cell: (row: Vault) => (isKnown(row.timelock_s) ? span(row.timelock_s) : undefined),
    value: (row: Vault) => row.timelock_s,
  },
  {
    name: 'Governance seen',
    cell: (row: Vault) => row.governance_kinds.join(', ') || 'none',
    value: (row: Vault) => row.governance_kinds.length,
  },
  { name: 'Events', isNumber: true, cell: (row: Vault) => row.events, value: (row: Vault) => row.events },
  {
    name: 'Last event',
    cell: (row: Vault) => age(row.last_event_at),
    value: (row: Vault) => row.last_event_at,
  },
  { name: 'Address', cell: (row: Vault) => named('show', row.vault_address) },
];

interface Change {
  readonly name: string;
  readonly protocol: string;
  readonly chain: string;
  readonly changed_at: number;
  readonly parameter: string;
  readonly old_value: number | string | null;
  readonly new_value: number | string | null;
}

const plain = (value: number | string | null): unknown =>
  typeof value === 'number' ? number(value, 6) : (value ?? undefined);

const changes = panel<readonly Change[]>({
  id: 'changes',
  title: 'Changes of parameters',
  isWide: true,
  address: () => target('/v2/datasets/lending-parameter-changes'),
  view: (rows) =>
    tableView(
      'Changes of parameters',
      [
        {
          name: 'When, UTC',
          cell: (row: Change) => timeText(row.changed_at),
          value: (row: Change) => row.changed_at,
        },
        {
          name: 'Market',
          cell: (row: Change) => `${row.name}, ${row.protocol}`,
          value: (row: Change) => row.name,
        },
        {
          name: 'Parameter',
          cell: (row: Change) => words(row.parameter),
          value: (row: Change) => row.parameter,
        },
        { name: 'Before', isNumber: true, cell: (row: Change) => plain(row.old_value) },
        { name: 'After', isNumber: true, cell: (row: Change) => plain(row.new_value) },
      ],
      rows.toSorted((a, b) => b.changed_at - a.changed_at),
      SHORT_PAGE,
    ),
});

interface Act {
  readonly vault_address: string;
  readonly on_chain_event: string;
  readonly governance_kind: string | null;
  readonly timestamp: number;
  readonly final_at: number | null;
}

const governance = panel<readonly Act[]>({
  id: 'vault-events',
  title: 'Governance of vaults',
  isWide: true,
  address: () => target('/v2/datasets/vault-events'),
  view: (rows) =>
    tableView(
      'Governance of vaults',
      [
        {
          name: 'When, UTC',
          cell: (row: Act) => timeText(row.timestamp),
          value: (row: Act) => row.timestamp,
        },
        {
          name: 'Act',
          cell: (row: Act) => words(row.on_chain_event),
          value: (row: Act) => row.on_chain_event,
        },
        {
          name: 'Kind',
          cell: (row: Act) => row.governance_kind ?? 'routine',
          value: (row: Act) => row.governance_kind,
        },
        { name: 'Vault', cell: (row: Act) => named('show', row.vault_address) },
      ],
      rows.filter((row) => row.governance_kind !== null).toSorted((a, b) => b.timestamp - a.timestamp),
      SHORT_PAGE,
    ),
});

showPage([utilization, amounts, markets, vaults, changes, governance]);
