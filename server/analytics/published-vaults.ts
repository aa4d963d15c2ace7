// The vaults of a version with their holdings, and whether a failed check holds them back.
import type { SetVault } from '../../models/vault-flow.ts';
import { oncePer } from '../../platform/base/once-per.ts';
import type { VaultHoldings } from '../../schemas/vault-holdings.ts';
import type { Vault } from '../../schemas/vaults.ts';
import { heldSubject } from '../../snapshots/verdict.ts';
import type { Documents } from '../data/documents.ts';
import type { LoadedVersion } from '../services.ts';
import { parsedRows } from './version-inputs.ts';

const rowsOf = oncePer((documents: Documents): ReadonlyMap<string, Vault> => parsedRows(documents));
const holdingsOf = oncePer(
  (documents: Documents): ReadonlyMap<string, VaultHoldings> => parsedRows(documents),
);

/** `vaults`, `holdings`: ids of the datasets. */
export function publishedVaults(
  version: LoadedVersion,
  { vaults, holdings }: { readonly vaults: string; readonly holdings: string },
) {
  const documents = version.dataset(vaults)?.documents;
  const rows = documents === undefined ? new Map<string, Vault>() : rowsOf(documents);
  const held = version.dataset(holdings)?.documents;
  const holdingsBy = held && holdingsOf(held);
  const vaultOf = (key: string): SetVault | undefined => {
    const row = rows.get(key);
    if (row === undefined) return undefined;
    const parts = key.split('|');
    const isHeldBack = [vaults, holdings].some(
      (id) => heldSubject(version.manifest, id, parts) !== undefined,
    );
    return { row, holdings: holdingsBy?.get(key), isHeldBack };
  };
  return { rows, vaultOf };
}
