// Acts of those who control vaults.
import { html } from 'lit-html';
import { target } from './api.ts';
import { caption, named, timeText } from './format.ts';
import { heldNote } from './missing-reason.ts';
import { nameOf } from './names.ts';
import { panel } from './panel.ts';
import { param } from './state.ts';
import { type Column, columnsOf, SHORT_PAGE, tableView } from './table.ts';

interface VaultAct {
  readonly chain: string;
  readonly vault_address: string;
  readonly on_chain_event: string;
  readonly governance_kind: string | null;
  readonly timestamp: number;
}

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
  view: (rows) => {
    const acts = rows
      .filter((row) => row.governance_kind !== null && isOfChosenVault(row))
      .toSorted((a, b) => b.timestamp - a.timestamp);
    return html`${heldNote('vault-events')}${
      acts.length === 0
        ? html`<p class="empty">No act in the logs that were read.</p>`
        : tableView('Vault governance', ACT_COLUMNS, acts, SHORT_PAGE)
    }`;
  },
});
