// Acts of those who control vaults.
import { target } from './api.ts';
import { columnsOf } from './columns.ts';
import { named, timeText, caption } from './format.ts';
import { nameOf } from './names.ts';
import { panel } from './panel.ts';
import { param } from './state.ts';
import { type Column, SHORT_PAGE, tableView } from './table.ts';
import type { VaultAct } from './vault-changes.ts';

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
