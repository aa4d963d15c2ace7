// Serializes work by name: each piece waits until the previous one has ended, however it ended.

export class NamedMutex {
  readonly #last = new Map<string, Promise<unknown>>();

  take<T>(name: string, work: () => Promise<T>): Promise<T> {
    const turn = (this.#last.get(name) ?? Promise.resolve()).then(work);
    const ended = turn
      .catch(() => undefined)
      .then(() => {
        if (this.#last.get(name) === ended) this.#last.delete(name);
      });
    this.#last.set(name, ended);
    return turn;
  }
}
