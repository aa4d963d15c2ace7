// Maps a subject of a raw table or an audit to the rows of a dataset.

import type { Dataset } from '../../define/dataset.ts';
import type { RawTable } from '../../define/raw-table.ts';
import type { Row } from '../../engine/rows.ts';
import { literal, quoted } from '../../engine/sql-text.ts';
import type { Warehouse } from '../../engine/warehouse.ts';

/** Columns of the dataset's table, with the values that identify the rows of a subject. */
export type Place = ReadonlyMap<string, string>;

/**
 * Fields of the raw table that identify the dataset's subject: the raw table's whole subject, or the part of it that names the dataset's
 * subjects. Null if the raw table does not say which subject of the dataset a row is about.
 */
export function placingFields(
  { subject = {} }: Dataset,
  raw: Pick<RawTable, 'subject'>,
): readonly string[] | null {
  const fields = raw.subject.filter((field) => subject[field] !== undefined);
  const columns = new Set(fields.map((field) => subject[field]));
  const isWhole = Object.values(subject).every((column) => columns.has(column));
  return fields.length > 0 && (fields.length === raw.subject.length || isWhole) ? fields : null;
}

/** Where the dataset has the rows of a raw subject; empty when unknown. */
export async function placesOf(
  warehouse: Warehouse,
  dataset: Dataset,
  { raw, values }: { readonly raw: RawTable; readonly values: readonly string[] },
): Promise<readonly Place[]> {
  const { subject = {}, subjectsIn } = dataset;
  const fields = placingFields(dataset, raw);
  if (fields !== null)
    return [new Map(fields.map((field) => [subject[field] ?? '', values[raw.subject.indexOf(field)] ?? '']))];
  if (subjectsIn === undefined) return [];
  const columns = (await warehouse.describe(subjectsIn))?.map(({ name }) => name);
  const wanted = Object.keys(subject);
  if (![...raw.subject, ...wanted].every((column) => columns?.includes(column))) return [];
  const isIt = raw.subject.map(
    (field, index) => `cast(${quoted(field)} as varchar) = ${literal(values[index] ?? '')}`,
  );
  const rows = await warehouse.rows(
    `select distinct ${wanted.map(quoted).join(', ')} from ${subjectsIn} where ${isIt.join(' and ')}`,
  );
  return rows.map((row) => new Map(wanted.map((field) => [subject[field] ?? '', String(row[field])])));
}

/** The place that a row of an audit names; null if it does not name the dataset's whole subject. */
export function placeInAudit({ subject }: Dataset, row: Row): Place | null {
  if (subject === undefined) return null;
  const place = Object.entries(subject).flatMap(([field, column]): [string, string][] => {
    const value = row[column] ?? row[field];
    return typeof value === 'string' || typeof value === 'number' ? [[column, String(value)]] : [];
  });
  const columns = new Set(place.map(([column]) => column));
  return Object.values(subject).every((column) => columns.has(column)) ? new Map(place) : null;
}

export const isAt = (place: Place, row: Row): boolean =>
  [...place].every(([column, value]) => String(row[column]) === value);

/** Whether the whole document is about the place; false if the document's key does not show it. */
export function isDocumentAt({ key, separator }: Dataset, place: Place, documentKey: string): boolean {
  const split = documentKey.split(separator);
  // The last part may contain the separator.
  const parts = [...split.slice(0, key.length - 1), split.slice(key.length - 1).join(separator)];
  return [...place].every(([column, value]) => key.includes(column) && parts[key.indexOf(column)] === value);
}

export const namesOf = (place: Place): string => [...place.values()].join(' ');
