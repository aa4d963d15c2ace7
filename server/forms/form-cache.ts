// Caches rendered forms up to a number of bytes; the least recently used are dropped. Concurrent requests for a form render it once.
import { LRUCache } from 'lru-cache';

export class FormCache {
  readonly #rendered: LRUCache<string, Buffer>;
  readonly #pending = new Map<string, Promise<Buffer | null>>();

  constructor(maxBytes: number) {
    this.#rendered = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: ({ length }) => Math.max(1, length),
    });
  }

  /** Null and failures are not cached. */
  async get(name: string, render: () => Promise<Buffer | null>): Promise<Buffer | null> {
    return this.#rendered.get(name) ?? this.#pending.get(name) ?? this.#render(name, render);
  }

  #render(name: string, render: () => Promise<Buffer | null>): Promise<Buffer | null> {
    const pending = render()
      .then((form) => {
        if (form !== null) this.#rendered.set(name, form);
        return form;
      })
      .finally(() => this.#pending.delete(name));
    this.#pending.set(name, pending);
    return pending;
  }
}
