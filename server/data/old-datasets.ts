// Datasets of older versions, read on demand and cached by content; the least recently used are dropped first.
import { LRUCache } from 'lru-cache';
import type { DatasetEntry } from '../../snapshots/layout.ts';
import type { ObjectStore } from '../../platform/storage/object-store.ts';
import { openVersion } from '../../snapshots/read.ts';
import type { LoadedDataset } from '../define/services.ts';
import { Documents } from './documents.ts';
import { refuseUnreadable } from './unreadable.ts';

const MAX_BYTES = 128 * 1_024 * 1_024;

export class OldDatasets {
  readonly #snapshots: ObjectStore;
  readonly #documents = new LRUCache<string, Promise<Documents>>({ maxSize: MAX_BYTES });

  constructor(snapshots: ObjectStore) {
    this.#snapshots = snapshots;
  }

  /** @throws Failure `unavailable` if the file cannot be read. */
  async of(version: string, id: string, entry: DatasetEntry): Promise<LoadedDataset> {
    const name = `${id} ${entry.sha256}`;
    const known = this.#documents.get(name);
    if (known !== undefined) return { entry, documents: await known };
    const documents = this.#read(version, id, entry);
    this.#documents.set(name, documents, { size: Math.max(1, entry.bytes) });
    documents.catch(() => this.#documents.delete(name));
    return { entry, documents: await documents };
  }

  async #read(version: string, id: string, entry: DatasetEntry): Promise<Documents> {
    try {
      const reader = await openVersion(this.#snapshots, version);
      return new Documents(id, entry.documents, await reader.datasetBytes(id));
    } catch (cause) {
      return refuseUnreadable(cause);
    }
  }
}
