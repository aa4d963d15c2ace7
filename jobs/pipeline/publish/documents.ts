// Turns the rows of an `out` table into the documents of a dataset, and checks each row against its published schema.
import { dayOf, isoOf } from '../../../platform/base/time.ts';
import type { TSchema } from '../../../schemas/define.ts';
import { errorsOf } from '../../../schemas/validator.ts';
import type { Json } from '../../../platform/base/json.ts';
import type { Document, PartialDay } from '../../../snapshots/layout.ts';
import { oncePer } from '../../../platform/base/once-per.ts';
import type { Dataset } from '../../define/dataset.ts';
import { columnsOf } from '../../define/subject.ts';
import type { Row } from '../../engine/rows.ts';
import type { Queries } from '../../engine/warehouse.ts';
import { RowsBySubject } from '../gate/subjects.ts';

/** A row that is not published, because it does not fit its schema or repeats another one. */
export interface UnfitRow {
  readonly key: string;
  /** The row's subject, whose other rows are not published either; null if its columns do not name one. */
  readonly subject: string | null;
  readonly problem: string;
}

export interface DatasetDocuments {
  readonly documents: readonly Document[];
  readonly unfit: readonly UnfitRow[];
  readonly newestDays: NewestDays;
}

/** A row and what is published of it. */
interface DocumentRow {
  readonly row: Row;
  readonly key: string;
  readonly value: Json;
  /** Why it does not fit the schema. */
  readonly problem: string | undefined;
  /** See `recordDayOf`. */
  readonly day: number | undefined;
}

/**
 * Reads the table of a dataset: one document per row, or one per key with its rows in order. An unfit row leaves out all rows of its
 * subject, and no others. `isHeld`: whether a row is left out.
 */
export async function readDocuments(
  warehouse: Pick<Queries, 'stream'>,
  dataset: Dataset,
  isHeld: (row: Row) => boolean = () => false,
): Promise<DatasetDocuments> {
  const rows: DocumentRow[] = [];
  const sql = `select * from ${dataset.table} order by ${orderOf(dataset)}`;
  for await (const batch of warehouse.stream(sql))
    for (const row of batch)
      if (!isHeld(row)) rows.push(withoutPeers(dataset, readRow(dataset, row), isHeld));
  const unfit = unfitRows(dataset, rows);
  const fit = unfit.length === 0 ? rows : fitRows(dataset, rows, isFit(dataset, unfit));
  return { ...documentsOf(dataset, fit), unfit: unfit.map(({ unfit: one }) => one) };
}

function fitRows(dataset: Dataset, rows: readonly DocumentRow[], isFitRow: (row: Row) => boolean) {
  const fit = rows.filter(({ row }) => isFitRow(row));
  return fit.map((one) => withoutPeers(dataset, one, (row) => !isFitRow(row)));
}

/** What a row shows of other subjects is left out as their own rows are. */
function withoutPeers({ peers }: Dataset, one: DocumentRow, isLeftOut: (row: Row) => boolean): DocumentRow {
  if (peers === undefined || !isObject(one.value)) return one;
  const shown = one.value[peers];
  if (!Array.isArray(shown)) return one;
  const left = shown.filter((peer) => !isObject(peer) || !isLeftOut({ ...one.row, ...peer }));
  return left.length === shown.length ? one : { ...one, value: { ...one.value, [peers]: left } };
}

function documentsOf({ shape }: Dataset, rows: readonly DocumentRow[]): Omit<DatasetDocuments, 'unfit'> {
  const lists = new Map<string, Json[]>();
  const documents: Document[] = [];
  const newestDays = new Map<string, number>();
  for (const { key, value, day } of rows) {
    if (day !== undefined) newestDays.set(key, Math.max(day, newestDays.get(key) ?? day));
    if (shape === 'one') documents.push({ key, value });
    else addTo(lists, key, value);
  }
  for (const [key, value] of lists) documents.push({ key, value });
  return { documents, newestDays };
}

interface UnfitDocument extends DocumentRow {
  readonly unfit: UnfitRow;
}

/** Rows are in the order of their keys, so a repeated one follows the other. */
function unfitRows(dataset: Dataset, rows: readonly DocumentRow[]): readonly UnfitDocument[] {
  const found: UnfitDocument[] = [];
  const columns = distinctColumns(dataset);
  const add = (one: DocumentRow, problem: string) =>
    found.push({ ...one, unfit: { key: one.key, subject: subjectOf(dataset, one.row), problem } });
  let before: DocumentRow | undefined;
  for (const one of rows) {
    const { key, row, problem } = one;
    if (problem !== undefined) add(one, problem);
    else if (before?.key === key && columns.every((column) => before?.row[column] === row[column]))
      add(one, 'another row has the same key');
    else before = one;
  }
  return found;
}

/** Whether a row neither is unfit nor shares its key or its subject with an unfit one. */
function isFit(dataset: Dataset, unfit: readonly UnfitDocument[]): (row: Row) => boolean {
  const columns = Object.values(columnsOf(dataset.subject));
  const valuesOf = (names: readonly string[], row: Row) =>
    new Map(names.map((name) => [name, String(row[name])] as const));
  const named = [...dataset.key, ...distinctColumns(dataset)];
  const unfitRows = new RowsBySubject([
    ...unfit.map(({ row }) => valuesOf(named, row)),
    ...(columns.length === 0 ? [] : unfit.map(({ row }) => valuesOf(columns, row))),
  ]);
  return (row) => !unfitRows.has(row);
}

function subjectOf({ subject }: Dataset, row: Row): string | null {
  if ('idColumn' in subject) return String(row[subject.idColumn]);
  const columns = Object.values(columnsOf(subject));
  return columns.length === 0 ? null : columns.map((column) => String(row[column])).join(' ');
}

function orderOf({ key, shape, order }: Dataset): string {
  const keys = key.join(', ');
  return shape === 'one' ? keys : `${keys}, ${order}`;
}

function readRow(dataset: Dataset, row: Row): DocumentRow {
  const value = pick(row, dataset.row);
  const key = dataset.key.map((column) => String(row[column])).join(dataset.separator);
  const problems = [...keyProblems(dataset, row), ...schemaProblems(dataset, value)];
  const problem = problems.length > 0 ? problems.slice(0, NAMED_PROBLEMS).join('; ') : undefined;
  return {
    row,
    key,
    value,
    problem,
    day: problem === undefined ? recordDayOf(dataset, row) : undefined,
  };
}

const NAMED_PROBLEMS = 3;

/** The columns that tell the rows of a key apart. */
const distinctColumns = oncePer(({ shape, order }: Dataset): readonly string[] =>
  shape === 'one' ? [] : order.split(',').map((term) => term.trim().replace(/ (asc|desc).*$/, '')),
);

const keyProblems = ({ key, day, recordDay = day }: Dataset, row: Row): readonly string[] => [
  ...key.flatMap((column) =>
    isKeyPart(row[column])
      ? []
      : [
          `${column} is part of a document's key and must be text or a number, not ${JSON.stringify(row[column])}`,
        ],
  ),
  ...(recordDay === undefined || Number.isSafeInteger(row[recordDay])
    ? []
    : [
        `${recordDay} is the day of a record and must be Unix seconds, not ${JSON.stringify(row[recordDay])}`,
      ]),
];

const isKeyPart = (value: Json | undefined): boolean =>
  typeof value === 'string' || typeof value === 'number';

/** Whether the row has a key. */
export const isKeyed = ({ key }: Dataset, row: Row): boolean => key.every((column) => isKeyPart(row[column]));

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
    `${where} is part of a document's key and must be text or a number, not ${JSON.stringify(value)}.`,
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

const schemaProblems = ({ row: schema }: Dataset, value: Json): readonly string[] =>
  errorsOf(schema, value).map(({ instancePath, message, params: { additionalProperty } }) =>
    [instancePath || 'row', message, additionalProperty].filter((part) => part !== undefined).join(' '),
  );

const isObject = (value: Json): value is { readonly [field: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

// A day's record is partial until the day ends (decision 57). Finds the documents of a dataset that hold such a record at the logical time.

/** Key of a document -> its newest day, Unix seconds of 00:00. */
type NewestDays = ReadonlyMap<string, number>;

/** Undefined when the rows are not daily records. @throws Error for a record without a day: it could not be marked. */
export function recordDayOf({ id, day, recordDay = day }: Dataset, row: Row): number | undefined {
  if (recordDay === undefined) return undefined;
  const seconds = row[recordDay];
  if (!Number.isSafeInteger(seconds))
    throw new Error(
      `Dataset ${id}: ${recordDay} is the day of a record and must be Unix seconds, not ${seconds}.`,
    );
  return dayOf(Number(seconds));
}

/** `now`: Unix seconds. Undefined when all days are complete. */
export function partialDayOf(newestDays: NewestDays, now: number): PartialDay | undefined {
  const today = dayOf(now);
  const keys = [...newestDays].filter(([, day]) => day === today).map(([key]) => key);
  if (keys.length === 0) return undefined;
  const day = isoOf(today).slice(0, 10);
  return keys.length === newestDays.size ? { day } : { day, keys: keys.sort() };
}
