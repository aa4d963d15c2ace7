// The figures of the vaults that a request selects. What it names and no version has, what a failed check holds back, and what a filter
// cannot judge belongs to the set or may: then the set has no figure that would need it.
import { type MissingVault, vaultTotals } from '../../models/vault-sets.ts';
import type { Vault } from '../../schemas/vaults.ts';
import { heldDataset, heldUnlisted } from '../../snapshots/verdict.ts';
import { type AnyOf, type NumberRange, selectionKey } from '../data/paging/selection.ts';
import type { Reply } from '../define/endpoint.ts';
import type { ListShape } from '../define/list-shape.ts';
import { missingDataset, servedVersion } from '../define/missing-data.ts';
import type { LoadedVersion, Services } from '../services.ts';
import { publishedVaults, VAULT_DATASETS } from './published-vaults.ts';

interface TotalsRequest {
  readonly selection: { readonly any: readonly AnyOf[]; readonly between: readonly NumberRange[] };
  /** Of the list of vaults. */
  readonly shape: Pick<ListShape, 'dataset' | 'facets'>;
}

/** @throws Failure `unavailable` for data that is not there yet or held back */
export function vaultTotalsReply(services: Services, request: TotalsRequest): Reply {
  const { selection, shape } = request;
  const { dataset } = shape;
  const version = services.versions.current;
  const loaded = version?.dataset(dataset);
  if (version === undefined || loaded === undefined) throw missingDataset(servedVersion(services), dataset);
  const { rows, vaultOf } = publishedVaults(version);
  const doubts = [...rows].flatMap(([key, row]) => {
    const gaps = doubtsOf(row, request);
    return gaps === undefined ? [] : [{ key, row, gaps }];
  });
  const isHeld = VAULT_DATASETS.some((id) => heldDataset(version.manifest, id) !== undefined);
  const totals = vaultTotals({
    vaults: doubts.flatMap(({ key, gaps }) => (gaps.length === 0 ? (vaultOf(key) ?? []) : [])),
    vaultOf,
    missing: [
      ...absentFrom(version, { rows, request }),
      ...doubts.flatMap(({ row: { chain, vault_address }, gaps }) =>
        gaps.length === 0 ? [] : [{ chain, vault_address, gaps }],
      ),
    ],
    gaps: isHeld || heldUnlisted(version.manifest) !== undefined ? ['held_back'] : [],
  });
  return {
    payload: Buffer.from(JSON.stringify(totals)),
    about: loaded.entry,
    identity: services.identify([version.version, loaded.entry.sha256, selectionKey(selection)].join(' ')),
  };
}

interface FacetDoubt {
  readonly gap: string;
  /** Whether a vault without any of the values may have one of them. */
  isUnknown(row: Vault, values: readonly string[]): boolean;
}

const isAddress = (value: string): boolean => value.startsWith('0x');

/** Of the facets whose value can be unknown. A registered vault without a curator has none. */
const FACET_DOUBTS: Readonly<Record<string, FacetDoubt>> = {
  kind: { gap: 'kind_unknown', isUnknown: ({ kind }) => kind === null || kind === 'unknown' },
  protocol: { gap: 'protocol_unknown', isUnknown: ({ protocol }) => protocol === null },
  asset: {
    gap: 'asset_unknown',
    isUnknown: ({ asset_address, asset_symbol }, values) =>
      values.some((value) => (isAddress(value) ? asset_address : asset_symbol) === null),
  },
  curator: {
    gap: 'curator_unknown',
    isUnknown: ({ curator_address, has_metadata }) => curator_address === null && !has_metadata,
  },
  has_pending: { gap: 'changes_unknown', isUnknown: ({ pending_changes }) => pending_changes === null },
};

/** Why it is not known whether a vault belongs to the set: nothing if it does; undefined if it does not. */
function doubtsOf(row: Vault, { selection, shape }: TotalsRequest): readonly string[] | undefined {
  const gaps: string[] = [];
  for (const { facet, values } of selection.any) {
    if (shape.facets[facet]?.(row).some((value) => values.includes(value))) continue;
    const doubt = FACET_DOUBTS[facet];
    if (doubt?.isUnknown(row, values) !== true) return undefined;
    gaps.push(doubt.gap);
  }
  for (const { field, min, max } of selection.between) {
    const value = row[field as keyof Vault];
    if (typeof value !== 'number') gaps.push('assets_unknown');
    else if (value < min || value > max) return undefined;
  }
  return gaps;
}

interface SetSource {
  readonly rows: ReadonlyMap<string, Vault>;
  readonly request: TotalsRequest;
}

/** Vaults without a published row that belong to the set. */
function absentFrom(version: LoadedVersion, source: SetSource): readonly MissingVault[] {
  const held = heldOf(version, source);
  const isHeld = ({ chain, vault_address: address }: MissingVault) =>
    held.some((one) => one.vault_address === address && (chain === null || one.chain === chain));
  return [...held, ...unknownOf(source).filter((one) => !isHeld(one))];
}

/** Vaults that the request names and that are not published. */
function unknownOf({ rows, request: { selection, shape } }: SetSource): readonly MissingVault[] {
  const names = selection.any.find(({ facet }) => facet === 'vault')?.values ?? [];
  const known = new Set(
    names.length === 0 ? [] : [...rows.values()].flatMap((row) => shape.facets['vault']?.(row) ?? []),
  );
  return names
    .filter((name) => !known.has(name))
    .map((name) => {
      const at = name.indexOf(':');
      return {
        chain: at === -1 ? null : name.slice(0, at),
        vault_address: name.slice(at + 1),
        gaps: ['vault_unknown'],
      };
    });
}

/** Vaults without a published row because they are held back, which the request does not exclude by chain or name. */
function heldOf(
  { manifest }: LoadedVersion,
  { rows, request: { selection, shape } }: SetSource,
): readonly MissingVault[] {
  const valuesOf = (facet: string) => selection.any.find((one) => one.facet === facet)?.values;
  const [names, chains] = [valuesOf('vault'), valuesOf('chain')];
  return (manifest.held_subjects?.list ?? []).flatMap(({ dataset: id, subject }) => {
    const [chain = '', address = ''] = subject.split(' ');
    if (id !== shape.dataset || address === '' || rows.has(`${chain}|${address}`)) return [];
    const isOut =
      chains?.includes(chain) === false ||
      (names !== undefined && !names.includes(address) && !names.includes(`${chain}:${address}`));
    return isOut ? [] : [{ chain, vault_address: address, gaps: ['held_back'] }];
  });
}
