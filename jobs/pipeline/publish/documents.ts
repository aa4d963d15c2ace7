// Turns the rows of an `out` table into the documents of a dataset, and checks each row against its published schema.
import type { TSchema } from '../../../schemas/define.ts';
import { errorsOf } from '../../../schemas/validator.ts';
import type { Document, Json } from '../../../snapshots/layout.ts';
import type { Dataset } from '../../define/dataset.ts';
import type { Row } from '../../engine/rows.ts';
import { KeptRows, type RowsWarehouse } from './kept-rows.ts';
import { type NewestDays, recordDayOf } from './partial-day.ts';

export interface BadRow {
  readonly key: string;
  readonly problem: string;
}

export interface DatasetDocuments {
  readonly documents: readonly Document[];
  /** The first few rows that do not match the schema. A dataset with any is not published. */
  readonly bad: readonly BadRow[];
  readonly newestDays: NewestDays;
}

const NAMED_BAD_ROWS = 20;

/** A row and what is published of it. */
interface ReadRow {
  readonly row: Row;
  readonly key: string;
  readonly value: Json;
  /** Why it does not fit the schema. */
  readonly problem: string | undefined;
  /** See `recordDayOf`. */
  readonly day: number | undefined;
}

/** The rows of all datasets, kept between runs. */
export class ReadRows extends KeptRows<ReadRow> {}

interface Reading {
  readonly kept?: ReadRows;
  /** Rows that are left out. */
  readonly isHeld?: (row: Row) => boolean;
}

/** Reads the table of a dataset: one document per row, or one per key with its rows in order. */
export async function readDocuments(
  warehouse: RowsWarehouse,
  dataset: Dataset,
  { kept = new ReadRows(), isHeld = () => false }: Reading = {},
): Promise<DatasetDocuments> {
  const lists = new Map<string, Json[]>();
  const documents: Document[] = [];
  const bad: BadRow[] = [];
  const newestDays = new Map<string, number>();
  const { id, table } = dataset;
  const order = orderOf(dataset);
  for await (const rows of kept.read(warehouse, { id, table, order }, (row) => readRow(dataset, row))) {
    for (const { row, key, value, problem, day } of rows) {
      if (isHeld(row)) continue;
      if (problem !== undefined && bad.length < NAMED_BAD_ROWS) bad.push({ key, problem });
      if (day !== undefined) newestDays.set(key, Math.max(day, newestDays.get(key) ?? day));
      if (dataset.shape === 'one') documents.push({ key, value });
      else addTo(lists, key, value);
    }
  }
  for (const [key, value] of lists) documents.push({ key, value: sameList(value) });
  return { documents, bad, newestDays };
}

function orderOf({ key, shape, order }: Dataset): string {
  const keys = key.join(', ');
  return shape === 'one' ? keys : `${keys}, ${order}`;
}

function readRow(dataset: Dataset, row: Row): ReadRow {
  const value = pick(row, dataset.row);
  const errors = errorsOf(dataset.row, value);
  const problem = errors.length > 0 ? problemOf(errors) : undefined;
  return { row, key: keyOf(dataset, row), value, problem, day: recordDayOf(dataset, row) };
}

/** Lists by their first value. */
const knownLists = new WeakMap<object, readonly Json[]>();

/** The last list of the same values, if there was one, so that nothing made of it is computed twice. */
function sameList(list: readonly Json[]): readonly Json[] {
  const [first] = list;
  if (typeof first !== 'object' || first === null) return list;
  const before = knownLists.get(first);
  if (before?.length === list.length && before.every((value, index) => value === list[index])) return before;
  knownLists.set(first, list);
  return list;
}

/** The row as it is published. */
export const publishedRow = ({ row: schema }: Dataset, row: Row) => pick(row, schema);

export function keyOf(dataset: Dataset, row: Row): string {
  return dataset.key
    .map((column) => textOf(row[column], `${dataset.table}.${column}`))
    .join(dataset.separator);
}

function textOf(value: Json | undefined, where: string): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  throw new Error(
    `${where} is part of a document's key and must be text or a number, not ${JSON.stringify(value)}`,
  );
}

/**
 * The columns in the schema. A schema object that is not itself a column is assembled from columns named `<object>_<member>`, or after
 * its members alone: engines have no common syntax to name the members of a row that holds lists.
 */
function pick(row: Row, schema: TSchema, prefix = ''): { readonly [field: string]: Json } {
  const members: [string, Json][] = [];
  for (const [name, property] of Object.entries(propertiesOf(schema))) {
    const own = row[`${prefix}${name}`];
    const value = own === undefined ? row[name] : own;
    if (value !== undefined) members.push([name, value]);
    else if (Object.keys(propertiesOf(property)).length > 0)
      members.push([name, pick(row, property, `${name}_`)]);
  }
  return Object.fromEntries(members);
}

const propertiesOf = (schema: TSchema) =>
  (schema as { readonly properties?: { readonly [name: string]: TSchema } }).properties ?? {};

function addTo(lists: Map<string, Json[]>, key: string, value: Json): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}

function problemOf(errors: ReturnType<typeof errorsOf>): string {
  return errors
    .map(({ instancePath, message, params: { additionalProperty } }) =>
      [instancePath || 'row', message, additionalProperty].filter((part) => part !== undefined).join(' '),
    )
    .slice(0, 3)
    .join('; ');
}
