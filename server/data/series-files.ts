// Series files of every kept version, read and checked on demand, and cached by content.
import { LRUCache } from 'lru-cache';
import { readForm } from '../../snapshots/dataset-forms.ts';
import { type SeriesPart, seriesPath } from '../../snapshots/layout.ts';
import type { ObjectStore } from '../../platform/storage/object-store.ts';
import type { SeriesFiles } from '../define/services.ts';
import { Documents } from './documents.ts';
import { refuseUnreadable } from './unreadable.ts';

const MAX_BYTES = 64 * 1_024 * 1_024;

export class PublishedSeries implements SeriesFiles {
  readonly #snapshots: ObjectStore;
  readonly #documents = new LRUCache<string, Promise<Documents>>({ maxSize: MAX_BYTES });

  constructor(snapshots: ObjectStore) {
    this.#snapshots = snapshots;
  }

  async document(dataset: string, part: SeriesPart, key: string): Promise<Buffer | undefined> {
    const name = `${dataset} ${part.sha256}`;
    const known = this.#documents.get(name);
    if (known !== undefined) return (await known).get(key);
    const documents = this.#read(dataset, part);
    if (part.bytes <= MAX_BYTES) this.#documents.set(name, documents, { size: Math.max(1, part.bytes) });
    documents.catch(() => this.#documents.delete(name));
    return (await documents).get(key);
  }

  async #read(dataset: string, part: SeriesPart): Promise<Documents> {
    try {
      const bytes = await readForm(this.#snapshots, seriesPath(dataset, part.sha256), part);
      return new Documents(dataset, part.documents, bytes);
    } catch (cause) {
      return refuseUnreadable(cause);
    }
  }
}
