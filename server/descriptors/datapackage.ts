// The data as a Data Package (Frictionless): a table of each dataset as CSV, with types and units of its columns, and its Parquet file with
// its hash.
import { datasetsAsOf, type Manifest } from '../../snapshots/layout.ts';
import type { ColumnType } from '../../snapshots/columns.ts';
import { FORMS, mediaTypeOf } from '../replies/dataset-form.ts';
import {
  ABOUT,
  type ColumnDescriptor,
  type DatasetDescriptor,
  type DescriptorContext,
  isSpdx,
  licensesOf,
  sourcesOf,
} from './dataset-descriptors.ts';

export const dataPackage = (
  { manifest, pathOf, origin }: DescriptorContext,
  descriptors: readonly DatasetDescriptor[],
): object => ({
  name: 'defi-risk-data',
  title: ABOUT.title,
  description: ABOUT.description,
  ...(origin === '' ? {} : { homepage: origin }),
  version: manifest.version,
  created: manifest.generated_at,
  keywords: ABOUT.keywords,
  as_of: datasetsAsOf(manifest),
  resources: descriptors.flatMap((descriptor) => [
    tableResource(descriptor, { manifest, pathOf }),
    ...parquetResource(descriptor, pathOf),
  ]),
});

function tableResource(
  descriptor: DatasetDescriptor,
  { manifest, pathOf }: Pick<DescriptorContext, 'manifest' | 'pathOf'>,
): object {
  const { id, title, entry, columns } = descriptor;
  const licenses = licensesOf([descriptor]).filter(isSpdx);
  return {
    name: id,
    title,
    type: 'table',
    path: pathOf(`${id}.csv`),
    format: 'csv',
    mediatype: mediaTypeOf('csv'),
    encoding: 'utf-8',
    schema: { fields: columns.map(fieldOf), missingValues: [''] },
    ...(licenses.length > 0 && { licenses: licenses.map((name) => ({ name })) }),
    sources: sourcesOf(descriptor).map(({ name, url, license }) => ({
      title: name,
      ...(url === null ? {} : { path: url }),
      license,
    })),
    ...stateOf(entry, manifest),
  };
}

/** How far the rows can be trusted, as the list of datasets says. */
const stateOf = (
  { rows, computed_at, update_cadence_seconds, quality_gate }: DatasetDescriptor['entry'],
  manifest: Manifest,
) => ({
  rows,
  version: manifest.version,
  computed_at,
  update_cadence_seconds,
  quality_gate: quality_gate.verdict,
});

function parquetResource(
  { id, title, entry }: DatasetDescriptor,
  pathOf: DescriptorContext['pathOf'],
): readonly object[] {
  const { parquet } = entry.forms ?? {};
  if (parquet === undefined) return [];
  return [
    {
      name: `${id}-parquet`,
      title: `${title}, as Parquet`,
      type: 'file',
      path: pathOf(`${id}.parquet`),
      format: 'parquet',
      mediatype: FORMS.parquet.type,
      bytes: parquet.bytes,
      hash: `sha256:${parquet.sha256}`,
    },
  ];
}

const TYPES: Readonly<Record<ColumnType['kind'], string>> = {
  text: 'string',
  json: 'any',
  integer: 'integer',
  number: 'number',
  boolean: 'boolean',
  list: 'array',
  struct: 'object',
};

function fieldOf({ name, type, description, unit, format, values }: ColumnDescriptor): object {
  const isInstant = format === 'date-time';
  return {
    name,
    type: isInstant ? 'datetime' : format === 'date' ? 'date' : TYPES[type.kind],
    ...(description !== '' && { description }),
    ...(unit !== null && { unit }),
    ...(values !== null && { constraints: { enum: values } }),
  };
}
