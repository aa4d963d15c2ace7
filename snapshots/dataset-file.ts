// The bytes of a dataset: one line per document, `{"key":…,"value":…}`, sorted by key, hashed.

import type { Json } from '../platform/base/json.ts';
import { oncePer } from '../platform/base/once-per.ts';
import { canonicalJson, sha256Hex, sha256HexOf } from '../platform/storage/canonical.ts';
import { DamagedFileError, RefusedInputError } from '../platform/storage/errors.ts';
import type { ObjectStore } from '../platform/storage/object-store.ts';
import {
  type DatasetEntry,
  type Document,
  type FormEntry,
  type FormName,
  formPath,
  seriesPath,
  type TableInfo,
} from './layout.ts';

/** A serialised document, from `writeDocument`. Publishing it again costs a copy instead of a serialisation. */
export interface WrittenDocument {
  readonly key: string;
  /** With its line end. */
  readonly line: Uint8Array;
}

export type DocumentInput = Document | WrittenDocument;

export interface EncodedDataset {
  readonly chunks: readonly Buffer[];
  readonly sha256: string;
  readonly bytes: number;
  readonly documents: number;
}

const CHUNK_BYTES = 1 << 20;

export const writeDocument = (key: string, value: Json): WrittenDocument => ({
  key,
  line: Buffer.from(lineText(key, value)),
});

export type Facts = Omit<EncodedDataset, 'chunks'>;

/** Throws RefusedInputError for a duplicate key and for a value that JSON cannot represent. */
export function encodeDataset(id: string, documents: Iterable<DocumentInput>): EncodedDataset {
  const sorted = inKeyOrder(id, documents);
  const writer = new ChunkWriter();
  for (const document of sorted) {
    if ('line' in document) writer.addBytes(document.line);
    else writer.addText(namedLine(id, document));
  }
  const chunks = writer.end();
  const bytes = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  return { chunks, sha256: sha256HexOf(chunks), bytes, documents: sorted.length };
}

/** Throws DamagedFileError unless the bytes match the manifest. */
export function checkDataset(bytes: Buffer, entry: DatasetEntry, file: string): void {
  const actual = sha256Hex(bytes);
  if (actual === entry.sha256) return;
  throw new DamagedFileError({
    file,
    expected: `sha256 ${entry.sha256} (${entry.bytes} bytes)`,
    actual: `sha256 ${actual} (${bytes.length} bytes)`,
    advice: DATASET_ADVICE,
  });
}

export const DATASET_ADVICE = 'Delete it and publish again, which rewrites it, or restore it from a copy.';

export function decodeDataset(bytes: Buffer): Document[] {
  const documents: Document[] = [];
  for (const line of datasetLines(bytes)) documents.push(JSON.parse(line) as Document);
  return documents;
}

/** Lines without their line ends. */
export function* datasetLines(bytes: Buffer): Generator<string> {
  let start = 0;
  while (start < bytes.length) {
    const end = bytes.indexOf(10, start);
    const stop = end === -1 ? bytes.length : end;
    yield bytes.toString('utf8', start, stop);
    start = stop + 1;
  }
}

function inKeyOrder(id: string, documents: Iterable<DocumentInput>): readonly DocumentInput[] {
  const list = Array.isArray(documents) ? (documents as DocumentInput[]) : [...documents];
  const sorted = isSorted(list) ? list : list.toSorted(byKey);
  for (let i = 1; i < sorted.length; i++) {
    const key = sorted[i]?.key;
    if (key === sorted[i - 1]?.key)
      throw new RefusedInputError(`Dataset ${id} has two documents with the key ${JSON.stringify(key)}.`);
  }
  return sorted;
}

const byKey = (a: DocumentInput, b: DocumentInput) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0);

function isSorted(list: readonly DocumentInput[]): boolean {
  let previous: string | undefined;
  for (const { key } of list) {
    if (typeof key !== 'string')
      throw new RefusedInputError(`A document's key is a ${typeof key}, not a string.`);
    if (previous !== undefined && key < previous) return false;
    previous = key;
  }
  return true;
}

const lineText = (key: string, value: Json): string =>
  `{"key":${JSON.stringify(key)},"value":${canonicalJson(value)}}\n`;

function namedLine(id: string, { key, value }: Document): string {
  try {
    return lineText(key, value);
  } catch (cause) {
    const detail = cause instanceof Error ? cause.message : String(cause);
    throw new RefusedInputError(`Dataset ${id}, document ${JSON.stringify(key)}: ${detail}.`, { cause });
  }
}

/** Packs lines into a few large buffers: thousands of small ones would be thousands of writes. */
class ChunkWriter {
  readonly #full: Buffer[] = [];
  #chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  #used = 0;

  addText(text: string): void {
    // UTF-8 needs at most three bytes for one UTF-16 code unit.
    this.#makeRoom(text.length * 3);
    this.#used += this.#chunk.write(text, this.#used);
  }

  addBytes(bytes: Uint8Array): void {
    this.#makeRoom(bytes.length);
    this.#chunk.set(bytes, this.#used);
    this.#used += bytes.length;
  }

  end(): readonly Buffer[] {
    this.#closeChunk(0);
    return this.#full;
  }

  #makeRoom(bytes: number): void {
    if (this.#used + bytes > this.#chunk.length) this.#closeChunk(Math.max(bytes, CHUNK_BYTES));
  }

  #closeChunk(nextBytes: number): void {
    if (this.#used > 0) this.#full.push(this.#chunk.subarray(0, this.#used));
    this.#chunk = Buffer.allocUnsafe(nextBytes);
    this.#used = 0;
  }
}

/**
 * The files that accompany a dataset: the description of its rows, and the rows in columns. Named by content hash like the dataset itself.
 */
export interface FormFile {
  readonly path: string;
  readonly entry: FormEntry;
}

interface MadeForm extends FormFile {
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
