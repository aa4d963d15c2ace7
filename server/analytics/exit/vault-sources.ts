// The inputs of the exit from a vault, from its published row, holdings and hours.

import type { MarketClaim } from '../../../models/oracle-doubts.ts';
import { type VaultHours, vaultExitInputs } from '../../../models/vault-exit-inputs.ts';
import type { SetVault } from '../../../models/vault-flow.ts';
import { vaultMarkets } from '../../../models/vault-markets.ts';
import { DAY_S } from '../../../platform/base/time.ts';
import { canonicalJson, sha256Hex } from '../../../platform/storage/canonical.ts';
import { SERIES_DAYS } from '../../../schemas/series.ts';
import type { VaultHoldings } from '../../../schemas/vault-holdings.ts';
import type { Vault } from '../../../schemas/vaults.ts';
import { heldSubject } from '../../../snapshots/verdict.ts';
import { missingDocument } from '../../define/missing-data.ts';
import { readSeries } from '../../series/read-series.ts';
import type { Services } from '../../services.ts';
import { HOLDINGS, VAULT_DATASETS, VAULTS } from '../published-vaults.ts';
import { type InputDocument, parsed } from '../task.ts';
import { requireDataset, type VersionInputs } from '../version-inputs.ts';

const PREFIX = 'vault:';
export const isVault = (id: string): boolean => id.startsWith(PREFIX);

/** `<chain>:<address>` of a vault, or the id of a market as it is. */
export const withoutKind = (id: string): string => (isVault(id) ? id.slice(PREFIX.length) : id);

export interface VaultSources {
  /** As of a market. */
  readonly exit: InputDocument;
  /** Hashes of the published files behind it, by what each is. */
  readonly hashes: Readonly<Record<string, string>>;
  /** What a position has in each market. */
  claims(amount_usd: number): { readonly claims: readonly MarketClaim[]; readonly hiddenShare: number };
}

/** @throws Failure `not_found`, `unavailable` if a failed check holds the vault back */
export async function vaultSources(
  services: Services,
  inputs: VersionInputs,
  id: string,
): Promise<VaultSources> {
  const entry = requireDataset(inputs, VAULTS, 'vaults');
  requireDataset(inputs, HOLDINGS, 'vaults');
  const key = withoutKind(id).toLowerCase().replace(':', '|');
  const manifest = await services.datasets.manifestAt({ version: inputs.version });
  for (const dataset of VAULT_DATASETS)
    if (heldSubject(manifest, dataset, key.split('|')) !== undefined)
      throw missingDocument({ manifest }, dataset, key);
  const vault = vaultIn(inputs, key);
  if (vault === undefined) throw missingDocument({ manifest }, VAULTS, key);
  const asOf = Math.floor(Date.parse(inputs.as_of) / 1_000);
  const { hours, files } = await hoursOf(services, { entry, key, asOf });
  const bytes = Buffer.from(canonicalJson(vaultExitInputs(vault.row, hours, asOf)));
  const hashes = { ...files, row: inputs.document(VAULTS, key)?.hash ?? '' };
  return { exit: { hash: sha256Hex(bytes), bytes }, hashes, claims: (usd) => claimsOf(vault, usd, inputs) };
}

function vaultIn(inputs: VersionInputs, key: string): SetVault | undefined {
  const row = inputs.document(VAULTS, key);
  const holdings = inputs.document(HOLDINGS, key);
  if (row === undefined) return undefined;
  return {
    row: parsed<Vault>(row),
    holdings: holdings === undefined ? undefined : parsed<VaultHoldings>(holdings),
    isHeldBack: false,
  };
}

const COLUMNS = ['withdrawable_usd', 'total_assets', 'total_assets_usd'] as const;

/** In halves, because one reading of all hours would be thinned. */
async function hoursOf(
  { series }: Services,
  {
    entry,
    key,
    asOf,
  }: { readonly entry: ReturnType<typeof requireDataset>; readonly key: string; readonly asOf: number },
) {
  const half = (SERIES_DAYS['1h'] / 2) * DAY_S;
  const wanted = { dataset: VAULTS, entry, key, columns: COLUMNS };
  const read = async (from: number, to: number) => readSeries(series, wanted, { resolution: '1h', from, to });
  const [older, newer] = [await read(asOf - 2 * half, asOf - half - 1), await read(asOf - half, asOf)];
  const column = (name: (typeof COLUMNS)[number]) =>
    [older, newer].flatMap(({ columns }) => (columns[name] ?? []) as readonly (number | null)[]);
  const hours: VaultHours = {
    t: [older, newer].flatMap(({ t }) => t),
    withdrawable_usd: column('withdrawable_usd'),
    total_assets: column('total_assets'),
    total_assets_usd: column('total_assets_usd'),
  };
  const files = Object.fromEntries([...older.files, ...newer.files].map((sha256) => [sha256, sha256]));
  return { hours, files };
}

function claimsOf(vault: SetVault, amount_usd: number, inputs: VersionInputs) {
  const { markets, isComplete } = vaultMarkets(vault, (key) => vaultIn(inputs, key));
  const total = vault.row.total_assets;
  const isKnown = isComplete && total !== null && total > 0;
  const claims =
    total === null || total <= 0
      ? []
      : markets.map(({ market, own }) => ({ market, amount_usd: (amount_usd * own) / total }));
  return { claims, hiddenShare: isKnown ? 0 : 1 };
}
