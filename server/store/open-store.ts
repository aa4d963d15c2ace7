// Opens the store named in the settings, for every server-side program: a file or PostgreSQL, and the key that encrypts its secrets.

import { isPostgres } from '../../platform/postgres/pg-pool.ts';
import type { Settings } from '../../platform/settings/settings.ts';
import type { Actor } from './actor.ts';
import type { JointCounts } from './joint-counts.ts';
import { openJointCounts, openPostgres } from './postgres/open-postgres.ts';
import { makeSealer, type Sealer, sealKey } from './seal.ts';
import type { NoteUpgrade } from './sqlite/migrate.ts';
import { openStore } from './sqlite/open-sqlite.ts';
import type { SessionClock } from './sqlite/sqlite-session.ts';
import { prepareFiles } from './sqlite/store-files.ts';
import type { OpsStore } from './store.ts';

export interface StoreOptions extends SessionClock {
  readonly settings: Pick<Settings, 'ops_store' | 'seal_key_file'>;
  /** Unique name of this process, never reused. */
  readonly owner: string;
  readonly randomBytes: (count: number) => Uint8Array;
  /** The actor who accepts the store although a part of it is missing or outdated. */
  readonly accept?: Actor | undefined;
  /** Called when a key was created, because backups of the store must include its file. */
  readonly onSealKeyMade: (file: string) => void;
  readonly onUpgraded?: NoteUpgrade | undefined;
}

export interface OpenedStore {
  readonly store: OpsStore;
  readonly sealer: Sealer;
  /** Opens the counts shared by servers on this store; undefined for a store on one machine. */
  readonly openCounts: () => JointCounts | undefined;
}

/**
 * Creates the store if there is none. Refuses an incomplete, outdated or foreign store.
 * @throws StoreUnavailableError; other errors if the key file is invalid.
 */
export async function openOpsStore(options: StoreOptions): Promise<OpenedStore> {
  const { settings, owner, steadyMs, wait, accept, onUpgraded } = options;
  const { ops_store: path, seal_key_file: sealKeyFile } = settings;
  if (isPostgres(path)) {
    const sealer = once(() => sealerOf(options));
    const store = await openPostgres({ url: path, sealKeyFile, sealer, owner, accept, wait, onUpgraded });
    return { store, sealer: sealer(), openCounts: () => openJointCounts(path, owner) };
  }
  prepareFiles({ store: path, sealKey: sealKeyFile }, accept !== undefined);
  const sealer = sealerOf(options);
  const store = await openStore({ path, owner, sealer, steadyMs, wait, accept, onUpgraded });
  return { store, sealer, openCounts: () => undefined };
}

function sealerOf({ settings, randomBytes, onSealKeyMade }: StoreOptions): Sealer {
  const key = sealKey({ file: settings.seal_key_file, randomBytes, onMade: onSealKeyMade });
  return makeSealer(key, randomBytes);
}

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
