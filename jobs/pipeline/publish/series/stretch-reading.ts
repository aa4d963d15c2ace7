// The documents of adjoining files of a series, which are read together.
import type { Document } from '../../../../snapshots/layout.ts';
import type { Stretch } from './read-points.ts';

/** Every file takes its documents once; after that they are released. */
export class StretchReading {
  readonly parts: Stretch;
  readonly #readAll: () => Promise<readonly (readonly Document[])[]>;
  #found: (readonly Document[] | undefined)[] = [];

  constructor(parts: Stretch, readAll: () => Promise<readonly (readonly Document[])[]>) {
    this.parts = parts;
    this.#readAll = readAll;
  }

  async read(): Promise<void> {
    this.#found = [...(await this.#readAll())];
  }

  async documents(index: number): Promise<readonly Document[]> {
    if (this.#found[index] === undefined) await this.read();
    const documents = this.#found[index] ?? [];
    this.#found[index] = undefined;
    return documents;
  }
}
