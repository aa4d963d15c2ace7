// The vaults of a version with their holdings, and whether a failed check holds them back.
import { newestReadings, withReadings } from '../../models/vault-cash.ts';
import type { SetVault } from '../../models/vault-flow.ts';
import { oncePer } from '../../platform/base/once-per.ts';
import type { VaultHoldings } from '../../schemas/vault-holdings.ts';
import { VAULT_SERIES, type Vault } from '../../schemas/vaults.ts';
import type { Manifest } from '../../snapshots/layout.ts';
import { heldSubject } from '../../snapshots/verdict.ts';
import type { Documents } from '../data/documents.ts';
import { parsedRows } from './version-inputs.ts';

export const VAULTS = VAULT_SERIES.dataset;
export const HOLDINGS = 'vault-holdings';
export const VAULT_DATASETS = [VAULTS, HOLDINGS] as const;

const rowsOf = oncePer((documents: Documents): ReadonlyMap<string, Vault> => parsedRows(documents));
const holdingsOf = oncePer(
  (documents: Documents): ReadonlyMap<string, VaultHoldings> => parsedRows(documents),
);

/** A version, as far as vaults need it. */
export interface VaultVersion {
  readonly manifest: Manifest;
  dataset(id: string): { readonly documents: Documents } | undefined;
}

const isHeld = ({ manifest }: VaultVersion, key: string): boolean =>
  VAULT_DATASETS.some((id) => heldSubject(manifest, id, key.split('|')) !== undefined);

/** The newest cash of every market. What is held back, or of another state than its vault, says nothing. */
const readingsOf = oncePer((version: VaultVersion) => {
  const rows = version.dataset(VAULTS)?.documents;
  const holdings = version.dataset(HOLDINGS)?.documents;
  if (rows === undefined || holdings === undefined) return newestReadings([]);
  const known = rowsOf(rows);
  return newestReadings(
    [...holdingsOf(holdings)].flatMap(([key, held]) =>
      held.state_at !== known.get(key)?.state_at || isHeld(version, key) ? [] : [held],
    ),
  );
});

export function publishedVaults(version: VaultVersion) {
  const documents = version.dataset(VAULTS)?.documents;
  const rows = documents === undefined ? new Map<string, Vault>() : rowsOf(documents);
  const held = version.dataset(HOLDINGS)?.documents;
  const holdingsBy = held && holdingsOf(held);
  const vaultOf = (key: string): SetVault | undefined => {
    const row = rows.get(key);
    if (row === undefined) return undefined;
    const vault = { row, holdings: holdingsBy?.get(key), isHeldBack: isHeld(version, key) };
    return withReadings(vault, readingsOf(version));
  };
  return { rows, vaultOf };
}
