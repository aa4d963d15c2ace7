// What changed in lending: parameters of markets, and acts of those who control vaults.
import { target } from './api.ts';
import { columnsOf } from './columns.ts';
import { isKnown, named, number, timeText, caption } from './format.ts';
import { nameOf } from './names.ts';
import { from } from './origin.ts';
import { panel } from './panel.ts';
import { param } from './state.ts';
import { type Column, SHORT_PAGE, tableView } from './table.ts';
import type { VaultAct } from './vault-changes.ts';

interface Change {
  readonly name: string;
  readonly protocol: string;
  readonly chain: string;
  readonly market_id: string;
  readonly changed_at: number;
  readonly parameter: string;
  readonly old_value: number | string | null;
  readonly new_value: number | string | null;
}

const isMarket = (): boolean => isKnown(param('market')) && isKnown(param('chain'));

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

export const changes = panel<readonly Change[]>({
  id: 'changes',
  title: 'Parameter changes',
  isWide: true,
  address: () => target('/v2/datasets/lending-parameter-changes'),
  view: (rows) =>
    tableView(
      'Parameter changes',
      CHANGE_COLUMNS,
      rows
        .filter((row) => !isMarket() || (row.market_id === param('market') && row.chain === param('chain')))
        .toSorted((a, b) => b.changed_at - a.changed_at),
      SHORT_PAGE,
    ),
});

const act = columnsOf<VaultAct>();

const ACT_COLUMNS: readonly Column<VaultAct>[] = [
  act.text('When, UTC', 'timestamp', timeText),
  act.text('Act', 'on_chain_event', caption),
  act.text('Kind', 'governance_kind'),
  {
    name: 'Vault',
    cell: ({ vault_address }) => named(nameOf(vault_address), vault_address),
    value: ({ vault_address }) => nameOf(vault_address),
  },
];

const isOfChosenVault = ({ chain, vault_address }: VaultAct): boolean =>
  param('vault') === undefined || (vault_address === param('vault') && chain === param('chain'));

export const governance = panel<readonly VaultAct[]>({
  id: 'vault-events',
  title: 'Vault governance',
  isWide: true,
  address: () => target('/v2/datasets/vault-events'),
  view: (rows) =>
    tableView(
      'Vault governance',
      ACT_COLUMNS,
      rows
        .filter((row) => row.governance_kind !== null && isOfChosenVault(row))
        .toSorted((a, b) => b.timestamp - a.timestamp),
      SHORT_PAGE,
    ),
});
