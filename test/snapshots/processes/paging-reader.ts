// A reader that trusts nothing: follows the published version without pause, compares every document, pages through the events
// with a cursor, and records whatever a reader must never see.
import type { ObjectStore } from '../../../platform/storage/object-store.ts';
import { openVersion, readPointer, type VersionReader } from '../../../snapshots/read.ts';
import { eventsAfter } from '../../../snapshots/segment.ts';

const EVENTS_PER_PAGE = 3;

export class PagingReader {
  reads = 0;
  versionsSeen = 0;
  readonly faults: string[] = [];
  readonly keys: string[] = [];
  readonly ids: string[] = [];
  lastTick = 0;
  #lastVersion = '';
  readonly #store: ObjectStore;

  constructor(store: ObjectStore) {
    this.#store = store;
  }

  /** Reads the published version once. */
  async look(): Promise<void> {
    try {
      const pointer = await readPointer(this.#store);
      if (pointer === null) return;
      await this.#check(await openVersion(this.#store, pointer.version, pointer.manifest_sha256));
      this.reads++;
    } catch (error) {
      this.faults.push(String(error));
    }
  }

  async #check(reader: VersionReader): Promise<void> {
    if (reader.version < this.#lastVersion) this.faults.push(`backward to ${reader.version}`);
    if (reader.version > this.#lastVersion) this.versionsSeen++;
    this.#lastVersion = reader.version;
    const ticks = new Set<number>();
    for (const id of ['one', 'two'])
      for (const { value } of await reader.documents(id)) ticks.add((value as { tick: number }).tick);
    const [tick = 0, ...others] = ticks;
    if (others.length > 0) this.faults.push(`mixed: ${[...ticks].join(', ')}`);
    if (tick < this.lastTick) this.faults.push(`backward from tick ${this.lastTick} to ${tick}`);
    this.lastTick = tick;
    await this.#nextPage(reader);
  }

  async #nextPage({ store, manifest }: VersionReader): Promise<void> {
    const cursor = this.ids.at(-1) ?? null;
    let taken = 0;
    for await (const { id, key } of eventsAfter(store, manifest.events.segments, cursor)) {
      this.ids.push(id);
      this.keys.push(key);
      if (++taken === EVENTS_PER_PAGE) break;
    }
  }
}
