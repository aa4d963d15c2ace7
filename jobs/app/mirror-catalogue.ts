// The catalogue of a static mirror, `catalog.duckdb`, built over what the server has exported: a view of each dataset of the newest version,
// and one schema of views for each version whose files the mirror keeps.
import { join } from 'node:path';
import { sha256Hex } from '../../platform/storage/canonical.ts';
import { type Disk, isMissing } from '../../platform/storage/disk.ts';
import { clearTemporary, putFile, TEMP_FOLDER } from '../../platform/storage/durable.ts';
import {
  addressOf,
  HASH_LIST,
  MIRROR_CATALOGUE,
  MIRROR_DESCRIPTION,
  MIRROR_INDEX,
  type MirroredVersion,
  type MirrorIndex,
  parseMirrorIndex,
} from '../../snapshots/mirror-index.ts';
import type { Catalogue, CatalogueTable, CatalogueView } from '../engine/duckdb/catalogue.ts';

export interface CatalogueEffects {
  readonly disk: Disk;
  /** The mirror. */
  readonly folder: string;
  readonly write: (file: string, catalogue: Catalogue) => Promise<void>;
}

/** Replaces the catalogue and its line in the hash list. Returns the index that it is built from. */
export async function replaceCatalogue({ disk, folder, write }: CatalogueEffects): Promise<MirrorIndex> {
  const index = parseMirrorIndex((await disk.read(join(folder, MIRROR_INDEX))).toString());
  const description = JSON.parse(
    (await disk.read(join(folder, MIRROR_DESCRIPTION))).toString(),
  ) as Description;
  const mirror = { disk, dir: folder };
  await clearTemporary(mirror);
  await disk.mkdir(join(folder, TEMP_FOLDER));
  const temporary = join(folder, TEMP_FOLDER, MIRROR_CATALOGUE);
  await write(temporary, catalogueOf(index, description, folder));
  const bytes = await disk.read(temporary);
  await putFile(mirror, MIRROR_CATALOGUE, [bytes]);
  const lines = (await disk.read(join(folder, HASH_LIST))).toString().split('\n').slice(0, -1);
  const others = lines.filter((line) => !line.endsWith(`  ${MIRROR_CATALOGUE}`));
  const nameOf = (line: string) => line.slice(line.indexOf('  '));
  const all = [...others, `${sha256Hex(bytes)}  ${MIRROR_CATALOGUE}`].sort((a, b) =>
    nameOf(a) < nameOf(b) ? -1 : 1,
  );
  await putFile(mirror, HASH_LIST, [Buffer.from(`${all.join('\n')}\n`)]);
  await removeTemporary(disk, folder);
  return index;
}

async function removeTemporary(disk: Disk, folder: string): Promise<void> {
  await clearTemporary({ disk, dir: folder });
  try {
    await disk.rmdir(join(folder, TEMP_FOLDER));
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

/** The members of a Data Package that the catalogue repeats. */
interface Description {
  readonly resources: readonly {
    readonly name: string;
    readonly title: string;
    readonly schema?: {
      readonly fields: readonly {
        readonly name: string;
        readonly description?: string;
        readonly unit?: string;
      }[];
    };
    readonly sources?: readonly { readonly title: string; readonly license: string | null }[];
    readonly rows?: number;
    readonly computed_at?: string;
    readonly update_cadence_seconds?: number;
    readonly quality_gate?: string;
  }[];
}

type Resource = Description['resources'][number];

export function catalogueOf(index: MirrorIndex, { resources }: Description, folder: string): Catalogue {
  const [newest] = index.versions;
  const described = new Map(resources.map((resource) => [resource.name, resource]));
  return {
    url: index.url,
    folder,
    tables: [versionsTable(index), datasetsTable(index, described)],
    views: [
      ...(newest === undefined ? [] : viewsOf(index, newest, { schema: 'main', described })),
      ...index.versions.flatMap((version) =>
        viewsOf(index, version, { schema: schemaOf(version), described: new Map() }),
      ),
    ],
  };
}

const schemaOf = ({ version }: MirroredVersion): string => `v_${version.toLowerCase()}`;

/** Names in SQL without quotes. */
const viewName = (dataset: string): string => dataset.replaceAll('-', '_');

function viewsOf(
  { url }: MirrorIndex,
  { version, as_of, datasets }: MirroredVersion,
  {
    schema,
    described,
  }: {
    readonly schema: string;
    /** Titles and columns, which only the newest version has. */
    readonly described: ReadonlyMap<string, Resource>;
  },
): readonly CatalogueView[] {
  return Object.entries(datasets).map(([id, file]) => {
    const resource = described.get(id);
    return {
      schema,
      name: viewName(id),
      address: addressOf(url, file, version),
      comment: [resource?.title ?? id, `version ${version} of ${as_of}`, ...licences(resource)].join('; '),
      columns: (resource?.schema?.fields ?? []).flatMap(({ name, description, unit }) => {
        const parts = [description, unit === undefined ? undefined : `Unit: ${unit}`];
        const comment = parts.filter((part) => part !== undefined).join('. ');
        return comment === '' ? [] : [{ name, comment }];
      }),
    };
  });
}

function licences(resource: Resource | undefined): readonly string[] {
  const known = new Set((resource?.sources ?? []).flatMap(({ license }) => license ?? []));
  return known.size === 0 ? [] : [`licences of the sources: ${[...known].join(', ')}`];
}

const MIRROR_SCHEMA = 'mirror';

const versionsTable = ({ versions }: MirrorIndex): CatalogueTable => ({
  schema: MIRROR_SCHEMA,
  name: 'versions',
  comment: 'Versions whose files the mirror keeps; each is a schema of views. Times are UTC',
  columns: [
    ['version', 'VARCHAR'],
    ['schema_name', 'VARCHAR'],
    ['as_of', 'TIMESTAMP'],
    ['datasets', 'BIGINT'],
  ],
  rows: versions.map((one) => [
    one.version,
    schemaOf(one),
    timestamp(one.as_of),
    Object.keys(one.datasets).length,
  ]),
});

const datasetsTable = (
  { url, versions: [newest] }: MirrorIndex,
  described: ReadonlyMap<string, Resource>,
): CatalogueTable => ({
  schema: MIRROR_SCHEMA,
  name: 'datasets',
  comment:
    'Datasets of the newest version. One is late if now is more than twice its cadence after `computed_at`; times are UTC',
  columns: [
    ['dataset', 'VARCHAR'],
    ['view_name', 'VARCHAR'],
    ['title', 'VARCHAR'],
    ['row_count', 'BIGINT'],
    ['computed_at', 'TIMESTAMP'],
    ['update_cadence_seconds', 'BIGINT'],
    ['quality_gate', 'VARCHAR'],
    ['licences', 'VARCHAR'],
    ['version', 'VARCHAR'],
    ['sha256', 'VARCHAR'],
    ['url', 'VARCHAR'],
  ],
  rows: Object.entries(newest?.datasets ?? {}).map(([id, file]) => {
    const one = described.get(id);
    return [
      id,
      viewName(id),
      one?.title ?? null,
      one?.rows ?? null,
      one?.computed_at === undefined ? null : timestamp(one.computed_at),
      one?.update_cadence_seconds ?? null,
      one?.quality_gate ?? null,
      [...new Set((one?.sources ?? []).flatMap(({ license }) => license ?? []))].join(', '),
      newest?.version ?? null,
      file.sha256,
      `${url}/${file.path}`,
    ];
  }),
});

const timestamp = (iso: string): string => iso.replace('T', ' ').replace('Z', '');
