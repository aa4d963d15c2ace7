// The exit of one holder from a vault, from the served version.
import { type ExitAmount, assetsOf, vaultExit } from '../../models/vault-exit.ts';
import { ROUNDING } from '../../models/vault-flow.ts';
import { heldDataset, heldSubject, heldUnlisted } from '../../snapshots/verdict.ts';
import type { Reply } from '../define/endpoint.ts';
import { parameterFailure } from '../define/failure.ts';
import { missingDataset, missingDocument, servedVersion } from '../define/missing-data.ts';
import type { LoadedVersion, Services } from '../services.ts';
import { DOUBT_DATASETS, oracleRowsOf } from './oracle-doubts.ts';
import { publishedVaults, VAULT_DATASETS, VAULTS } from './published-vaults.ts';

interface VaultExitCall {
  /** `<chain>|<address>` */
  readonly key: string;
  /** Null: all of the vault. */
  readonly amount: ExitAmount | null;
}

/** @throws Failure `not_found`, `validation_failed`, `unavailable` for data that is not there yet or held back */
export function vaultExitReply(services: Services, { key, amount }: VaultExitCall): Reply {
  const version = services.versions.current;
  const loaded = version?.dataset(VAULTS);
  if (version === undefined || loaded === undefined) throw missingDataset(servedVersion(services), VAULTS);
  const { vaultOf } = publishedVaults(version);
  const vault = vaultOf(key);
  for (const id of VAULT_DATASETS) {
    if (heldDataset(version.manifest, id) !== undefined) throw missingDataset(version, id);
    if (vault === undefined || heldSubject(version.manifest, id, key.split('|')) !== undefined)
      throw missingDocument(version, id, key);
  }
  if (vault === undefined) throw missingDocument(version, VAULTS, key);
  const assets = assetsOf(amount, vault.row);
  const { total_assets: total, asset_symbol: symbol } = vault.row;
  if (assets !== null && total !== null && assets > total * (1 + ROUNDING))
    throw parameterFailure(
      'amount',
      `is more than exists: the vault has ${total} ${symbol ?? 'of its asset'}`,
    );
  const oracles = oracleRowsOf(sourceOf(version));
  const isDoubtful = heldUnlisted(version.manifest) !== undefined;
  const hashes = [...VAULT_DATASETS, ...DOUBT_DATASETS].map((id) => version.dataset(id)?.entry.sha256 ?? '');
  return {
    payload: vaultExit({ vault, vaultOf, amount, oracles, isDoubtful }),
    about: loaded.entry,
    identity: services.identify(JSON.stringify([version.version, hashes, key, amount])),
  };
}

/** Documents by their bytes; nothing here needs their hashes. */
const sourceOf = (version: LoadedVersion): Parameters<typeof oracleRowsOf>[0] => ({
  entry: (id) => version.dataset(id)?.entry,
  document(id, key) {
    const bytes = version.dataset(id)?.documents.get(key);
    return bytes === undefined ? undefined : { hash: '', bytes };
  },
});
