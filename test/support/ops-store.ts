// A store in a temporary folder, with keys, for tests of the code that uses it.
import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type PlanName, SCOPES } from '../../schemas/plans.ts';
import { hashKey, makeKey, shownPrefix } from '../../server/access/keys.ts';
import type { Actor } from '../../server/store/actor.ts';
import { makeSealer } from '../../server/store/seal.ts';
import { openStore } from '../../server/store/sqlite/open-sqlite.ts';
import type { KeyRecord, OpsStore } from '../../server/store/store.ts';
import type { WebhookOptions } from '../../server/webhooks/webhooks.ts';
import { temporaryFolder } from './temporary-folder.ts';

export interface TestStore {
  readonly store: OpsStore;
  readonly path: string;
  /** Folder of the database and the files next to it. */
  readonly dir: string;
  remove(): Promise<void>;
}

/** Seals the secrets of test stores. */
export const TEST_SEALER = makeSealer(Buffer.alloc(32, 7), randomBytes);

export async function openTestStore(): Promise<TestStore> {
  const dir = temporaryFolder('ops');
  const path = join(dir, 'ops.sqlite');
  const store = await openStore({
    path,
    owner: randomBytes(8).toString('hex'),
    sealer: TEST_SEALER,
    steadyMs: () => performance.now(),
    wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  });
  return {
    store,
    path,
    dir,
    async remove() {
      await store.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/** Webhook options that use no DNS and may send to this machine. */
export function testWebhookOptions(more: Partial<WebhookOptions> = {}): WebhookOptions {
  return {
    sealer: TEST_SEALER,
    resolve: async (host) => {
      throw new Error(`${host}: tests use no DNS`);
    },
    randomBytes,
    random: () => 0.5,
    steadyMs: () => performance.now(),
    after: (ms, work) => {
      const timer = setTimeout(work, ms);
      return () => clearTimeout(timer);
    },
    isLoopbackAllowed: true,
    legacySignature: { state: 'off' },
    ...more,
  };
}

export const actorAt = (atMs: number): Actor => ({ who: 'cli:test', requestId: null, atMs });

/** Adds a key to the store and returns it with its text. */
export async function addKey(
  store: OpsStore,
  plan: PlanName,
  more: Partial<KeyRecord> = {},
): Promise<{ readonly text: string; readonly record: KeyRecord }> {
  const text = makeKey(randomBytes);
  const record: KeyRecord = {
    id: `key_${randomBytes(8).toString('hex')}`,
    org: 'acme',
    plan,
    scopes: SCOPES,
    hash: hashKey(text),
    prefix: shownPrefix(text),
    limits: {},
    created_ms: 0,
    expires_ms: null,
    revoked_ms: null,
    ...more,
  };
  await store.keys.create(record, actorAt(record.created_ms));
  return { text, record };
}
