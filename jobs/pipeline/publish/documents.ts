// Turns the rows of an `out` table into the documents of a dataset, and checks each row against its published schema.
import type { TSchema } from '../../../schemas/define.ts';
import { errorsOf } from '../../../schemas/validator.ts';
import type { Document, Json } from '../../../snapshots/layout.ts';
import type { Dataset } from '../../define/dataset.ts';
import type { Row } from '../../engine/rows.ts';
import type { Queries } from '../../engine/warehouse.ts';
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

/** Reads the table of a dataset: one document per row, or one per key with its rows in order. */
export async function readDocuments(
  warehouse: Queries,
  dataset: Dataset,
  isHeld: (row: Row) => boolean = () => false,
): Promise<DatasetDocuments> {
  const lists = new Map<string, Json[]>();
  const documents: Document[] = [];
  const bad: BadRow[] = [];
  const newestDays = new Map<string, number>();
  for await (const rows of warehouse.stream(selectOf(dataset))) {
    for (const row of rows) {
      if (isHeld(row)) continue;
      const key = keyOf(dataset, row);
      const value = pick(row, dataset.row);
      const errors = errorsOf(dataset.row, value);
      if (errors.length > 0 && bad.length < NAMED_BAD_ROWS) bad.push({ key, problem: problemOf(errors) });
      const day = recordDayOf(dataset, row);
      if (day !== undefined) newestDays.set(key, Math.max(day, newestDays.get(key) ?? day));
      if (dataset.shape === 'one') documents.push({ key, value });
      else addTo(lists, key, value);
    }
  }
  for (const [key, value] of lists) documents.push({ key, value });
  return { documents, bad, newestDays };
}

function selectOf({ table, key, shape, order }: Dataset): string {
  const keys = key.join(', ');
  return `select * from ${table} order by ${shape === 'one' ? keys : `${keys}, ${order}`}`;
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
