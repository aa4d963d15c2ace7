// A store with its seal key and the head of its audit log, as on the disk of an installation: opened as the programs do, closed, copied,
// damaged and restored.
import { randomBytes } from 'node:crypto';
import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import type { Actor } from '../../../server/store/actor.ts';
import { openOpsStore } from '../../../server/store/open-store.ts';
import type { OpsStore } from '../../../server/store/store.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { ACTOR, keyRecord } from './store-fixture.ts';

export const FILES = { store: 'ops.sqlite', key: 'seal.key', head: 'ops.sqlite-audit-head' } as const;
export type FileName = (typeof FILES)[keyof typeof FILES];

export class Installation {
  readonly dir: string;
  readonly ops: string;

  private constructor(dir: string) {
    this.dir = dir;
    this.ops = join(dir, 'ops');
  }

  static async create(): Promise<Installation> {
    return new Installation(temporaryFolder('installation'));
  }

  async open(accept?: Actor): Promise<OpsStore> {
    const { store } = await openOpsStore({
      settings: { ops_store: this.path(FILES.store), seal_key_file: this.path(FILES.key) },
      owner: `test-${randomBytes(6).toString('hex')}`,
      randomBytes,
      steadyMs: () => performance.now(),
      wait: (ms) => wait(ms),
      onSealKeyMade: () => undefined,
      accept,
    });
    return store;
  }

  /** Opens the store, works on it, and closes it. */
  async with<T>(work: (store: OpsStore) => Promise<T>): Promise<T> {
    const store = await this.open();
    try {
      return await work(store);
    } finally {
      await store.close();
    }
  }

  /** Creates keys and revokes the first of them. */
  async use(): Promise<void> {
    await this.with(async ({ keys }) => {
      const [first, second] = [keyRecord({ plan: 'free' }), keyRecord({ plan: 'free' })];
      for (const key of [first, second, keyRecord({ plan: 'enterprise' })]) await keys.create(key, ACTOR);
      await keys.revoke(first.id, ACTOR);
      const next = keyRecord({ plan: 'free' });
      await keys.rotate({ oldId: second.id, oldEndsMs: ACTOR.atMs + 1_000, next }, ACTOR);
    });
  }

  path(name: string): string {
    return join(this.ops, name);
  }

  read(name: FileName): Promise<Buffer> {
    return readFile(this.path(name));
  }

  write(name: FileName, bytes: string | Uint8Array): Promise<void> {
    return writeFile(this.path(name), bytes);
  }

  delete(name: string): Promise<void> {
    return rm(this.path(name), { recursive: true });
  }

  /** Changes the file like someone who lacks the seal key. */
  tamper(sql: string): void {
    const db = new DatabaseSync(this.path(FILES.store));
    db.exec('drop trigger if exists audit_entry_is_final; drop trigger if exists audit_entry_stays');
    db.exec(sql);
    db.close();
  }

  names(): Promise<string[]> {
    return readdir(this.ops);
  }

  /** Saves the present state, to be restored later. */
  async keep(): Promise<{ restore(): Promise<void> }> {
    const copy = temporaryFolder('kept');
    await cp(this.ops, copy, { recursive: true });
    return {
      restore: async () => {
        await rm(this.ops, { recursive: true });
        await cp(copy, this.ops, { recursive: true });
      },
    };
  }

  remove(): Promise<void> {
    return rm(this.dir, { recursive: true });
  }
}

/** What an open store reports about itself, and the valid keys. */
export const stateOf = (installation: Installation) =>
  installation.with(async ({ keys, audit }) => ({
    keys: (await keys.changedSince(null)).keys,
    broken: await audit.verify(),
    unlogged: await keys.unlogged(),
    entries: (await audit.list(0, 1_000)).length,
  }));

export type State = Awaited<ReturnType<typeof stateOf>>;
