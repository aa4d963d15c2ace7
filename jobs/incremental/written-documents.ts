// The published bytes of each document: most documents do not change between two runs, and comparing values costs far less than
// serialising them again.
import { isDeepStrictEqual } from 'node:util';
import type { Json } from '../../platform/base/json.ts';
import { ALL_ON, type SwitchedOff } from '../../platform/base/switches.ts';
import { type WrittenDocument, writeDocument } from '../../snapshots/dataset-file.ts';
import type { Document } from '../../snapshots/layout.ts';

interface DocumentBytes {
  readonly value: Json;
  readonly written: WrittenDocument;
}

export class WrittenDocuments {
  readonly #off: SwitchedOff;
  /** By dataset and key: the documents of the last version. */
  readonly #datasets = new Map<string, ReadonlyMap<string, DocumentBytes>>();

  constructor(off: SwitchedOff = ALL_ON) {
    this.#off = off;
  }

  /** The documents of a dataset as bytes, reused from the last call where the value is unchanged. */
  write(dataset: string, documents: readonly Document[]): readonly WrittenDocument[] {
    const before = this.#off.has('written-documents') ? undefined : this.#datasets.get(dataset);
    const byKey = new Map<string, DocumentBytes>();
    const written = documents.map(({ key, value }) => {
      const last = before?.get(key);
      const one =
        last !== undefined && isSame(last.value, value)
          ? last
          : { value, written: writeDocument(key, value) };
      byKey.set(key, one);
      return one.written;
    });
    this.#datasets.set(dataset, byKey);
    return written;
  }
}

/** Flat rows are compared member by member, nested values with the runtime's deep comparison. */
function isSame(a: Json, b: Json): boolean {
  if (a === b) return true;
  if (!isRecord(a) || !isRecord(b)) return isDeepStrictEqual(a, b);
  const names = Object.keys(a);
  if (names.length !== Object.keys(b).length) return false;
  return names.every((name) => a[name] === b[name] || isDeepStrictEqual(a[name], b[name]));
}

const isRecord = (value: Json): value is { readonly [name: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
