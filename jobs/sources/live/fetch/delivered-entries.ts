// Registry entries that a source has delivered. An entry is delivered when it is new or has changed. All are delivered again when they are
// read or mapped in a different way, because recordings of the first delivery may be gone by then.

import { createHash } from 'node:crypto';
import type { LiveMappingOf } from './live-source.ts';

/** Incremented when readings learn more about an entry than the previous version did. */
const VERSION = 2;

export interface Entry {
  readonly key: string;
  /** The entry is delivered again when these change. */
  readonly facts: string;
}

/** State that a reading leaves for the next one; a JSON value. */
export interface DeliveredState {
  readonly version: string;
  readonly entries: { readonly [key: string]: string };
}

export class DeliveredEntries {
  readonly #version: string;
  readonly #delivered: Map<string, string>;

  constructor(state: unknown, mappings: readonly LiveMappingOf[]) {
    this.#version = createHash('sha256')
      .update(JSON.stringify([VERSION, mappings]))
      .digest('hex');
    const { version, entries = {} } = (state ?? {}) as Partial<DeliveredState>;
    this.#delivered = new Map(version === this.#version ? Object.entries(entries) : []);
  }

  get keys(): ReadonlySet<string> {
    return new Set(this.#delivered.keys());
  }

  /** Keys of entries that no earlier reading delivered with the same facts; from now on they count as delivered. */
  newAmong(entries: readonly Entry[]): ReadonlySet<string> {
    const fresh = entries.filter(({ key, facts }) => this.#delivered.get(key) !== facts);
    for (const { key, facts } of fresh) this.#delivered.set(key, facts);
    return new Set(fresh.map(({ key }) => key));
  }

  state(): DeliveredState {
    return { version: this.#version, entries: Object.fromEntries(this.#delivered) };
  }
}
