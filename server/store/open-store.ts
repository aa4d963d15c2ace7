// Opens the store named in the settings, for every server-side program: the file, and the key that encrypts its secrets.
import type { Settings } from '../../schemas/settings.ts';
import type { Actor } from './actor.ts';
import { makeSealer, type Sealer } from './seal.ts';
import { sealKey } from './seal-key.ts';
import { openStore } from './sqlite/open-sqlite.ts';
import type { SessionClock } from './sqlite/sqlite-session.ts';
import type { OpsStore } from './store.ts';
import { prepareFiles } from './sqlite/store-files.ts';

export interface StorePlace extends SessionClock {
  readonly settings: Pick<Settings, 'ops_store' | 'seal_key_file'>;
  /** Unique name of this process, never reused. */
  readonly owner: string;
  readonly randomBytes: (count: number) => Uint8Array;
  /** Accepts the store although a part of it is missing or outdated; the actor who decides that. */
  readonly accept?: Actor | undefined;
  /** Called when a key was created: backups of the store must include this file. */
  readonly onSealKeyMade: (file: string) => void;
}

/**
 * Creates the store if there is none. An incomplete, outdated or foreign store is refused.
 * @throws StoreUnavailableError; other errors when the key file is invalid.
 */
export async function openOpsStore(place: StorePlace): Promise<{ store: OpsStore; sealer: Sealer }> {
  const { settings, owner, randomBytes, steadyMs, wait, accept, onSealKeyMade } = place;
  prepareFiles({ store: settings.ops_store, sealKey: settings.seal_key_file }, accept !== undefined);
  const key = sealKey({ file: settings.seal_key_file, randomBytes, onMade: onSealKeyMade });
  const sealer = makeSealer(key, randomBytes);
  const store = await openStore({ path: settings.ops_store, owner, sealer, steadyMs, wait, accept });
  return { store, sealer };
}
