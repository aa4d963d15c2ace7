// The figures of the vaults that a request selects. What it names and no version has, and what a failed check holds back, belongs to the
// set or may: then the set has no figure that would need it.
import { type MissingVault, type SetVault, vaultTotals } from '../../models/vault-sets.ts';
import type { VaultHoldings } from '../../schemas/vault-holdings.ts';
import type { Vault } from '../../schemas/vaults.ts';
import { heldDataset, heldSubject } from '../../snapshots/verdict.ts';
import type { AnyOf, Between } from '../data/paging/selection.ts';
import type { Reply } from '../define/endpoint.ts';
import { missingDataset, servedVersion } from '../define/missing-data.ts';
import type { LoadedVersion, Services } from '../services.ts';

interface TotalsRequest {
  readonly selection: { readonly any: readonly AnyOf[]; readonly between: readonly Between[] };
  /** Ids of the datasets of vaults and of their holdings. */
  readonly dataset: string;
  readonly holdings: string;
}

/** @throws Failure `unavailable` for data that is not there yet or held back */
export function vaultTotalsReply(services: Services, request: TotalsRequest): Reply {
  const { selection, dataset, holdings } = request;
  const version = services.versions.current;
  const list = version?.list(dataset);
  if (version === undefined || list === undefined) throw missingDataset(servedVersion(services), dataset);
  const { rows, total } = list.table.page(selection, 0, Number.MAX_SAFE_INTEGER);
  const vaultOf = vaultsOf(version, request);
  const selected = JSON.parse(rows.toString()) as readonly Vault[];
  const vaults = selected.flatMap(({ chain, vault_address }) => vaultOf(`${chain}|${vault_address}`) ?? []);
  const isHeld = [dataset, holdings].some((id) => heldDataset(version.manifest, id) !== undefined);
  const payload = vaultTotals({
    vaults,
    vaultOf,
    missing: missingFrom(version, request),
    gaps: isHeld || isListCut(version) ? ['held_back'] : [],
  });
  const identity = services.identify(
    [version.version, list.entry.sha256, total, JSON.stringify(selection.any), minimumsOf(selection)].join(
      ' ',
    ),
  );
  return { payload, about: list.entry, identity };
}

const minimumsOf = ({ between }: TotalsRequest['selection']): string =>
  between.map(({ field, min }) => `${field} ${min}`).join(' ');

/** Subjects beyond those that the manifest lists are held back too. */
const isListCut = ({ manifest: { held_subjects: held } }: LoadedVersion): boolean =>
  held !== undefined && held.total > held.list.length;

function vaultsOf(version: LoadedVersion, { dataset, holdings }: TotalsRequest) {
  const documentsOf = (id: string) => version.dataset(id)?.documents;
  return (key: string): SetVault | undefined => {
    const row = documentsOf(dataset)?.get(key);
    if (row === undefined) return undefined;
    const held = documentsOf(holdings)?.get(key);
    const parts = key.split('|');
    return {
      row: JSON.parse(row.toString()) as Vault,
      holdings: held === undefined ? undefined : (JSON.parse(held.toString()) as VaultHoldings),
      isHeldBack: [dataset, holdings].some((id) => heldSubject(version.manifest, id, parts) !== undefined),
    };
  };
}

function missingFrom(version: LoadedVersion, request: TotalsRequest): readonly MissingVault[] {
  const held = heldOf(version, request);
  const isHeld = ({ chain, vault_address: address }: MissingVault) =>
    held.some((one) => one.vault_address === address && (chain === null || one.chain === chain));
  return [
    ...held,
    ...unknownOf(version, request).filter((one) => !isHeld(one)),
    ...unsizedOf(version, request),
  ];
}

/** Vaults that a minimum leaves out because the figure that it compares is unknown. */
function unsizedOf(version: LoadedVersion, { selection, dataset }: TotalsRequest): readonly MissingVault[] {
  const table = version.list(dataset)?.table;
  if (table === undefined || selection.between.length === 0) return [];
  const { rows } = table.page({ any: selection.any, between: [] }, 0, Number.MAX_SAFE_INTEGER);
  return (JSON.parse(rows.toString()) as readonly Vault[])
    .filter((row) => selection.between.some(({ field }) => row[field as keyof Vault] === null))
    .map(({ chain, vault_address }) => ({ chain, vault_address, gap: 'assets_unknown' }));
}

/** Vaults that the request names and that are not published. */
function unknownOf(version: LoadedVersion, { selection, dataset }: TotalsRequest): readonly MissingVault[] {
  const names = selection.any.find(({ facet }) => facet === 'vault')?.values ?? [];
  const table = version.list(dataset)?.table;
  const isKnown = (name: string) =>
    table !== undefined &&
    table.page({ any: [{ facet: 'vault', values: [name] }], between: [] }, 0, 1).total > 0;
  return names
    .filter((name) => !isKnown(name))
    .map((name) => {
      const at = name.indexOf(':');
      return {
        chain: at === -1 ? null : name.slice(0, at),
        vault_address: name.slice(at + 1),
        gap: 'vault_unknown',
      };
    });
}

/** Vaults without a published row because they are held back, which the request does not exclude by chain or name. */
function heldOf(version: LoadedVersion, { selection, dataset }: TotalsRequest): readonly MissingVault[] {
  const valuesOf = (facet: string) => selection.any.find((one) => one.facet === facet)?.values;
  const [names, chains] = [valuesOf('vault'), valuesOf('chain')];
  return (version.manifest.held_subjects?.list ?? []).flatMap(({ dataset: id, subject }) => {
    const [chain = '', address = ''] = subject.split(' ');
    if (id !== dataset || address === '') return [];
    if (version.dataset(dataset)?.documents.get(`${chain}|${address}`) !== undefined) return [];
    const isOut =
      chains?.includes(chain) === false ||
      (names !== undefined && !names.includes(address) && !names.includes(`${chain}:${address}`));
    return isOut ? [] : [{ chain, vault_address: address, gap: 'held_back' as const }];
  });
}
