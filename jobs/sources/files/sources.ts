// The file source: reads feeds, rounds or other facts of any origin from CSV, NDJSON, JSON or Parquet files, as configured.
import { glob } from 'node:fs/promises';
import { SettingsError } from '../../../platform/settings/settings-error.ts';
import type { RawTable } from '../../define/raw-table.ts';
import type { FieldMapping, FileDelivery, Source } from '../../define/source.ts';
import { problemsOfSources, type SourceSection } from './section.ts';

export interface FileSourceFacts {
  readonly rawTables: readonly RawTable[];
  /** Folder of the configuration file, against which relative paths are resolved. */
  readonly baseDir: string;
}

type Section = Omit<SourceSection, 'fields'> & {
  readonly fields: { readonly [field: string]: string | FieldMapping };
};

/** The sources of the `sources` section. Throws a SettingsError that lists every problem. */
export function fileSources(section: unknown, facts: FileSourceFacts): Source[] {
  const problems = problemsOfSources(section, facts.rawTables);
  if (problems.length > 0) throw new SettingsError(problems);
  return Object.entries(section as Readonly<Record<string, Section>>).map(([id, source]) =>
    fileSource(id, source, facts),
  );
}

function fileSource(id: string, source: Section, { baseDir }: FileSourceFacts): Source {
  const { table, name, url = null, license = null, chain = null } = source;
  const path = absolute(source.path, baseDir);
  return {
    facts: { id, kind: 'file', name, url, license, chain },
    table,
    fields: mappingsOf(source),
    ...(source.expects === undefined ? {} : { expects: expectation(source.expects) }),
    /** A glob without matches is passed on as written: landing then reports that there is no such file. */
    async *deliveries() {
      const paths = await findFiles(path);
      for (const one of paths.length === 0 ? [path] : paths) yield delivery(source, { path: one, baseDir });
    },
  };
}

const absolute = (path: string, baseDir: string) => (path.startsWith('/') ? path : `${baseDir}/${path}`);

const expectation = ({
  subjects,
  since,
}: NonNullable<Section['expects']>): NonNullable<Source['expects']> => ({
  ...(subjects === undefined ? {} : { subjects }),
  ...(since === undefined ? {} : { since: Date.parse(since) / 1000 }),
});

const mappingsOf = ({ fields }: Section): FileDelivery['fields'] =>
  Object.fromEntries(
    Object.entries(fields).map(([field, mapping]) => [
      field,
      typeof mapping === 'string' ? { from: mapping } : mapping,
    ]),
  );

function delivery(source: Section, { path, baseDir }: { path: string; baseDir: string }): FileDelivery {
  const { format, records, delimiter, where, join } = source;
  return {
    kind: 'file',
    path,
    format,
    ...(records === undefined ? {} : { records }),
    ...(delimiter === undefined ? {} : { delimiter }),
    ...(where === undefined ? {} : { where }),
    ...(join === undefined ? {} : { join: { ...join, path: absolute(join.path, baseDir) } }),
    fields: mappingsOf(source),
  };
}

// Finds the files that match a path or glob: `*` and `?` within a name, `**` for any folders, `{a,b}` for either. A leading dot must be
// written explicitly. Sorted, so that files are read in the same order everywhere.

const SPECIAL = /[*?{[]/;

/** Absolute paths. A path without special characters is returned unchanged, whether or not the file exists. */
export async function findFiles(path: string): Promise<string[]> {
  if (!SPECIAL.test(path)) return [path];
  return (await Array.fromAsync(glob(path, { followSymlinks: true }))).sort();
}
