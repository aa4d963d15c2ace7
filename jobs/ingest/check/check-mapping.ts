// Refuses a mapping that cannot work before any byte is read: unknown fields, missing required ones, constants that break a rule.
import { nearestName } from '../../../platform/base/nearest-name.ts';
import { deliveredFields, type RawTable } from '../../define/raw-table.ts';
import type { FieldMapping, FileDelivery } from '../../define/source.ts';
import type { DuckDb } from '../../engine/duckdb/session.ts';
import { IngestError } from '../errors.ts';
import { constantsSql } from './select-rows.ts';

type Mappings = { readonly [field: string]: FieldMapping };

/** Throws IngestError with the first fault. `file` is what the message names. */
export function checkFields(table: RawTable, fields: Mappings, file: string): void {
  const names = deliveredFields(table).map(({ name }) => name);
  const unknown = Object.keys(fields).find((name) => !names.includes(name));
  if (unknown !== undefined) {
    const near = nearestName(unknown, names);
    const what = `${table.name} takes no such field${near === null ? '' : `, did you mean "${near}"?`}`;
    throw new IngestError('bad_mapping', what, {
      file,
      field: unknown,
      todo: `Its fields are ${names.join(', ')}`,
    });
  }
  const missing = deliveredFields(table).find((field) => field.required && !(field.name in fields));
  if (missing === undefined) return;
  const todo = 'Give the column it comes from, or a constant `{"value": …}`';
  throw new IngestError('bad_mapping', `required by ${table.name} but not mapped`, {
    file,
    field: missing.name,
    todo,
  });
}

export async function checkMapping(db: DuckDb, table: RawTable, delivery: FileDelivery): Promise<void> {
  checkFields(table, delivery.fields, delivery.path);
  await checkConstants(db, table, delivery);
}

/** Throws IngestError for the first constant that breaks a rule of its field. */
export async function checkConstants(
  db: DuckDb,
  table: RawTable,
  { path, fields }: FileDelivery,
): Promise<void> {
  const sql = constantsSql({ table, mappings: fields });
  const [row] = sql === null ? [] : await db.rows(sql);
  const reason = row?.['reason'];
  if (typeof reason !== 'string') return;
  const [field = '', message = ''] = reason.split(/: (.*)/s);
  const value = JSON.stringify(fields[field]?.value);
  throw new IngestError('bad_mapping', `the constant ${value} is refused: ${message}`, {
    file: path,
    field,
    todo: allowed(table, field),
  });
}

function allowed(table: RawTable, name: string): string {
  const field = deliveredFields(table).find((candidate) => candidate.name === name);
  if (field === undefined) return 'Correct the mapping';
  const kind = { VARCHAR: 'text', BIGINT: 'an integer', DOUBLE: 'a number', BOOLEAN: 'true or false' }[
    field.type
  ];
  const range = [
    field.min === undefined ? '' : ` from ${field.min}`,
    field.max === undefined ? '' : ` up to ${field.max}`,
  ].join('');
  return `Give ${kind}${range} (${field.description})`;
}
