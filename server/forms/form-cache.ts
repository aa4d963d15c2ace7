// Remembers made forms up to so many bytes in all; the least recently used go first. One that is being made is made once.
export class FormCache {
  readonly #most: number;
  readonly #forms = new Map<string, { readonly made: Promise<Buffer | null>; bytes: number }>();
  #bytes = 0;

  constructor(mostBytes: number) {
    this.#most = mostBytes;
  }

  /** Null is not remembered, and neither is a failure. */
  get(name: string, make: () => Promise<Buffer | null>): Promise<Buffer | null> {
    const known = this.#forms.get(name);
    if (known !== undefined) {
      this.#forms.delete(name);
      this.#forms.set(name, known);
      return known.made;
    }
    const entry = { made: make(), bytes: 0 };
    this.#forms.set(name, entry);
    entry.made.then(
      (form) => (form === null ? this.#forms.delete(name) : this.#weigh(entry, form.length)),
      () => this.#forms.delete(name),
    );
    return entry.made;
  }

  #weigh(entry: { bytes: number }, bytes: number): void {
    entry.bytes = bytes;
    this.#bytes += bytes;
    for (const [name, oldest] of this.#forms) {
      if (this.#bytes <= this.#most) return;
      this.#forms.delete(name);
      this.#bytes -= oldest.bytes;
    }
  }
}
