// An example of a configured source for a raw table, generated from the definitions of its fields.

import { deliveredFields, type RawField, type RawTable } from '../../define/raw-table.ts';
import type { FieldMapping } from '../../define/source.ts';
import { isInstant } from './section.ts';

/** A member of `sources` in the configuration file. */
export interface ExampleSource {
  readonly table: string;
  readonly path: string;
  readonly format: 'csv';
  readonly name: string;
  readonly fields: { readonly [field: string]: FieldMapping | string };
}

/** Every deliverable field, read from the CSV column of the same name; instants are read as ISO 8601. */
export const exampleSource = (table: RawTable): ExampleSource => ({
  table: table.name,
  path: `data/${table.name}.csv`,
  format: 'csv',
  name: `My ${table.name.replaceAll('_', ' ')}`,
  fields: Object.fromEntries(deliveredFields(table).map((field) => [field.name, exampleMapping(field)])),
});

const exampleMapping = (field: RawField): FieldMapping | string =>
  isInstant(field) ? { from: field.name, time: 'iso8601' } : field.name;
