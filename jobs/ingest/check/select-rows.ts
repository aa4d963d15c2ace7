// Combines mapping and checks: a SELECT over a relation of cells that returns every row, typed, with its verdict in `source_id`: the
// source's id for a good row, `!` and the reason for a bad one.

import {
  computedFields,
  deliveredFields,
  filledFields,
  type RawField,
  type RawTable,
} from '../../define/raw-table.ts';
import type { FieldMapping } from '../../define/source.ts';
import { literal, quoted } from '../../engine/sql-text.ts';
import { type Check, FILTERED, computedChecks, fieldChecks, futureCheck, reasonSql } from './checks.ts';
import { conversionOf, type Forms, textSql } from './mapping.ts';

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

export interface RowSelection {
  readonly table: RawTable;
  readonly mappings: { readonly [field: string]: FieldMapping };
  readonly sourceId: string;
  readonly fetchedAt: number;
  /** Rows whose time is outside are filtered out; null has no bound, `to` is excluded. */
  readonly range?: { readonly from: number | null; readonly to: number | null };
  /** `usual`: no reasons, and a row with a number in another form is marked as bad. Such a statement is planned in half the time. */
  readonly forms: Forms;
}

export const STRUCTURE = quoted('t structure');
/** The source text of a field, as a column next to its value. */
export const textName = ({ name }: Pick<RawField, 'name'>) => quoted(`t ${name}`);

const DECIMALS_TEXT = `try_cast(${textName({ name: 'decimals' })} as double)`;
/** The places by which `"scale": "decimals"` moves the point; NULL if the row does not state them. */
const DECIMALS_SHIFT = `case when ${DECIMALS_TEXT} between 0 and 38 then cast(${DECIMALS_TEXT} as integer) end`;

/** The typed values of the fields, next to their source texts. */
export function selectValues(
  relation: CellRelation,
  mappings: RowSelection['mappings'],
  fields: readonly RawField[],
  forms: Forms = 'all',
): string {
  const mapping = (field: RawField) => mappings[field.name] ?? {};
  const direct = (field: RawField) =>
    mapping(field).value === undefined ? relation.value?.(field.name) : undefined;
  const structure = relation.structure === undefined ? [] : [`${relation.structure} as ${STRUCTURE}`];
  const texts = fields.map(
    (field) =>
      `${direct(field) ?? textSql(mapping(field), relation.cells(field.name))} as ${textName(field)}`,
  );
  const conversions = fields.map((field) => {
    const text = textName(field);
    if (direct(field) !== undefined) return { field, steps: [], value: `cast(${text} as ${field.type})` };
    const input = { field, mapping: mapping(field), text, decimals: DECIMALS_SHIFT };
    // Rows are not checked for constants, so these are read in any form.
    return { field, ...conversionOf({ ...input, forms: input.mapping.value === undefined ? forms : 'all' }) };
  });
  const given = `select ${[...structure, ...texts].join(', ') || '0 as nothing'} from ${relation.from}`;
  const depth = Math.max(0, ...conversions.map(({ steps }) => steps.length));
  const steps = Array.from({ length: depth }, (_, step) =>
    conversions.flatMap((one) => one.steps[step] ?? []),
  );
  const values = conversions.map(({ field, value }) => `${value} as ${quoted(field.name)}`);
  return [...steps, values].reduce(
    (inner, columns) => (columns.length === 0 ? inner : `select *, ${columns.join(', ')}\nfrom (${inner})`),
    given,
  );
}

export function selectRows(relation: CellRelation, selection: RowSelection): string {
  const { table, mappings, sourceId, fetchedAt, range, forms } = selection;
  const mapping = (field: RawField) => mappings[field.name] ?? {};
  const fields = [...deliveredFields(table), ...filledFields(table)];
  const hasDecimals = fields.some(({ name }) => name === 'decimals');
  const varying = fields.filter((field) => mapping(field).value === undefined);
  const computed = computedFields(table).map(
    (field) => `try_cast(${field.computed} as ${field.type}) as ${quoted(field.name)}`,
  );
  const checks: Check[] = [
    ...varying.flatMap((field) =>
      fieldChecks(field, {
        mapping: mapping(field),
        text: textName(field),
        isTime: field.name === table.time,
        isTyped: relation.value?.(field.name) !== undefined,
        isKept: table.fields.includes(field),
        hasDecimals,
      }),
    ),
    ...computedFields(table).flatMap(computedChecks),
    futureCheck(table, fetchedAt),
  ];
  const broken =
    relation.structure === undefined ? [] : [{ when: `${STRUCTURE} is not null`, reason: STRUCTURE }];
  const columns = table.fields.map((field) => quoted(field.name)).join(', ');
  const all = [...broken, ...outsideRange(table, range), ...checks];
  const verdicts = forms === 'all' ? all : all.map(({ when }) => ({ when, reason: "''" }));
  return `select ${columns}, coalesce('${BAD_MARK}' || ${reasonSql(verdicts)}, ${literal(sourceId)}) as source_id,
  cast(${fetchedAt} as bigint) as fetched_at
from (select *${computed.map((sql) => `, ${sql}`).join('')}
from (${selectValues(relation, mappings, fields, forms)}))`;
}

function outsideRange({ time }: RawTable, range: RowSelection['range']): Check[] {
  const name = quoted(time);
  const bounds = [
    ...(typeof range?.from === 'number' ? [`${name} < ${range.from}`] : []),
    ...(typeof range?.to === 'number' ? [`${name} >= ${range.to}`, `${name} = 0`] : []),
  ];
  return bounds.length === 0 ? [] : [{ when: bounds.join(' or '), reason: literal(FILTERED) }];
}

/** Checks the fields that are given as constants: a query of one row whose `reason` is NULL if all are good. Null without constants. */
export function constantsSql({ table, mappings }: Pick<RowSelection, 'table' | 'mappings'>): string | null {
  const mapping = (field: RawField) => mappings[field.name] ?? {};
  const constant = deliveredFields(table).filter((field) => mapping(field).value !== undefined);
  if (constant.length === 0) return null;
  const checks = constant.flatMap((field) =>
    fieldChecks(field, {
      mapping: mapping(field),
      text: textName(field),
      isTime: field.name === table.time,
      isTyped: false,
      isKept: table.fields.includes(field),
      hasDecimals: false,
    }),
  );
  const values = selectValues({ from: '(select 0)', cells: () => [] }, mappings, constant);
  return `select ${reasonSql(checks)} as reason from (${values})`;
}
