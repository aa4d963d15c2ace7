// What the published descriptions of the data say about each dataset: files, columns with units, sources with licences. One definition for
// all formats, from the published schemas.
import type { Json } from '../../platform/base/json.ts';
import { type Column, type ColumnType, columnsOf } from '../../snapshots/columns.ts';
import type { DatasetEntry, Manifest, TableInfo } from '../../snapshots/layout.ts';
import { isAuthorized } from '../access/authorize.ts';
import type { Caller } from '../define/caller.ts';
import type { Services } from '../services.ts';

export interface ColumnDescriptor extends Column {
  readonly description: string;
  /** Of numbers; null for a plain number and for everything else. */
  readonly unit: string | null;
  /** Of text: an instant or a date in ISO 8601. */
  readonly format: 'date-time' | 'date' | null;
  /** The only values that it has; null if there are others. */
  readonly values: readonly string[] | null;
}

export interface DatasetDescriptor {
  readonly id: string;
  readonly title: string;
  readonly entry: DatasetEntry;
  readonly columns: readonly ColumnDescriptor[];
}

export interface DescriptorContext {
  readonly manifest: Manifest;
  /** Path of a file of a dataset, relative to the descriptor. */
  readonly pathOf: (file: string) => string;
  /** Address of the service or the mirror, without a trailing slash; empty if it is not known. */
  readonly origin: string;
}

export const ABOUT = {
  title: 'DeFi risk data',
  description:
    'Scores, pegs, oracles, lending, yields, networks and risk events of decentralized finance, each with its sources, age and gaps.',
  keywords: ['defi', 'risk', 'stablecoin', 'oracle', 'lending', 'yield'],
} as const;

/** Every dataset of a version that is described as a table and that the caller may read. */
export async function datasetDescriptors(
  services: Services,
  manifest: Manifest,
  caller: Caller,
): Promise<readonly DatasetDescriptor[]> {
  const all: DatasetDescriptor[] = [];
  for (const [id, entry] of Object.entries(manifest.datasets)) {
    if (!isAuthorized(services.datasetAccess(id), caller)) continue;
    const table = await services.datasets.table(manifest.version, id);
    if (table !== null) all.push({ id, title: table.title, entry, columns: columnDescriptors(table) });
  }
  return all;
}

type Schema = Readonly<Record<string, Json>>;

const schemaOf = (value: Json | undefined): Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Schema) : {};

function columnDescriptors(table: TableInfo): readonly ColumnDescriptor[] {
  const fields = schemaOf(schemaOf(table.row)['properties']);
  return columnsOf(table).map(({ name, type }) => {
    const field = fields[name];
    const schema = schemaOf(field);
    return {
      name,
      type,
      description: field === undefined ? "Part of the row's key" : descriptionOf(schema, type),
      unit: unitOf(name, type),
      format: formatIn(schema),
      values: valuesIn(schema),
    };
  });
}

/** A struct without a description is described by its members. */
function descriptionOf(schema: Schema, type: ColumnType): string {
  const text = textIn(schema, 'description');
  if (text !== undefined || type.kind !== 'struct') return text ?? '';
  return `With the members ${type.columns.map(({ name }) => name).join(', ')}`;
}

/** A schema and, if its value may be null or of several kinds, those of the kinds. */
const kindsOf = (schema: Schema): readonly Schema[] =>
  Array.isArray(schema['anyOf']) ? [schema, ...schema['anyOf'].map(schemaOf)] : [schema];

function textIn(schema: Schema, name: string): string | undefined {
  const values = kindsOf(schema).map((kind) => kind[name]);
  return values.find((value): value is string => typeof value === 'string');
}

function formatIn(schema: Schema): ColumnDescriptor['format'] {
  const format = textIn(schema, 'format');
  return format === 'date-time' || format === 'date' ? format : null;
}

function valuesIn(schema: Schema): ColumnDescriptor['values'] {
  const values = kindsOf(schema).flatMap((kind) => (Array.isArray(kind['enum']) ? [kind['enum']] : []))[0];
  const known = values?.filter((value): value is string => typeof value === 'string') ?? [];
  return known.length > 0 && known.length === values?.filter((value) => value !== null).length ? known : null;
}

/** Names end with their unit. */
const UNITS: Readonly<Record<string, string>> = {
  usd: 'USD',
  native: 'units of the native asset',
  bps: 'basis points',
  pct: 'percent',
  s: 'seconds',
  seconds: 'seconds',
  ms: 'milliseconds',
  hours: 'hours',
  days: 'days',
};

const unitOf = (name: string, { kind }: ColumnType): string | null =>
  kind === 'integer' || kind === 'number' ? (UNITS[/[^_]+$/.exec(name)?.[0] ?? ''] ?? null) : null;

/** Distinct sources of a dataset. */
export const sourcesOf = ({ entry }: DatasetDescriptor): DatasetEntry['sources'] => [
  ...new Map(entry.sources.map((source) => [source.name, source])).values(),
];

/** SPDX ids; other licences are the words of a source. */
export const isSpdx = (license: string): boolean =>
  /^(?:CC0?|MIT|Apache|ODbL|ODC|PDDL|BSD)(?:-[\w.]+)*$/.test(license);

/** Distinct licences of the sources, in their words. */
export const licensesOf = (descriptors: readonly DatasetDescriptor[]): readonly string[] => [
  ...new Set(descriptors.flatMap(({ entry }) => entry.sources.flatMap(({ license }) => license ?? []))),
];
