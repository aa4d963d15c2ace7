// Lending and vaults: where can I not get out?
import { html } from 'lit-html';
import { target } from './api.ts';
import { columnsOf } from './columns.ts';
import { filterForm } from './filters.ts';
import { age, badge, dollars, isKnown, named, number, percent, span, timeText, caption } from './format.ts';
import { nameOf, rememberName } from './names.ts';
import { from } from './origin.ts';
import { countOfPage, MAX_ROWS, pager } from './pager.ts';
import { panel } from './panel.ts';
import { rangeChoice, seriesPanel } from './series.ts';
import { bar } from './shapes.ts';
import { showPage } from './shell.ts';
import { link, param } from './state.ts';
import { type Column, SHORT_PAGE, tableView } from './table.ts';

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
  readonly is_classified: boolean;
  readonly is_frozen: boolean | null;
  readonly is_paused: boolean | null;
  readonly state_at: number | null;
}

/** Above this utilization, withdrawing becomes hard: the kink of common rate models. */
const LIMIT = 0.9;

const textOf = (value: string | boolean | null): string | undefined =>
  value === null ? undefined : String(value);

const FILTERS = ['chain', 'protocol', 'oracle_status', 'risk_level', 'is_classified'] as const;

const markets = panel<readonly Market[]>({
  id: 'markets',
  title: 'Lending markets',
  isWide: true,
  note: html`The bar is utilization, with a mark at ${percent(LIMIT, 0)}.`,
  address: () =>
    target('/v2/lending/markets', {
      ...Object.fromEntries(FILTERS.map((name) => [name, param(name)])),
      market_id: param('market'),
      limit: MAX_ROWS,
      cursor: param('cursor'),
    }),
  view: (rows, meta) =>
    html`${filterForm(FILTERS.map((name) => ({ name, label: caption(name), values: rows.map((row) => textOf(row[name])) })))}
      <p class="note">${countOfPage(rows, meta, 'markets')}, highest utilization first. ${isNarrowed() ? html`<a href=${link('/lending')}>All markets</a>` : ''}</p>
      ${pager({ name: 'cursor', of: 'markets' }, meta)}
      ${tableView(
        'Lending markets',
        MARKET_COLUMNS,
        rows.toSorted((a, b) => (b.utilization ?? -1) - (a.utilization ?? -1)),
      )}`,
});

const isNarrowed = (): boolean => [...FILTERS, 'market'].some((name) => param(name) !== undefined);

const column = columnsOf<Market>();

const MARKET_COLUMNS: readonly Column<Market>[] = [
  {
    name: 'Market',
    cell: ({ name, protocol, chain, market_id }) =>
      html`<a href=${link('/lending', { chain, market: market_id })}>${name}</a><br><span class="quiet">${protocol}, ${chain}</span>`,
    value: ({ name }) => name,
    from: (row) => from(row, 'name'),
  },
  column.number('Utilization', 'utilization', (share) => bar(share, percent(share), LIMIT)),
  column.number('Supplied', 'supplied_usd', dollars),
  column.number('Withdrawable', 'withdrawable_usd', dollars),
  column.number('Depth', 'depth_usd', dollars),
  column.text('Oracle', 'oracle_status', badge),
  column.text('Risk', 'risk_level', badge),
  { name: 'State', cell: stateOf, value: stateOf },
  column.text('Observed', 'state_at', age),
  { name: 'Id', cell: ({ market_id }) => named('show', market_id) },
];

/** Undefined if it is unknown whether the market is frozen or paused. */
function stateOf({ is_frozen, is_paused }: Market): string | undefined {
  if (!isKnown(is_frozen) && !isKnown(is_paused)) return undefined;
  return (
    [is_frozen === true && 'frozen', is_paused === true && 'paused'].filter(Boolean).join(', ') || 'open'
  );
}

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
  note: () => rangeChoice(param('resolution') ?? '1h'),
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
  draw: (_, rows) => {
    rows.forEach(rememberName);
    governance.element.dispatchEvent(new CustomEvent('repaint'));
  },
});

const vault = columnsOf<Vault>();

const VAULT_COLUMNS: readonly Column<Vault>[] = [
  vault.text('Vault', 'name'),
  vault.text('Asset', 'asset_symbol'),
  vault.text('Curator', 'curator_name'),
  vault.number('Timelock', 'timelock_s', span),
  {
    name: 'Governance seen',
    cell: (row) => row.governance_kinds.join(', ') || 'none',
    value: (row) => row.governance_kinds.length,
  },
  {
    name: 'Events',
    isNumber: true,
    cell: ({ vault_address, events }) =>
      html`<a href=${link('/events', { subject: `vault:ethereum:${vault_address}` })}>${number(events)}</a>`,
    value: ({ events }) => events,
    from: (row) => from(row, 'events'),
  },
  vault.text('Last event', 'last_event_at', age),
  { name: 'Address', cell: (row) => named('show', row.vault_address) },
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

const change = columnsOf<Change>();

/** Flags are numbers in the change log. */
function changedValue({ parameter }: Change, value: number | string | null): string | undefined {
  if (typeof value !== 'number') return value ?? undefined;
  return parameter.startsWith('is_') ? (value === 0 ? 'no' : 'yes') : number(value, 6);
}

const valueColumn = (name: string, member: 'old_value' | 'new_value'): Column<Change> => ({
  ...change.number(name, member),
  cell: (row) => changedValue(row, row[member]),
});

const CHANGE_COLUMNS: readonly Column<Change>[] = [
  change.text('When, UTC', 'changed_at', timeText),
  {
    name: 'Market',
    cell: (row) => `${row.name}, ${row.protocol}`,
    value: (row) => row.name,
    from: (row) => from(row, 'name'),
  },
  change.text('Parameter', 'parameter', caption),
  valueColumn('Before', 'old_value'),
  valueColumn('After', 'new_value'),
];

const changes = panel<readonly Change[]>({
  id: 'changes',
  title: 'Parameter changes',
  isWide: true,
  address: () => target('/v2/datasets/lending-parameter-changes'),
  view: (rows) =>
    tableView(
      'Parameter changes',
      CHANGE_COLUMNS,
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

const act = columnsOf<Act>();

const ACT_COLUMNS: readonly Column<Act>[] = [
  act.text('When, UTC', 'timestamp', timeText),
  act.text('Act', 'on_chain_event', caption),
  act.text('Kind', 'governance_kind'),
  {
    name: 'Vault',
    cell: ({ vault_address }) => named(nameOf(vault_address), vault_address),
    value: ({ vault_address }) => nameOf(vault_address),
  },
];

const governance = panel<readonly Act[]>({
  id: 'vault-events',
  title: 'Vault governance',
  isWide: true,
  address: () => target('/v2/datasets/vault-events'),
  view: (rows) =>
    tableView(
      'Vault governance',
      ACT_COLUMNS,
      rows.filter((row) => row.governance_kind !== null).toSorted((a, b) => b.timestamp - a.timestamp),
      SHORT_PAGE,
    ),
});

showPage([utilization, amounts, markets, vaults, changes, governance]);
