// Names of the feeds, markets and vaults in subject ids, from the registries of the displayed version, because an address alone means
// nothing to a reader.
import { oncePer } from '../../platform/base/once-per.ts';
import type { Manifest } from '../../snapshots/layout.ts';
import type { LoadedDataset, Services } from '../services.ts';

type Documents = LoadedDataset['documents'];

/** Members of a registry row that name it. */
interface RegistryRow {
  readonly name?: string | null;
  readonly pair?: string | null;
  readonly protocol?: string | null;
}

const REGISTRIES: Readonly<Record<string, (row: RegistryRow) => string | null | undefined>> = {
  feeds: ({ pair }) => pair,
  'lending-markets': ({ name, protocol }) => (name && protocol ? `${name} (${protocol})` : name),
  'lending-vaults': ({ name }) => name,
};

const SUBJECT_MARK = '"subject_id":"';
const ADDRESS = /^0x[0-9a-f]+$/i;

/** Names by address. Addresses without a name in a registry are left out. */
export async function namesOfSubjects(
  services: Services,
  events: readonly Buffer[],
  manifest: Manifest | undefined,
): Promise<Readonly<Record<string, string>>> {
  const shown = manifest ?? services.versions.current?.manifest;
  if (shown === undefined) return {};
  return namesOfKeys(services, [...new Set(events.map(subjectOf))].flatMap(keysIn), shown);
}

type RegistryKey = readonly [key: string, address: string];

/** Names by address, for keys of the registries such as `ethereum|0xb4…`. */
export async function namesOfKeys(
  services: Services,
  keys: readonly RegistryKey[],
  shown: Manifest,
): Promise<Readonly<Record<string, string>>> {
  const names: Record<string, string> = {};
  for (const [dataset, nameOf] of Object.entries(REGISTRIES)) {
    const documents = (await services.versions.datasetOf(dataset, shown))?.documents;
    if (documents === undefined) continue;
    for (const [key, address] of keys) {
      const name = nameIn(documents, key, nameOf);
      if (name !== null) names[address] ??= name;
    }
  }
  return names;
}

/** Takes the last member with this name, because earlier ones may be in the event's data. */
function subjectOf(event: Buffer): string {
  const from = event.lastIndexOf(SUBJECT_MARK) + SUBJECT_MARK.length;
  return event.toString('utf8', from, event.indexOf('"', from));
}

/** The registry keys for each address in a subject such as `vault:ethereum:0xb4…`. */
function keysIn(subject: string): RegistryKey[] {
  const [, chain, ...parts] = subject.split(':');
  return parts.filter((part) => ADDRESS.test(part)).map((address) => [`${chain}|${address}`, address]);
}

const namesOf = oncePer((_: Documents) => new Map<string, string | null>());

function nameIn(
  documents: Documents,
  key: string,
  nameOf: (row: RegistryRow) => string | null | undefined,
): string | null {
  const names = namesOf(documents);
  const remembered = names.get(key);
  if (remembered !== undefined) return remembered;
  const bytes = documents.get(key);
  const name = (bytes === undefined ? null : nameOf(JSON.parse(bytes.toString()) as RegistryRow)) || null;
  names.set(key, name);
  return name;
}
