// Caches the published bytes of each document between runs: most documents do not change between two ticks, and comparing values costs
// far less than serialising them again.
import { isDeepStrictEqual } from 'node:util';
import { type WrittenDocument, writeDocument } from '../../../snapshots/dataset-file.ts';
import type { Json } from '../../../platform/base/json.ts';
import type { Document } from '../../../snapshots/layout.ts';

interface CachedDocument {
  readonly value: Json;
  readonly written: WrittenDocument;
}

interface CachedDataset {
  /** The list written last: if the same list is given again, its documents need not be compared. */
  readonly documents: readonly Document[];
  readonly written: readonly WrittenDocument[];
  readonly byKey: ReadonlyMap<string, CachedDocument>;
}

export class LineCache {
  readonly #datasets = new Map<string, CachedDataset>();

  /** The documents of a dataset as bytes, reused from the last call where the value is unchanged. */
  write(dataset: string, documents: readonly Document[]): readonly WrittenDocument[] {
    const before = this.#datasets.get(dataset);
    if (before?.documents === documents) return before.written;
    const byKey = new Map<string, CachedDocument>();
    const written = documents.map(({ key, value }) => {
      const cached = before?.byKey.get(key);
      const one =
        cached !== undefined && isSame(cached.value, value)
          ? cached
          : { value, written: writeDocument(key, value) };
      byKey.set(key, one);
      return one.written;
    });
    this.#datasets.set(dataset, { documents, written: Object.freeze(written), byKey });
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
