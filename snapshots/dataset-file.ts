// The bytes of a dataset: one line a document, `{"key":…,"value":…}`, sorted by key, hashed.
import { createHash } from 'node:crypto';
import { canonicalJson, sha256Hex } from './canonical.ts';
import { DamagedFileError, RefusedInputError } from './errors.ts';
import type { DatasetEntry, Document, Json } from './layout.ts';

/** A document whose value is already canonical JSON text (from `canonicalJson`): publishing it again costs no serialising. */
export interface WrittenDocument {
  readonly key: string;
  readonly json: string;
}

export type DocumentInput = Document | WrittenDocument;

export interface EncodedDataset {
  readonly chunks: readonly Buffer[];
  readonly sha256: string;
  readonly bytes: number;
  readonly documents: number;
}

const LINES_PER_CHUNK = 4096;

export function encodeDataset(id: string, documents: Iterable<DocumentInput>): EncodedDataset {
  const sorted = inKeyOrder(id, documents);
  const chunks: Buffer[] = [];
  const digest = createHash('sha256');
  let bytes = 0;
  for (let start = 0; start < sorted.length; start += LINES_PER_CHUNK) {
    let text = '';
    for (const document of sorted.slice(start, start + LINES_PER_CHUNK)) text += documentLine(id, document);
    const chunk = Buffer.from(text);
    digest.update(chunk);
    chunks.push(chunk);
    bytes += chunk.length;
  }
  return { chunks, sha256: digest.digest('hex'), bytes, documents: sorted.length };
}

/** Throws DamagedFileError unless the bytes are those that the manifest names. */
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

export const DATASET_ADVICE = 'Delete it and publish again, which writes it anew, or restore it from a copy.';

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

function documentLine(id: string, document: DocumentInput): string {
  const json = 'json' in document ? document.json : valueJson(id, document);
  return `{"key":${JSON.stringify(document.key)},"value":${json}}\n`;
}

function valueJson(id: string, { key, value }: { key: string; value: Json }): string {
  try {
    return canonicalJson(value);
  } catch (cause) {
    const detail = cause instanceof Error ? cause.message : String(cause);
    throw new RefusedInputError(`Dataset ${id}, document ${JSON.stringify(key)}: ${detail}`, { cause });
  }
}
