// What every store must do with webhook subscriptions.
import { expect } from 'vitest';
import { StoreConflictError } from '../../../server/store/store.ts';
import type { Cases } from './conformance-case.ts';
import { ACTOR, NOW_MS } from './store-fixture.ts';
import { newDelivery, webhookRecord } from './webhook-records.ts';

export const WEBHOOK_CASES: Cases = {
  'a subscription is read back unchanged, only by its organisation': async ({ store }) => {
    const { webhooks } = store;
    const webhook = webhookRecord({ description: 'ünique' });
    await webhooks.create(webhook, ACTOR);
    expect(await webhooks.get('acme', 'wh_1')).toEqual(webhook);
    expect(await webhooks.get('other', 'wh_1')).toBeUndefined();
    expect([await webhooks.count('acme'), await webhooks.count('other')]).toEqual([1, 0]);
    await expect(webhooks.create(webhook, ACTOR)).rejects.toThrow(StoreConflictError);
  },

  'they are listed newest first, a part at a time': async ({ store }) => {
    const { webhooks } = store;
    for (const id of ['wh_2', 'wh_1', 'wh_3']) await webhooks.create(webhookRecord({ id }), ACTOR);
    await webhooks.create(webhookRecord({ id: 'wh_9', org: 'other' }), ACTOR);
    const ids = async (before?: string) =>
      (await webhooks.list('acme', { before, limit: 2 })).map(({ id }) => id);
    expect([await ids(), await ids('wh_2')]).toEqual([['wh_3', 'wh_2'], ['wh_1']]);
    expect((await webhooks.all()).map(({ id }) => id)).toEqual(['wh_1', 'wh_2', 'wh_3', 'wh_9']);
  },

  'a change, a removal and a test change the revision, for other processes too': async ({ store, again }) => {
    const { webhooks, deliveries } = store;
    const other = (await again()).webhooks;
    const seen = new Set([await other.revision()]);
    const note = async () => {
      const revision = await other.revision();
      expect(seen).not.toContain(revision);
      seen.add(revision);
    };
    await webhooks.create(webhookRecord(), ACTOR);
    await note();
    const atMs = NOW_MS + 1_000;
    const changed = await webhooks.change(
      'wh_1',
      { action: 'webhook.update', changes: { status: 'paused' } },
      { ...ACTOR, atMs },
    );
    expect(changed).toEqual(webhookRecord({ status: 'paused', updated_ms: atMs }));
    await note();
    await deliveries.add(newDelivery(1, { origin: 'test' }), ACTOR);
    await note();
    await webhooks.remove('wh_1', ACTOR);
    await note();
    expect(await webhooks.get('acme', 'wh_1')).toBeUndefined();
    expect([await webhooks.all(), await webhooks.count('acme')]).toEqual([[], 0]);
    await expect(webhooks.remove('wh_1', ACTOR)).rejects.toThrow(StoreConflictError);
    await expect(webhooks.change('wh_1', { action: 'webhook.update', changes: {} }, ACTOR)).rejects.toThrow(
      StoreConflictError,
    );
  },

  'every change is in the audit log, without secrets': async ({ store }) => {
    const { webhooks, audit } = store;
    await webhooks.create(webhookRecord(), ACTOR);
    const secrets = [{ sealed: Buffer.from('new'), ends_ms: null }];
    await webhooks.change('wh_1', { action: 'webhook.rotate', changes: { secrets } }, ACTOR);
    await webhooks.remove('wh_1', ACTOR);
    const entries = await audit.list(0, 10);
    expect(entries.map(({ action, subject, who }) => [action, subject, who])).toEqual([
      ['webhook.create', 'wh_1', ACTOR.who],
      ['webhook.rotate', 'wh_1', ACTOR.who],
      ['webhook.delete', 'wh_1', ACTOR.who],
    ]);
    expect(JSON.stringify(entries)).not.toMatch(/sealed|secrets/);
    expect(await audit.verify()).toBeUndefined();
  },
};
