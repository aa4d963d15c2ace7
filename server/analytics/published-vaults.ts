// The vaults of a version with their holdings, and whether a failed check holds them back. The cash of a market is one amount, whichever vaults
// are asked for: that of the newest reading among all published ones, and the lowest of several at one time. With the reading of each set, a
// further vault could lower what the others can withdraw.
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

/** Whether a failed check holds back its state or its holdings. `key`: `<chain>|<address>` */
export const isVaultHeld = (manifest: Manifest, key: string): boolean =>
  VAULT_DATASETS.some((id) => heldSubject(manifest, id, key.split('|')) !== undefined);

/** Of one version, read once. */
export const publishedVaults = oncePer((version: VaultVersion) => {
  const documents = version.dataset(VAULTS)?.documents;
  const rows = documents === undefined ? new Map<string, Vault>() : rowsOf(documents);
  const held = version.dataset(HOLDINGS)?.documents;
  const holdingsBy = held === undefined ? new Map<string, VaultHoldings>() : holdingsOf(held);
  const heldBack = new Set([...rows.keys()].filter((key) => isVaultHeld(version.manifest, key)));
  // What is held back, or of another state than its vault, says nothing of the cash.
  const readings = newestReadings(
    [...holdingsBy].flatMap(([key, one]) =>
      heldBack.has(key) || one.state_at !== rows.get(key)?.state_at ? [] : [one],
    ),
  );
  const vaults = new Map(
    [...rows].map(([key, row]): [string, SetVault] => [
      key,
      withReadings({ row, holdings: holdingsBy.get(key), isHeldBack: heldBack.has(key) }, readings),
    ]),
  );
  return { rows, vaultOf: (key: string): SetVault | undefined => vaults.get(key) };
});

interface Reading {
  readonly at: number;
  readonly cash: number;
  readonly supply: number | null;
}

type Readings = ReadonlyMap<string, Reading>;

/** By market, `<chain>|<market_id>`. */
function newestReadings(all: Iterable<VaultHoldings>): Readings {
  const newest = new Map<string, Reading>();
  for (const { chain, state_at: at, holdings } of all)
    for (const { held_kind, held, market_cash: cash, market_supply: supply } of holdings) {
      if (held_kind !== 'market' || cash === null) continue;
      const key = `${chain}|${held}`;
      const known = newest.get(key);
      if (known === undefined || at > known.at || (at === known.at && cash < known.cash))
        newest.set(key, { at, cash, supply });
    }
  return newest;
}

/** What a vault did not read itself stays unknown. */
function withReadings({ holdings, ...vault }: SetVault, readings: Readings): SetVault {
  if (holdings === undefined) return { ...vault, holdings };
  const updated = holdings.holdings.map((one) => {
    const read = one.held_kind === 'market' ? readings.get(`${vault.row.chain}|${one.held}`) : undefined;
    const isOwn = read === undefined || one.market_cash === null;
    return isOwn ? one : { ...one, market_cash: read.cash, market_supply: read.supply ?? one.market_supply };
  });
  return { ...vault, holdings: { ...holdings, holdings: updated } };
}
