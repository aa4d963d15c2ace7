// Stores in their own folder, opened as by several processes, with short waits; and records with defaults.
import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import { SCOPES } from '../../../schemas/plans.ts';
import { hashKey } from '../../../server/access/keys.ts';
import type { Actor } from '../../../server/store/actor.ts';
import { makeSealer } from '../../../server/store/seal.ts';
import { openStore, type StoreOptions } from '../../../server/store/sqlite/open-sqlite.ts';
import type { KeyRecord, OpsStore } from '../../../server/store/store.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

export const NOW_MS = Date.parse('2026-03-01T12:00:00Z');
export const ACTOR: Actor = { who: 'cli:test', requestId: 'req_1', atMs: NOW_MS };

export const sealerOf = (seed: number) => makeSealer(new Uint8Array(32).fill(seed), randomBytes);

let made = 0;

export function keyRecord(change: Partial<KeyRecord> = {}): KeyRecord {
  made += 1;
  const id = change.id ?? `key_${String(made).padStart(26, '0')}`;
  return {
    id,
    org: 'acme',
    plan: 'team',
    scopes: [...SCOPES],
    hash: hashKey(id),
    prefix: 'rk_live_abcd',
    limits: {},
    created_ms: NOW_MS,
    expires_ms: null,
    revoked_ms: null,
    ...change,
  };
}

export class StoreFixture {
  readonly dir: string;
  readonly path: string;
  readonly #open: OpsStore[] = [];
  /** Connections of the last store opened, so that tests can make them fail. */
  readonly connections: DatabaseSync[] = [];

  private constructor(dir: string) {
    this.dir = dir;
    this.path = join(dir, 'ops', 'ops.sqlite');
  }

  static async create(): Promise<StoreFixture> {
    return new StoreFixture(temporaryFolder('ops-store'));
  }

  async open(change: Partial<StoreOptions> = {}): Promise<OpsStore> {
    const store = await openStore({
      path: this.path,
      owner: `process-${this.#open.length}`,
      sealer: sealerOf(1),
      steadyMs: () => performance.now(),
      wait: (ms) => wait(ms),
      connect: (path) => {
        const db = new DatabaseSync(path, { timeout: 0 });
        this.connections.push(db);
        return db;
      },
      ...change,
    });
    this.#open.push(store);
    return store;
  }

  /** Replaces this store with an empty one, as when someone puts another folder in its place. */
  async replace(): Promise<void> {
    await rm(join(this.dir, 'ops'), { recursive: true });
    await this.open();
  }

  async remove(): Promise<void> {
    for (const store of this.#open) await store.close();
    await rm(this.dir, { recursive: true });
  }
}
