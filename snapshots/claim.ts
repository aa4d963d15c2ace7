// The right to publish when several machines could: an object store has no lock, so the pointer states who may replace it. Every change
// swaps the pointer, provided that it is still as this writer last wrote it. A writer that was replaced while it slept loses its next swap,
// and readers see nothing of what it wrote for it.
import { DamagedFileError, RefusedInputError } from '../platform/storage/errors.ts';
import { type Pointer, POINTER_FILE, type WriterNote } from './layout.ts';
import { currentText, parseCurrent } from './manifest.ts';
import type { NewObject, ObjectStore } from '../platform/storage/object-store.ts';

export interface Claimant {
  /** The same for all machines that publish to one place; other installations are refused. */
  readonly installation: string;
  /** Rises with every leader; null takes the next number. */
  readonly term: number | null;
}

/** Another writer publishes now; this one has published nothing. */
export class StaleWriterError extends Error {
  override readonly name = 'StaleWriterError';
}

const MAX_TRIES = 10;

interface ClaimState {
  readonly tag: string;
  readonly pointer: Pointer | null;
  readonly writer: WriterNote;
}

export class Claim {
  readonly #store: ObjectStore;
  #state: ClaimState;

  private constructor(store: ObjectStore, state: ClaimState) {
    this.#store = store;
    this.#state = state;
  }

  /** @throws RefusedInputError if the place belongs to another installation, StaleWriterError if a later term writes there. */
  static async take(store: ObjectStore, claimant: Claimant): Promise<Claim> {
    for (let attempt = 1; attempt <= MAX_TRIES; attempt++) {
      const held = await attemptTo(store, claimant);
      if (held !== 'lost') return new Claim(store, held);
    }
    throw new StaleWriterError(
      `Other writers keep replacing ${store.nameOf(POINTER_FILE)}: stop all but one.`,
    );
  }

  get term(): number {
    return this.#state.writer.term;
  }

  /** Names of the segments that were appended since the last version. */
  get tail(): readonly string[] {
    return this.#state.writer.tail;
  }

  /** Writes objects and then the pointer, which also publishes the log. @throws StaleWriterError */
  publish(objects: readonly NewObject[], pointer: Pointer): Promise<void> {
    return this.#swap(objects, { pointer, tail: [] });
  }

  /** Makes an append part of the log. @throws StaleWriterError */
  noteTail(tail: readonly string[]): Promise<void> {
    return this.#swap([], { pointer: this.#state.pointer, tail });
  }

  /** Called before anything is removed. @throws StaleWriterError */
  async check(): Promise<void> {
    if ((await this.#store.getTagged(POINTER_FILE, this.#state.tag)) !== 'same') throw await this.#replaced();
  }

  async #swap(
    objects: readonly NewObject[],
    { pointer, tail }: { readonly pointer: Pointer | null; readonly tail: readonly string[] },
  ): Promise<void> {
    const writer = { ...this.#state.writer, tail };
    const bytes = Buffer.from(currentText({ pointer, writer }));
    const { tag: expectedTag } = this.#state;
    const result = await this.#store.commit(objects, { key: POINTER_FILE, bytes, expectedTag });
    if (result === 'lost') throw await this.#replaced();
    this.#state = { tag: result.tag, pointer, writer };
  }

  async #replaced(): Promise<StaleWriterError> {
    const { installation, term } = this.#state.writer;
    const now = await readCurrent(this.#store);
    const by = now?.current.writer?.term ?? 'none';
    return new StaleWriterError(
      `${this.#store.nameOf('')} has another writer, with term ${by}; this one, of installation ${installation}, has term ${term} and published nothing. Stop one of them; when restarted, this one takes over.`,
    );
  }
}

async function attemptTo(store: ObjectStore, { installation, term }: Claimant): Promise<ClaimState | 'lost'> {
  const found = await readCurrent(store);
  const { pointer = null, writer = null } = found?.current ?? {};
  if (writer !== null && writer.installation !== installation)
    throw new RefusedInputError(
      `${store.nameOf('')} belongs to installation ${writer.installation}; this one is ${installation}. Publish to another prefix, or give all machines of one installation the same INSTALLATION.`,
    );
  const next = term ?? (writer?.term ?? 0) + 1;
  if (writer !== null && next <= writer.term)
    throw new StaleWriterError(
      `${store.nameOf('')} has a writer with term ${writer.term}; this one, with term ${next}, is outdated.`,
    );
  const note = { installation, term: next, tail: writer?.tail ?? [] };
  const bytes = Buffer.from(currentText({ pointer, writer: note }));
  const result = await store.swap({ key: POINTER_FILE, bytes, expectedTag: found?.tag ?? null });
  return result === 'lost' ? 'lost' : { tag: result.tag, pointer, writer: note };
}

async function readCurrent(store: ObjectStore) {
  const found = await store.getTagged(POINTER_FILE);
  if (found === null || found === 'same') return null;
  try {
    return { tag: found.tag, current: parseCurrent(found.bytes, store.nameOf(POINTER_FILE)) };
  } catch (error) {
    if (!(error instanceof DamagedFileError)) throw error;
    const { file, expected, actual } = error;
    throw new DamagedFileError({ file, expected, actual, advice: CLAIM_ADVICE }, { cause: error });
  }
}

const CLAIM_ADVICE =
  'It states who may publish, so no one may until it is restored. Put back its last contents (the store may keep old versions).';
