// A store in a file with a row in every table, and an empty PostgreSQL schema to copy it to.
import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { copyStore, type StoreCopyOptions } from '../../../server/store/copy/copy-store.ts';
import { openOpsStore } from '../../../server/store/open-store.ts';
import type { Sealer } from '../../../server/store/seal.ts';
import type { OpsStore } from '../../../server/store/store.ts';
import { secretBinding } from '../../../server/store/webhook-store.ts';
import type { Cluster } from '../../support/postgres-cluster.ts';
import { claim, done } from './claims.ts';
import { FILES, Installation } from './installation.ts';
import { PostgresFixture } from './postgres-fixture.ts';
import { ACTOR, NOW_MS } from './store-fixture.ts';
import { eventGroup, eventId, heldEvents, newDelivery, webhookRecord } from './webhook-records.ts';

/** More than are written at a time. */
export const DELIVERIES = 450;
export const CLOCK = { steadyMs: () => performance.now(), wait: (ms: number) => wait(ms) };
export const CLAIMED = { ...claim, key: 'k-2' };

export class CopiedStore {
  readonly source: Installation;
  readonly target: PostgresFixture;

  private constructor(source: Installation, target: PostgresFixture) {
    this.source = source;
    this.target = target;
  }

  static async create(cluster: Cluster): Promise<CopiedStore> {
    const made = new CopiedStore(await Installation.create(), await PostgresFixture.create(cluster));
    await made.source.use();
    await made.with('file', fill);
    return made;
  }

  copy(change: Partial<StoreCopyOptions> = {}) {
    return copyStore({
      from: this.source.path(FILES.store),
      sealKeyFile: this.source.path(FILES.key),
      to: this.target.url,
      randomBytes,
      ...CLOCK,
      ...change,
    });
  }

  /** Opens the store, works on it, and closes it. */
  async with<T>(
    which: 'file' | 'database',
    work: (store: OpsStore, sealer: Sealer) => Promise<T>,
  ): Promise<T> {
    const location = which === 'file' ? this.source.path(FILES.store) : this.target.url;
    const { store, sealer } = await openOpsStore({
      settings: { ops_store: location, seal_key_file: this.source.path(FILES.key) },
      owner: `test-${randomBytes(6).toString('hex')}`,
      randomBytes,
      ...CLOCK,
      onSealKeyMade: () => undefined,
    });
    try {
      return await work(store, sealer);
    } finally {
      await store.close();
    }
  }

  /** Number of rows in the tables of the target, which may not exist yet. */
  async rowsThere(): Promise<number> {
    const rows = await this.target.execute(
      `select (select count(*) from api_key) + (select count(*) from audit_entry) + (select count(*) from webhook)
         + (select count(*) from analytics_run) + (select count(*) from store_mark) as n`,
    );
    return Number(rows[0]?.['n']);
  }

  async remove(): Promise<void> {
    await this.source.remove();
    await this.target.remove();
  }
}

async function fill(store: OpsStore, sealer: Sealer): Promise<void> {
  const { webhooks, deliveries, idempotency, usage, analyticsRuns } = store;
  for (const id of ['wh_1', 'wh_2']) {
    const sealed = sealer.seal(Buffer.from(`whsec_${id}`), secretBinding(id));
    await webhooks.create(webhookRecord({ id, secrets: [{ sealed, ends_ms: null }] }), ACTOR);
  }
  await webhooks.remove('wh_2', ACTOR);
  const rows = Array.from({ length: DELIVERIES }, (_, n) =>
    newDelivery(n, { body: n === 3 ? Buffer.from([0, 255, 10]) : null }),
  );
  const to = {
    cursor: eventId(9),
    revision: await webhooks.revision(),
    behind: new Map([['acme', eventId(8)]]),
  };
  const group = eventGroup({ kind: 'quiet', held: heldEvents() });
  await deliveries.enqueue(to, rows, [{ ...group, group }]);
  const [newest] = await deliveries.list('wh_1', { limit: 1 });
  await deliveries.settle([{ ...RETRIED, id: newest?.id ?? '' }], []);
  await idempotency.begin(claim);
  await idempotency.settle(done);
  await idempotency.begin(CLAIMED);
  await usage.add([{ org: 'acme', period: '2026-03', name: 'requests', count: 7 }]);
  const run = { org: 'acme', kind: 'monte_carlo', run_key: 'a', month: '2026-03' } as const;
  await analyticsRuns.charge({ ...run, charged_ms: NOW_MS, limit: 5 });
}

const RETRIED = {
  status: 'retrying',
  attempt: 2,
  next_ms: NOW_MS + 60_000,
  attempted_ms: NOW_MS + 5,
  duration_ms: 12,
  url: 'https://receiver.example.com/',
  response_status: 503,
  error: { code: 'status', message: 'The receiver returned status 503.' },
  response_body: 'später ✓',
  replay_cursor: eventId(0),
} as const;

/** Everything that callers can see of a store. */
export async function contentsOf(store: OpsStore) {
  const { keys, audit, webhooks, deliveries, usage, analyticsRuns } = store;
  const { keys: valid, forged } = await keys.changedSince(null);
  return {
    keys: await keys.list(),
    valid,
    forged,
    unlogged: await keys.unlogged(),
    entries: await audit.list(0, 1_000),
    broken: await audit.verify(),
    webhooks: (await webhooks.all()).map((one) => ({ ...one, secrets: one.secrets.map(plain) })),
    deliveries: (await deliveries.list('wh_1', { limit: 1_000 })).map((one) => ({
      ...one,
      body: one.body && Buffer.from(one.body).toString('hex'),
    })),
    cursor: await deliveries.cursor(),
    behind: await deliveries.behind(),
    groups: await deliveries.groups(),
    revision: await webhooks.revision(),
    usage: await usage.of('acme', '2026-03'),
    charged: await analyticsRuns.countOf('acme', 'monte_carlo', '2026-03'),
  };
}

const plain = ({ sealed, ends_ms }: { readonly sealed: Uint8Array; readonly ends_ms: number | null }) => ({
  sealed: Buffer.from(sealed).toString('hex'),
  ends_ms,
});
