// All open stream connections, the pings that are due, and the connections whose key ended.
import type { CloseCode } from '../../schemas/stream.ts';
import type { KeyRecord } from '../store/store.ts';
import type { Connection } from './connection.ts';

export interface StreamCounts {
  readonly connections: number;
  /** Event frames sent since the start. */
  readonly sent: number;
  /** Ended connections by the close code this server sent; 0 if closed by the client or lost. */
  readonly closed: ReadonlyMap<CloseCode | 0, number>;
}

export class Connections {
  /** Each connection with the function that ends its count against the plan, once it is counted. */
  readonly #open = new Map<Connection, () => void>();
  readonly #closed = new Map<CloseCode | 0, number>();
  #onEmpty: () => void = () => undefined;

  get counts(): Omit<StreamCounts, 'sent'> {
    return { connections: this.#open.size, closed: this.#closed };
  }

  add(connection: Connection): void {
    this.#open.set(connection, () => undefined);
  }

  /** `release` is called when the connection ends. If it has already ended, calls it now and returns false. */
  hold(connection: Connection, release: () => void): boolean {
    const isOpen = this.#open.has(connection);
    if (isOpen) this.#open.set(connection, release);
    else release();
    return isOpen;
  }

  remove(connection: Connection): void {
    const release = this.#open.get(connection);
    if (release === undefined) return;
    this.#open.delete(connection);
    release();
    const code = connection.closeCode ?? 0;
    this.#closed.set(code, (this.#closed.get(code) ?? 0) + 1);
    if (this.#open.size === 0) this.#onEmpty();
  }

  /** Call this about once a second. `onPing` is called for each connection that was just sent a ping. */
  check(onPing: (connection: Connection) => void): void {
    for (const connection of this.#open.keys()) if (connection.check()) onPing(connection);
  }

  closeKeys(keys: readonly KeyRecord[]): void {
    const ended = new Map(keys.map((key) => [key.id, key]));
    for (const connection of this.#open.keys()) {
      const key = ended.get(connection.facts.caller.key?.id ?? '');
      if (key === undefined) continue;
      if (key.revoked_ms === null) connection.close(4001, 'expired_key: the key has expired');
      else connection.close(4001, 'revoked_key: the key has been revoked');
    }
  }

  /** Resolves when all connections are gone. */
  async closeAll(code: CloseCode, reason: string): Promise<void> {
    if (this.#open.size === 0) return;
    const empty = new Promise<void>((resolve) => {
      this.#onEmpty = resolve;
    });
    for (const connection of this.#open.keys()) connection.close(code, reason);
    await empty;
  }
}
