// A mapping that cannot work is refused before a byte is read: unknown fields, required ones left out, constants that break a rule.
import type { FieldMapping, FileDelivery, RawField, RawTable } from '../../define.ts';
import type { Engine } from '../../engine/engine.ts';
import { closest, LandingError } from './errors.ts';
import { constantsSql } from './select-rows.ts';
import { deliveredFields } from './sql-text.ts';

export interface MappingFault {
  readonly field: string;
  readonly what: string;
  readonly todo: string;
}

type Mappings = { readonly [field: string]: FieldMapping };

/** Everything about a mapping that can be seen without reading data. */
export function mappingFaults(table: RawTable, mappings: Mappings): MappingFault[] {
  const faults: MappingFault[] = [];
  const fields = new Map(table.fields.map((field) => [field.name, field]));
  for (const [name, mapping] of Object.entries(mappings)) {
    const field = fields.get(name);
    faults.push(...(field === undefined ? [unknownField(table, name)] : fieldFaults(field, mapping)));
  }
  for (const field of deliveredFields(table)) {
    if (!field.required || field.name in mappings) continue;
    const todo = 'Give the column it comes from, or a constant `{"value": …}`';
    faults.push({
      field: field.name,
      what: `required by ${table.name} (${field.description}) and not mapped`,
      todo,
    });
  }
  return faults;
}

function unknownField(table: RawTable, name: string): MappingFault {
  const names = deliveredFields(table).map((field) => field.name);
  const near = closest(name, names);
  const meant = near === undefined ? '' : `, did you mean "${near}"?`;
  return {
    field: name,
    what: `${table.name} has no such field${meant}`,
    todo: `Its fields are ${names.join(', ')}`,
  };
}

function fieldFaults(field: RawField, mapping: FieldMapping): MappingFault[] {
  const fault = (what: string, todo: string) => [{ field: field.name, what, todo }];
  if (field.computed !== undefined)
    return fault('it is computed and cannot be mapped', `Remove it: it is ${field.computed}`);
  const hasFrom = mapping.from !== undefined && mapping.from.length > 0;
  if (hasFrom === (mapping.value !== undefined))
    return fault('exactly one of "from" and "value" is needed', 'Give a column or a constant');
  if (mapping.time !== undefined && field.type !== 'BIGINT')
    return fault(`"time" does not fit a ${field.type}`, 'Remove "time"');
  if (mapping.scale !== undefined && !(Number.isFinite(mapping.scale) && mapping.scale > 0)) {
    return fault(`"scale" is ${mapping.scale}`, 'Give a factor greater than 0');
  }
  const isNumeric = field.type !== 'BOOLEAN';
  if (mapping.scale !== undefined && !isNumeric)
    return fault(`"scale" does not fit a ${field.type}`, 'Remove "scale"');
  return [];
}

/** Throws LandingError with the first fault. */
export async function checkMapping(engine: Engine, table: RawTable, delivery: FileDelivery): Promise<void> {
  const [fault] = mappingFaults(table, delivery.fields);
  const file = delivery.path;
  if (fault !== undefined)
    throw new LandingError('bad_mapping', fault.what, { file, field: fault.field, todo: fault.todo });
  const sql = constantsSql({ table, mappings: delivery.fields });
  const [row] = sql === null ? [] : await engine.rows(sql);
  const reason = row?.['reason'];
  if (typeof reason !== 'string') return;
  const [field = '', words = ''] = reason.split(/: (.*)/s);
  const value = JSON.stringify(delivery.fields[field]?.value);
  throw new LandingError('bad_mapping', `the constant ${value} is ${words}`, {
    file,
    field,
    todo: allowed(table, field),
  });
}

function allowed(table: RawTable, name: string): string {
  const field = table.fields.find((candidate) => candidate.name === name);
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
