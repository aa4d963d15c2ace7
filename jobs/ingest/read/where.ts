// A row filter: selects the records of a file to use. A record that is left out is neither checked nor landed; it is counted as filtered.

import type { Condition, FieldMapping, FileDelivery, Where } from '../../define/source.ts';
import { literal } from '../../engine/sql-text.ts';
import { FILTERED } from '../check/checks.ts';
import type { Relation } from './relation.ts';

/** Prefix of the reasons for records without exactly one counterpart: only a new delivery of the files can fix them. */
export const JOIN_FAULT = 'join: ';

type Mappings = { readonly [field: string]: FieldMapping };

/** Columns that a filter reads, as fields of the relation. Messages use these names. */
export const filterFields = (where: Where = {}): Mappings =>
  Object.fromEntries(Object.keys(where).map((column) => [`where.${column}`, { from: column }]));

/**
 * A filter on the file's own columns leaves records out whether or not they have a counterpart. A filter on joined columns cannot be
 * decided for records without a counterpart, so it leaves them unchanged.
 */
export function filtered(
  relation: Relation,
  { where, join }: Pick<FileDelivery, 'where' | 'join'>,
): Relation {
  if (where === undefined) return relation;
  const isJoined = (column: string) => join !== undefined && column.startsWith(`${join.as}.`);
  const outside = (columns: readonly (readonly [string, Condition])[]) =>
    columns.length === 0
      ? 'null'
      : `case when not (${columns.map(([column, one]) => holds(relation, column, one)).join(' and ')}) then ${literal(FILTERED)} end`;
  const all = Object.entries(where);
  const own = outside(all.filter(([column]) => !isJoined(column)));
  const theirs = outside(all.filter(([column]) => isJoined(column)));
  const fault = relation.structure ?? 'cast(null as varchar)';
  const structure = `case when ${fault} is null or starts_with(${fault}, ${literal(JOIN_FAULT)})
    then coalesce(${own}, ${fault}, ${theirs}) else ${fault} end`;
  return { ...relation, structure };
}

function holds(relation: Relation, column: string, condition: Condition): string {
  const [cell = 'null'] = relation.cells(`where.${column}`);
  return conditionSql(`coalesce(trim(cast(${cell} as varchar)), '')`, condition);
}

/** `text` is SQL that is never null: an empty cell is ''. */
function conditionSql(text: string, condition: Condition): string {
  if (typeof condition === 'object' && 'not' in condition) return `not ${isOneOf(text, condition.not)}`;
  return isOneOf(text, condition);
}

const isOneOf = (text: string, values: Exclude<Condition, { readonly not: unknown }>): string =>
  `${text} in (${[values]
    .flat()
    .map((value) => literal(String(value)))
    .join(', ')})`;
