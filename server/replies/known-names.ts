// The chains and protocols that a version knows: those of its rows, of what it covers without rows, and of the event log.
import { oncePer } from '../../platform/base/once-per.ts';
import type { Manifest } from '../../snapshots/layout.ts';
import { familyOf, heldPart } from '../../snapshots/verdict.ts';
import { type FilterValue, strangeValue } from '../define/filter-values.ts';
import type { LoadedDataset, Services } from '../services.ts';

type NameKind = 'chain' | 'protocol';
type Names = Readonly<Record<NameKind, ReadonlySet<string>>>;
type Row = Readonly<Record<string, unknown>>;

/** Facets of lists whose values are names. */
const KINDS: Readonly<Record<string, NameKind>> = { chain: 'chain', protocol: 'protocol' };

type Documents = LoadedDataset['documents'];

interface NamedBy {
  chain?(row: Row): unknown;
  protocol?(row: Row, key: string): unknown;
}

const namesBy = (by: NamedBy) =>
  oncePer((documents: Documents): Names => {
    const names = { chain: new Set<string>(), protocol: new Set<string>() };
    for (const key of documents.keys()) {
      const row = JSON.parse(documents.get(key)?.toString() ?? '{}') as Row;
      for (const kind of ['chain', 'protocol'] as const) {
        const name = by[kind]?.(row, key);
        if (typeof name === 'string') names[kind].add(name.toLowerCase());
      }
    }
    return names;
  });

const chain = (row: Row): unknown => row['chain'];
const columns: NamedBy = { chain, protocol: (row) => row['protocol'] };
const NAMED: Readonly<Record<string, (documents: Documents) => Names>> = {
  coverage: namesBy({
    chain,
    protocol: ({ scope, scope_id }) => (scope === 'protocol' ? scope_id : undefined),
  }),
  pegs: namesBy(columns),
  feeds: namesBy(columns),
  'lending-markets': namesBy(columns),
  'lending-vaults': namesBy(columns),
  vaults: namesBy(columns),
  'oracle-paths': namesBy(columns),
  'yield-opportunities': namesBy({ chain, protocol: (row) => row['venue'] }),
  networks: namesBy({ chain: (row) => row['network'] }),
  'overall-receipts': namesBy({ protocol: (_, key) => key }),
};

/** The chains and protocols by which a request selects events. */
export const eventNames = (
  names: Readonly<Record<NameKind, ReadonlySet<string> | undefined>>,
): readonly FilterValue[] =>
  (['chain', 'protocol'] as const).flatMap((kind) =>
    [...(names[kind] ?? [])].map((value) => ({ parameter: kind, facet: kind, value })),
  );

export interface NameScope {
  readonly manifest: Manifest;
  /** The last event to consider. */
  readonly upTo?: string | undefined;
}

/** The chains and protocols among values of filters that no published row and no event has, and nothing that the version covers. */
export async function unknownNames(
  services: Services,
  given: readonly FilterValue[],
  scope: NameScope,
): Promise<readonly FilterValue[]> {
  const unknown: FilterValue[] = [];
  for (const one of given) {
    const kind = KINDS[one.facet];
    if (kind === undefined || (await hasEvents(services, { [kind]: one.value }, scope))) continue;
    if (!(await namesIn(services, scope.manifest, kind)).has(one.value)) unknown.push(one);
  }
  return unknown;
}

/**
 * Chains and protocols are a closed set that each version knows, although a list may have no row of one of them. Values of other facets
 * are ids, which may appear later. Returns the unknown names while rows that may have them are missing. @throws Failure
 * `validation_failed` for an unknown name if nothing is missing
 */
export async function refuseUnknownNames(
  services: Services,
  given: readonly FilterValue[],
  scope: NameScope,
): Promise<readonly FilterValue[]> {
  const unknown = await unknownNames(services, given, scope);
  const [first] = unknown;
  if (first === undefined || isPartial(scope.manifest)) return unknown;
  const kind = KINDS[first.facet] ?? 'chain';
  const possible = [...(await namesIn(services, scope.manifest, kind))].sort();
  const why = `must be a ${kind} that a published row or an event has (${listOf(possible)})`;
  throw strangeValue(first, { possible, why });
}

const MAX_LISTED = 50;
const listOf = (names: readonly string[]): string =>
  names.length <= MAX_LISTED
    ? names.join(', ')
    : `${names.slice(0, MAX_LISTED).join(', ')} and ${names.length - MAX_LISTED} more`;

/** Whether names may be missing: what is held back, or of which no source was read, is not unknown. */
const isPartial = oncePer((manifest: Manifest): boolean =>
  Object.keys(NAMED).some(
    (id) => heldPart(manifest, id) !== undefined || familyOf(manifest, id)?.state === 'unknown',
  ),
);

const WHOLE_LOG = { from: 0, to: Number.POSITIVE_INFINITY, isNewestFirst: true, limit: 1 };

async function hasEvents(
  { replay }: Services,
  name: { readonly [kind in NameKind]?: string },
  { upTo }: NameScope,
): Promise<boolean> {
  const names = Object.fromEntries(Object.entries(name).map(([kind, value]) => [kind, new Set([value])]));
  return (await replay.search({ ...WHOLE_LOG, names }, { upTo })).events.length > 0;
}

async function namesIn(
  { versions }: Services,
  manifest: Manifest,
  kind: NameKind,
): Promise<ReadonlySet<string>> {
  const all = new Set<string>();
  for (const [id, namesOf] of Object.entries(NAMED)) {
    const dataset = await versions.datasetOf(id, manifest);
    for (const name of dataset === undefined ? [] : namesOf(dataset.documents)[kind]) all.add(name);
  }
  const sources = Object.values(manifest.datasets).flatMap((entry) => entry.sources);
  for (const source of kind === 'chain' ? sources : [])
    if (source.chain !== null) all.add(source.chain.toLowerCase());
  return all;
}
