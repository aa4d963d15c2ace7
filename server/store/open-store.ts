// The store of the settings, for every program of the server side: the file, and the key that hides its secrets.
import type { Settings } from '../../schemas/settings.ts';
import type { Actor } from './actor.ts';
import { makeSealer, type Sealer } from './seal.ts';
import { sealKey } from './seal-key.ts';
import { openStore } from './sqlite.ts';
import type { SessionClock } from './sqlite-session.ts';
import type { OpsStore } from './store.ts';
import { prepareFiles } from './store-files.ts';

export interface StorePlace extends SessionClock {
  readonly settings: Pick<Settings, 'ops_store' | 'seal_key_file'>;
  /** Name of this process that no other has or had. */
  readonly owner: string;
  readonly randomBytes: (count: number) => Uint8Array;
  /** Takes the store as it is although a part of it is missing or older than it was; who decides so. */
  readonly accept?: Actor | undefined;
  /** Called when a key was made: whoever keeps copies of the store must keep this file too. */
  readonly onSealKeyMade: (file: string) => void;
}

/**
 * Makes a store where there is none yet. One that has lost a part, that is older than it was or another one is refused.
 * @throws StoreUnavailableError; other errors when the key's file is wrong.
 */
export async function openOpsStore(place: StorePlace): Promise<{ store: OpsStore; sealer: Sealer }> {
  const { settings, owner, randomBytes, steadyMs, wait, accept, onSealKeyMade } = place;
  prepareFiles({ store: settings.ops_store, sealKey: settings.seal_key_file }, accept !== undefined);
  const key = sealKey({ file: settings.seal_key_file, randomBytes, onMade: onSealKeyMade });
  const sealer = makeSealer(key, randomBytes);
  const store = await openStore({ path: settings.ops_store, owner, sealer, steadyMs, wait, accept });
  return { store, sealer };
}
