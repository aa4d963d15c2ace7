import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ACTOR, keyRecord, NOW_MS } from '../store/store-world.ts';
import { answerOf, DispatchWorld, eventId } from './dispatch-world.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

let world: DispatchWorld;
beforeEach(async () => {
  world = await DispatchWorld.create();
});
afterEach(() => world.remove());

describe('a subscription', () => {
  it('that is paused gets nothing, and what was due is skipped', async () => {
    await world.subscribe();
    const dispatcher = world.start();
    await dispatcher.settle();
    world.answer = () => answerOf(500);
    world.log.append(1);
    await dispatcher.settle();
    await change({ status: 'paused' });
    await dispatcher.settle();
    world.log.append(2);
    world.nowMs += HOUR_MS;
    await dispatcher.settle();
    expect(world.sent).toHaveLength(1);
    expect(await world.deliveries('wh_1')).toMatchObject([
      { status: 'skipped', error: { code: 'subscription_paused' } },
    ]);
    await change({ status: 'active' });
    world.log.append(3);
    await dispatcher.settle();
    expect(world.sentTo('wh_1')).toEqual([1, 3].map(eventId));
  });

  it('that is deleted gets nothing more, and its records go', async () => {
    await world.subscribe();
    const dispatcher = world.start();
    await dispatcher.settle();
    world.answer = () => answerOf(500);
    world.log.append(1);
    await dispatcher.settle();
    await world.store.webhooks.remove('wh_1', ACTOR);
    world.nowMs += HOUR_MS;
    await dispatcher.settle();
    expect(world.sent).toHaveLength(1);
    expect(await world.deliveries('wh_1')).toEqual([]);
  });

  it('that moves to another place is sent there from then on', async () => {
    await world.subscribe();
    const dispatcher = world.start();
    await dispatcher.settle();
    await change({ url: 'https://other.example.com/' });
    world.log.append(1);
    await dispatcher.settle();
    expect(world.sent.map(({ url }) => url)).toEqual(['https://other.example.com/']);
  });

  it('whose secret was rotated is signed with both until the old one ends', async () => {
    const { secret } = await world.subscribe();
    const dispatcher = world.start();
    await dispatcher.settle();
    const next = `whsec_${Buffer.alloc(32, 'n').toString('base64')}`;
    const secrets = [
      { sealed: world.seal('wh_1', next), ends_ms: null },
      { sealed: world.seal('wh_1', secret), ends_ms: NOW_MS + DAY_MS },
    ];
    await change({ secrets });
    const signatures = async (n: number) => {
      world.log.append(n);
      await dispatcher.settle();
      return world.sent.at(-1)?.header('Service-Signature')?.split(',').length;
    };
    expect(await signatures(1)).toBe(3);
    world.nowMs += DAY_MS;
    expect(await signatures(2)).toBe(2);
  });

  it('whose secret cannot be read is left alone and told of; others go on', async () => {
    await world.subscribe({ id: 'wh_broken', secrets: [{ sealed: Buffer.from('x'), ends_ms: null }] });
    await world.subscribe();
    const dispatcher = world.start();
    await dispatcher.settle();
    world.log.append(1);
    await dispatcher.settle();
    expect([world.sentTo('wh_broken'), world.sentTo('wh_1')]).toEqual([[], [eventId(1)]]);
    expect(world.said.join()).toContain('the secret of a subscription cannot be read');
  });

  it('that fails for 120 hours is disabled, after a warning half-way', async () => {
    await world.subscribe();
    const dispatcher = world.start();
    await dispatcher.settle();
    world.answer = () => answerOf(500);
    world.log.append(1);
    const seen: string[] = [];
    for (let hour = 0; hour <= 121; hour++) {
      await dispatcher.settle();
      const warned = world.said.filter((text) => text.includes('will be disabled')).length;
      const { status, disabled_reason } = (await world.store.webhooks.get('acme', 'wh_1')) ?? {};
      seen.push(`${hour} ${warned} ${status} ${disabled_reason}`);
      world.nowMs += HOUR_MS;
    }
    expect(seen[59]).toBe('59 0 active null');
    expect(seen[60]).toBe('60 1 active null');
    expect(seen[119]).toBe('119 1 active null');
    expect(seen[120]).toBe('120 1 disabled failing');
  });

  it('whose organisation has no plan with webhooks for an hour is disabled', async () => {
    await world.store.keys.create(keyRecord({ org: 'poor', plan: 'analyst' }), ACTOR);
    await world.subscribe({ org: 'poor' });
    await world.subscribe({ id: 'wh_rich' });
    const dispatcher = world.start();
    await dispatcher.settle();
    world.nowMs += HOUR_MS - 1;
    await dispatcher.settle();
    expect(await world.store.webhooks.get('poor', 'wh_1')).toMatchObject({ status: 'active' });
    world.nowMs += 1;
    await dispatcher.settle();
    expect(await world.store.webhooks.get('poor', 'wh_1')).toMatchObject({ disabled_reason: 'plan' });
    expect(await world.store.webhooks.get('acme', 'wh_rich')).toMatchObject({ status: 'active' });
  });

  const change = (changes: Parameters<typeof world.store.webhooks.change>[1]['changes']) =>
    world.store.webhooks.change('wh_1', { action: 'webhook.update', changes }, ACTOR);
});
