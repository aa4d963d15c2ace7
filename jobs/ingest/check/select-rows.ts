// Combines mapping and checks: a SELECT over a relation of cells that returns every row, typed, with its verdict in `source_id`: the
// source's id for a good row, `!` and the reason for a bad one.

import { deliveredFields, type RawField, type RawTable } from '../../define/raw-table.ts';
import type { FieldMapping } from '../../define/source.ts';
import { literal, quoted } from '../../engine/sql-text.ts';
import { type Check, computedChecks, fieldChecks, futureCheck, reasonSql } from './checks.ts';
import { computedFields, filledFields } from './computed-fields.ts';
import { textSql, valueSql } from './mapping.ts';

export const BAD_MARK = '!';

/** A relation with one row per record and text columns; `cells` says which columns hold a field. */
export interface CellRelation {
  /** A table, a table function or a subquery in parentheses. */
  readonly from: string;
  /** SQL of the cells that a field is read from, in order of preference. */
  cells(field: string): readonly string[];
  /** SQL of a field's value if the relation already has it in the field's type, so that no text conversion is needed. */
  value?(field: string): string | undefined;
  /** SQL of the reason why a whole record cannot be read, or NULL. */
  readonly structure?: string;
}

export interface RowsWanted {
  readonly table: RawTable;
  readonly mappings: { readonly [field: string]: FieldMapping };
  readonly sourceId: string;
  readonly fetchedAt: number;
}

const STRUCTURE = quoted('t structure');
/** The source text of a field, as a column next to its value. */
const textName = (field: RawField) => quoted(`t ${field.name}`);

/**
 * The typed values of the fields, next to their source texts. Constants were checked before reading started: they are neither read nor
 * checked for each row.
 */
export function selectValues(
  relation: CellRelation,
  mappings: RowsWanted['mappings'],
  fields: readonly RawField[],
): string {
  const mapping = (field: RawField) => mappings[field.name] ?? {};
  const isConstant = (field: RawField) => mapping(field).value !== undefined;
  const direct = (field: RawField) => (isConstant(field) ? undefined : relation.value?.(field.name));
  const structure = relation.structure === undefined ? [] : [`${relation.structure} as ${STRUCTURE}`];
  const texts = fields
    .filter((field) => !isConstant(field))
    .map(
      (field) =>
        `${direct(field) ?? textSql(mapping(field), relation.cells(field.name))} as ${textName(field)}`,
    );
  const text = (field: RawField) => (isConstant(field) ? textSql(mapping(field), []) : textName(field));
  const values = fields.map(
    (field) =>
      `${direct(field) === undefined ? valueSql(field, mapping(field), text(field)) : `cast(${text(field)} as ${field.type})`} as ${quoted(field.name)}`,
  );
  return `select *, ${values.join(', ')}
from (select ${[...structure, ...texts].join(', ') || '0 as nothing'} from ${relation.from})`;
}

export function selectRows(relation: CellRelation, wanted: RowsWanted): string {
  const { table, mappings, sourceId, fetchedAt } = wanted;
  const mapping = (field: RawField) => mappings[field.name] ?? {};
  const fields = [...deliveredFields(table), ...filledFields(table)];
  const varying = fields.filter((field) => mapping(field).value === undefined);
  const computed = computedFields(table).map(
    (field) => `try(cast(${field.computed} as ${field.type})) as ${quoted(field.name)}`,
  );
  const checks: Check[] = [
    ...varying.flatMap((field) =>
      fieldChecks(field, {
        mapping: mapping(field),
        text: textName(field),
        isTime: field.name === table.time,
      }),
    ),
    ...computedFields(table).flatMap(computedChecks),
    futureCheck(table, fetchedAt),
  ];
  const broken =
    relation.structure === undefined ? [] : [{ when: `${STRUCTURE} is not null`, reason: STRUCTURE }];
  const columns = table.fields.map((field) => quoted(field.name)).join(', ');
  return `select ${columns}, coalesce('${BAD_MARK}' || ${reasonSql([...broken, ...checks])}, ${literal(sourceId)}) as source_id,
  cast(${fetchedAt} as bigint) as fetched_at
from (select *${computed.map((sql) => `, ${sql}`).join('')}
from (${selectValues(relation, mappings, fields)}))`;
}

/** Checks the fields that are given as constants: a query of one row whose `reason` is NULL if all are good. Null without constants. */
export function constantsSql({ table, mappings }: Pick<RowsWanted, 'table' | 'mappings'>): string | null {
  const mapping = (field: RawField) => mappings[field.name] ?? {};
  const constant = deliveredFields(table).filter((field) => mapping(field).value !== undefined);
  if (constant.length === 0) return null;
  const text = (field: RawField) => textSql(mapping(field), []);
  const values = constant.map(
    (field) => `${valueSql(field, mapping(field), text(field))} as ${quoted(field.name)}`,
  );
  const checks = constant.flatMap((field) =>
    fieldChecks(field, { mapping: mapping(field), text: text(field), isTime: field.name === table.time }),
  );
  return `select ${reasonSql(checks)} as reason from (select ${values.join(', ')})`;
}
