// All open stream connections: how many an organisation has, which are due for a ping, and which have a key that ended.
import type { CloseCode } from '../../schemas/stream.ts';
import type { KeyRecord } from '../store/store.ts';
import type { Connection } from './connection.ts';

export interface StreamCounts {
  readonly connections: number;
  /** Event frames sent since the start. */
  readonly sent: number;
  /** Ended connections, by the close code this server sent; 0: closed by the client, or lost. */
  readonly closed: ReadonlyMap<CloseCode | 0, number>;
}

export class Connections {
  readonly #open = new Set<Connection>();
  readonly #byOwner = new Map<string, number>();
  readonly #closed = new Map<CloseCode | 0, number>();
  #onEmpty: () => void = () => undefined;

  get counts(): Omit<StreamCounts, 'sent'> {
    return { connections: this.#open.size, closed: this.#closed };
  }

  /** Returns how many connections the owner has, including this one. */
  add(connection: Connection): number {
    const { owner } = connection.facts;
    const count = (this.#byOwner.get(owner) ?? 0) + 1;
    this.#byOwner.set(owner, count);
    this.#open.add(connection);
    return count;
  }

  remove(connection: Connection): void {
    if (!this.#open.delete(connection)) return;
    const { owner } = connection.facts;
    const count = (this.#byOwner.get(owner) ?? 1) - 1;
    if (count === 0) this.#byOwner.delete(owner);
    else this.#byOwner.set(owner, count);
    const code = connection.closeCode ?? 0;
    this.#closed.set(code, (this.#closed.get(code) ?? 0) + 1);
    if (this.#open.size === 0) this.#onEmpty();
  }

  /** Call every second or so. `onPing` is called for each connection that was just sent a ping. */
  check(onPing: (connection: Connection) => void): void {
    for (const connection of this.#open) if (connection.check()) onPing(connection);
  }

  closeKeys(keys: readonly KeyRecord[]): void {
    const ended = new Map(keys.map((key) => [key.id, key]));
    for (const connection of this.#open) {
      const key = ended.get(connection.facts.caller.key?.id ?? '');
      if (key === undefined) continue;
      if (key.revoked_ms === null) connection.close(4001, 'expired_key: the key has expired');
      else connection.close(4001, 'revoked_key: the key has been revoked');
    }
  }

  /** Resolves when all are gone. */
  async closeAll(code: CloseCode, words: string): Promise<void> {
    if (this.#open.size === 0) return;
    const empty = new Promise<void>((resolve) => {
      this.#onEmpty = resolve;
    });
    for (const connection of this.#open) connection.close(code, words);
    await empty;
  }
}
