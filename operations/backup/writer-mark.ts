// The mark of who writes to a place of backups. Two writers in one place could remove what the other relies on. A writer that was paused
// for longer than its mark counts finds the mark of another one, or none, and gives up.
import { printable } from '../../platform/base/printable.ts';
import { RefusedInputError } from '../../platform/storage/errors.ts';
import type { ObjectStore } from '../../platform/storage/object-store.ts';

const FILE = 'running.json';
/** A mark that was not renewed for this long was left by a backup that was killed. */
const TTL_MS = 120_000;
const RENEW_MS = 20_000;

export class WriterMark {
  readonly #store: ObjectStore;
  readonly #nowMs: () => number;
  #writer: string | undefined;
  #renewedMs = 0;

  constructor(store: ObjectStore, nowMs: () => number) {
    this.#store = store;
    this.#nowMs = nowMs;
  }

  /** @throws RefusedInputError if another backup is being written here */
  async take(id: string): Promise<void> {
    const other = await this.#otherThan(id);
    if (other !== null)
      throw new RefusedInputError(
        `Another backup, ${other}, is being written to ${this.#name}. Wait for it; if it was killed, it no longer counts after ${TTL_MS / 1000} seconds. No backup was made.`,
      );
    await this.#write(id);
    await this.confirm();
  }

  /** Shows others that this backup goes on. Call it for every piece. @throws RefusedInputError as `confirm` */
  async renew(): Promise<void> {
    if (this.#writer === undefined || this.#nowMs() - this.#renewedMs <= RENEW_MS) return;
    // At once: of several files that are copied at the same time, one renews.
    this.#renewedMs = this.#nowMs();
    await this.confirm();
    await this.#write(this.#writer);
  }

  /** @throws RefusedInputError if another writer has taken the place meanwhile */
  async confirm(): Promise<void> {
    const mark = await this.#read();
    if (mark?.id === this.#writer) return;
    const other = mark === null ? 'Another backup' : `Another backup, ${mark.id},`;
    throw new RefusedInputError(
      `${other} began in ${this.#name} while this one was written. No backup was made; repeat it when the other one has ended.`,
    );
  }

  /** Leaves the mark of another writer. */
  async release(): Promise<void> {
    const mark = await this.#read();
    if (mark !== null && mark.id === this.#writer) await this.#store.remove([FILE]);
    this.#writer = undefined;
  }

  get #name(): string {
    return this.#store.nameOf('');
  }

  async #write(id: string): Promise<void> {
    this.#renewedMs = this.#nowMs();
    await this.#store.replace(FILE, Buffer.from(JSON.stringify({ id, at_ms: this.#renewedMs })));
    this.#writer = id;
  }

  async #otherThan(id: string): Promise<string | null> {
    const mark = await this.#read();
    // A time that is none, or far in the future, would stop all backups permanently.
    const isRecent = mark !== null && Math.abs(this.#nowMs() - mark.at_ms) <= TTL_MS;
    return isRecent && mark.id !== id ? mark.id : null;
  }

  async #read(): Promise<{ readonly id: string; readonly at_ms: number } | null> {
    const text = (await this.#store.get(FILE))?.toString('utf8');
    return text === undefined ? null : parsedMark(text);
  }
}

function parsedMark(text: string): { readonly id: string; readonly at_ms: number } {
  try {
    const { id, at_ms } = (JSON.parse(text) ?? {}) as { readonly id?: unknown; readonly at_ms?: unknown };
    return { id: printable(String(id)), at_ms: Number(at_ms) };
  } catch (error) {
    if (error instanceof SyntaxError) return { id: '', at_ms: 0 };
    throw error;
  }
}
