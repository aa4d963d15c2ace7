// The chains and protocols that a version knows: those of its rows, of what it covers without rows, and of the event log.
import { oncePer } from '../../platform/base/once-per.ts';
import { ownMember } from '../../platform/base/own-member.ts';
import type { Manifest } from '../../snapshots/layout.ts';
import { familyOf, heldPart } from '../../snapshots/verdict.ts';
import { Failure } from '../define/failure.ts';
import { type FilterValue, strangeValue } from '../define/filter-values.ts';
import { nothingPublished } from '../define/missing-data.ts';
import type { LoadedDataset, LoadedVersion, Services } from '../services.ts';
import { failureOf } from './error-response.ts';
import { isReadUpTo } from './event-log-view.ts';

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
  /** Undefined before the first version. */
  readonly manifest: Manifest | undefined;
  /** The last event to consider. */
  readonly upTo?: string | undefined;
}

/** What became of the chains and protocols among values of filters. */
export interface NameCheck {
  /** No published row and no event has them, and nothing that the version covers. */
  readonly unmatched: readonly FilterValue[];
  /** It cannot be said, because published data or the event log cannot be read now. */
  readonly unchecked: readonly FilterValue[];
}

export async function checkNames(
  services: Services,
  given: readonly FilterValue[],
  scope: NameScope,
): Promise<NameCheck> {
  const unmatched: FilterValue[] = [];
  const unchecked: FilterValue[] = [];
  for (const one of given) {
    const kind = KINDS[one.facet];
    const has = kind === undefined || (await hasName(services, { kind, name: one.value }, scope));
    if (has === undefined) unchecked.push(one);
    else if (!has) unmatched.push(one);
  }
  return { unmatched, unchecked };
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
): Promise<NameCheck> {
  const check = await checkNames(services, given, scope);
  const [first] = check.unmatched;
  if (first === undefined || scope.manifest === undefined || isPartial(scope.manifest)) return check;
  const kind = KINDS[first.facet] ?? 'chain';
  const possible = [...(await namesIn(services, scope.manifest, kind))].sort();
  const why = `must be a ${kind} that a published row or an event has (${listOf(possible)})`;
  throw strangeValue(first, { possible, why });
}

/** For answers that have no place to say what was not checked. @throws Failure like `refuseUnknownNames`, and `unavailable` */
export async function requireKnownNames(
  services: Services,
  given: readonly FilterValue[],
  scope: NameScope,
): Promise<void> {
  const { unchecked } = await refuseUnknownNames(services, given, scope);
  const [first] = unchecked;
  if (first === undefined) return;
  const { parameter, value } = first;
  throw new Failure(
    'unavailable',
    `Whether there is a ${parameter} ${JSON.stringify(value)} cannot be said: published data or the event log cannot be read now.`,
    { details: { parameter } },
  );
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

interface Name {
  readonly kind: NameKind;
  readonly name: string;
}

/** Whether a row or an event has a name. One of them is enough to know it; undefined if none has it, and one of them cannot be read. */
async function hasName(services: Services, name: Name, scope: NameScope): Promise<boolean | undefined> {
  let isSure = true;
  for (const has of [hasRows, hasEvents])
    try {
      if (await has(services, name, scope)) return true;
    } catch (thrown) {
      if (failureOf(thrown).code !== 'unavailable') throw thrown;
      isSure = false;
    }
  return isSure ? false : undefined;
}

async function hasRows(services: Services, { kind, name }: Name, { manifest }: NameScope): Promise<boolean> {
  if (manifest === undefined) throw nothingPublished();
  return (await namesIn(services, manifest, kind)).has(name);
}

async function hasEvents(services: Services, { kind, name }: Name, { manifest, upTo }: NameScope) {
  if (await services.replay.has({ names: { [kind]: new Set([name]) } }, { upTo })) return true;
  if (manifest === undefined || !isReadUpTo(services, manifest))
    throw new Failure('unavailable', 'The event log has not been read up to this version.');
  return false;
}

/** Facets of the largest list with the same names, so that its rows are not parsed a second time. */
const FACETS: Readonly<Record<string, Readonly<Record<NameKind, string>>>> = {
  'yield-opportunities': { chain: 'chain', protocol: 'venue' },
};

function listedNames(
  version: LoadedVersion,
  id: string,
): Readonly<Record<NameKind, Iterable<string>>> | undefined {
  const facets = ownMember(FACETS, id);
  const table = facets && version.list(id)?.table;
  return table && { chain: table.valuesOf(facets.chain), protocol: table.valuesOf(facets.protocol) };
}

/** Put together once per version; what could not be read is read again. */
const versionNames = new WeakMap<Manifest, Promise<Names>>();

async function namesIn(services: Services, manifest: Manifest, kind: NameKind): Promise<ReadonlySet<string>> {
  let names = versionNames.get(manifest);
  if (names === undefined) {
    names = readNames(services, manifest);
    versionNames.set(manifest, names);
    names.catch(() => versionNames.delete(manifest));
  }
  return (await names)[kind];
}

async function readNames({ versions }: Services, manifest: Manifest): Promise<Names> {
  const all = { chain: new Set<string>(), protocol: new Set<string>() };
  for (const [id, namesOf] of Object.entries(NAMED)) {
    const listed = versions.current?.manifest === manifest ? listedNames(versions.current, id) : undefined;
    const dataset = listed === undefined ? await versions.datasetOf(id, manifest) : undefined;
    const own = listed ?? (dataset && namesOf(dataset.documents));
    for (const kind of ['chain', 'protocol'] as const)
      for (const name of own?.[kind] ?? []) all[kind].add(name);
  }
  for (const { sources } of Object.values(manifest.datasets))
    for (const { chain: name } of sources) if (name !== null) all.chain.add(name.toLowerCase());
  return all;
}
