// A received body, in parts. Text is decoded part by part, because joining a large body first costs more than reading it.
export class ReceivedBody {
  readonly length: number;
  readonly #parts: readonly Uint8Array[];
  #whole: Buffer | null = null;

  constructor(parts: readonly Uint8Array[]) {
    this.#parts = parts;
    this.length = parts.reduce((sum, { length }) => sum + length, 0);
  }

  get bytes(): Buffer {
    this.#whole ??= Buffer.concat(this.#parts);
    return this.#whole;
  }

  text(): string {
    const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
    let text = '';
    for (const part of this.#parts) text += decoder.decode(part, { stream: true });
    return text + decoder.decode();
  }

  /** The text of its first bytes. */
  start(length: number): string {
    const first: Uint8Array[] = [];
    let taken = 0;
    for (const part of this.#parts) {
      if (taken >= length) break;
      first.push(part.subarray(0, length - taken));
      taken += part.length;
    }
    return Buffer.concat(first).toString('utf8');
  }
}
