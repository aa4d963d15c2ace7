// The files that accompany a dataset: the description of its rows, and the rows in columns. Named by content hash like the dataset itself.
import { sha256Hex } from '../platform/storage/canonical.ts';
import { DATASET_ADVICE } from './dataset-file.ts';
import { DamagedFileError } from '../platform/storage/errors.ts';
import { oncePer } from '../platform/base/once-per.ts';
import {
  type DatasetEntry,
  type FormEntry,
  type FormName,
  formPath,
  seriesPath,
  type TableInfo,
} from './layout.ts';
import type { ObjectStore } from '../platform/storage/object-store.ts';

export interface FormFile {
  readonly path: string;
  readonly entry: FormEntry;
}

export interface MadeForm extends FormFile {
  readonly bytes: Uint8Array;
}

/** Files of a dataset other than its documents, ordered by name. */
export function formFiles(
  id: string,
  { forms = {}, series = [] }: Pick<DatasetEntry, 'forms' | 'series'>,
): FormFile[] {
  const formed = Object.entries(forms).map(([form, entry]) => ({
    path: formPath(id, form as FormName, entry.sha256),
    entry,
  }));
  const parts = series.map((entry) => ({ path: seriesPath(id, entry.sha256), entry }));
  return [...formed, ...parts].sort((a, b) => (a.path < b.path ? -1 : 1));
}

const hashOf = oncePer((bytes: Uint8Array) => sha256Hex(bytes));

export function madeForm(id: string, form: FormName, bytes: Uint8Array): MadeForm {
  const entry = { sha256: hashOf(bytes), bytes: bytes.length };
  return { path: formPath(id, form, entry.sha256), entry, bytes };
}

/** Not canonical: the order of the schema's fields is the order of the columns. */
export const tableForm = (id: string, table: TableInfo): MadeForm => madeForm(id, 'table', tableText(table));

const tableText = oncePer((table: TableInfo) => Buffer.from(`${JSON.stringify(table)}\n`));

/** Reads and checks an accompanying file. Throws DamagedFileError. */
export async function readForm(store: ObjectStore, path: string, entry: FormEntry): Promise<Buffer> {
  const bytes = await store.get(path, entry.sha256);
  const actual = bytes === null ? null : sha256Hex(bytes);
  if (bytes !== null && actual === entry.sha256) return bytes;
  throw new DamagedFileError({
    file: store.nameOf(path),
    expected: `sha256 ${entry.sha256} (${entry.bytes} bytes)`,
    actual: bytes === null ? 'nothing' : `sha256 ${actual} (${bytes.length} bytes)`,
    advice: DATASET_ADVICE,
  });
}
