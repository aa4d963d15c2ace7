import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ACTOR, keyRecord, NOW_MS } from '../store/store-fixture.ts';
import { answerOf, DispatchFixture, eventId } from './dispatch-fixture.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

let fixture: DispatchFixture;
beforeEach(async () => {
  fixture = await DispatchFixture.create();
});
afterEach(() => fixture.remove());

describe('a subscription', () => {
  it('that is paused gets nothing, and its due deliveries are skipped', async () => {
    const dispatcher = await fixture.startFailing();
    await change({ status: 'paused' });
    await dispatcher.settle();
    fixture.log.append(2);
    fixture.nowMs += HOUR_MS;
    await dispatcher.settle();
    expect(fixture.sent).toHaveLength(1);
    expect(await fixture.deliveries('wh_1')).toMatchObject([
      { status: 'skipped', error: { code: 'subscription_paused' } },
    ]);
    await change({ status: 'active' });
    fixture.log.append(3);
    await dispatcher.settle();
    expect(fixture.sentTo('wh_1')).toEqual([1, 3].map(eventId));
  });

  it('that is deleted gets nothing more, and its records are deleted', async () => {
    const dispatcher = await fixture.startFailing();
    await fixture.store.webhooks.remove('wh_1', ACTOR);
    fixture.nowMs += HOUR_MS;
    await dispatcher.settle();
    expect(fixture.sent).toHaveLength(1);
    expect(await fixture.deliveries('wh_1')).toEqual([]);
  });

  it('that moves to another URL is sent there from then on', async () => {
    await fixture.subscribe();
    const dispatcher = fixture.start();
    await dispatcher.settle();
    await change({ url: 'https://other.example.com/' });
    fixture.log.append(1);
    await dispatcher.settle();
    expect(fixture.sent.map(({ url }) => url)).toEqual(['https://other.example.com/']);
  });

  it('whose secret was rotated is signed with both until the old one ends', async () => {
    const { secret } = await fixture.subscribe();
    const dispatcher = fixture.start();
    await dispatcher.settle();
    const next = `whsec_${Buffer.alloc(32, 'n').toString('base64')}`;
    const secrets = [
      { sealed: fixture.seal('wh_1', next), ends_ms: null },
      { sealed: fixture.seal('wh_1', secret), ends_ms: NOW_MS + DAY_MS },
    ];
    await change({ secrets });
    const signatures = async (n: number) => {
      fixture.log.append(n);
      await dispatcher.settle();
      return fixture.sent.at(-1)?.header('Service-Signature')?.split(',').length;
    };
    expect(await signatures(1)).toBe(3);
    fixture.nowMs += DAY_MS;
    expect(await signatures(2)).toBe(2);
  });

  it('whose secret cannot be read is left alone and reported; others continue', async () => {
    await fixture.subscribe({ id: 'wh_broken', secrets: [{ sealed: Buffer.from('x'), ends_ms: null }] });
    await fixture.subscribe();
    const dispatcher = fixture.start();
    await dispatcher.settle();
    fixture.log.append(1);
    await dispatcher.settle();
    expect([fixture.sentTo('wh_broken'), fixture.sentTo('wh_1')]).toEqual([[], [eventId(1)]]);
    expect(fixture.said.join()).toContain('the secret of a subscription cannot be read');
  });

  it('that fails for 120 hours is disabled, after a warning halfway', async () => {
    await fixture.subscribe();
    const dispatcher = fixture.start();
    await dispatcher.settle();
    fixture.answer = () => answerOf(500);
    fixture.log.append(1);
    const seen: string[] = [];
    for (let hour = 0; hour <= 121; hour++) {
      await dispatcher.settle();
      const warned = fixture.said.filter((text) => text.includes('will be disabled')).length;
      const { status, disabled_reason } = (await fixture.store.webhooks.get('acme', 'wh_1')) ?? {};
      seen.push(`${hour} ${warned} ${status} ${disabled_reason}`);
      fixture.nowMs += HOUR_MS;
    }
    expect(seen[59]).toBe('59 0 active null');
    expect(seen[60]).toBe('60 1 active null');
    expect(seen[119]).toBe('119 1 active null');
    expect(seen[120]).toBe('120 1 disabled failing');
  });

  it('whose organisation has had no plan with webhooks for an hour is disabled', async () => {
    await fixture.store.keys.create(keyRecord({ org: 'poor', plan: 'analyst' }), ACTOR);
    await fixture.subscribe({ org: 'poor' });
    await fixture.subscribe({ id: 'wh_rich' });
    const dispatcher = fixture.start();
    await dispatcher.settle();
    fixture.nowMs += HOUR_MS - 1;
    await dispatcher.settle();
    expect(await fixture.store.webhooks.get('poor', 'wh_1')).toMatchObject({ status: 'active' });
    fixture.nowMs += 1;
    await dispatcher.settle();
    expect(await fixture.store.webhooks.get('poor', 'wh_1')).toMatchObject({ disabled_reason: 'plan' });
    expect(await fixture.store.webhooks.get('acme', 'wh_rich')).toMatchObject({ status: 'active' });
  });

  const change = (changes: Parameters<typeof fixture.store.webhooks.change>[1]['changes']) =>
    fixture.store.webhooks.change('wh_1', { action: 'webhook.update', changes }, ACTOR);
});
