// That the log, replay, the stream and webhooks have the same events in the same bytes.
import { createHash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'vitest';
import type { KilledService, Logged } from './killed-channels.ts';

const LOOK_MS = 20;
/** No waiting between two attempts is as long as this, in the time of the killed server. */
const MAX_STILL_MS = 60_000;

export const idOf = (envelope = '') => (JSON.parse(envelope) as { event_id: string }).event_id;
const digest = (text: string) => createHash('sha256').update(text).digest('hex');
const isOfType = (envelope: string, type: string) => envelope.includes(`"type":"${type}"`);

/** Waits for something to grow to `wanted`. @throws when it stands still on the way */
async function grown(name: string, wanted: number, size: () => number | Promise<number>): Promise<void> {
  let [before, sinceMs] = [await size(), performance.now()];
  while (before < wanted) {
    await wait(LOOK_MS);
    const now = await size();
    if (now !== before) sinceMs = performance.now();
    before = now;
    if (performance.now() - sinceMs > MAX_STILL_MS)
      throw new Error(`${name} stands still with ${now} of ${wanted}`);
  }
}

/** Waits until everything has come everywhere; clients get what follows `since`, receivers all of the log. */
export async function expectAgreement(
  service: KilledService,
  log: readonly Logged[],
  since: string,
): Promise<void> {
  const later = log.map(({ envelope }) => envelope).filter((envelope) => idOf(envelope) > since);
  for (const client of service.clients) {
    const { type } = client;
    const expected = type === undefined ? later : later.filter((envelope) => isOfType(envelope, type));
    await grown(`a client of ${type ?? 'all'}`, expected.length, () => client.count);
    expect(client.frames).toEqual(expected);
  }
  for (const limit of [7, 1_000]) expect(await service.replayed(limit, since)).toBe(later.join());
  await expectDelivered(service, log);
}

async function expectDelivered(service: KilledService, log: readonly Logged[]): Promise<void> {
  const expected = log.map(({ envelope }) => [idOf(envelope), digest(envelope)]);
  for (const [n, { accepted }] of service.receivers.entries()) {
    await grown(`receiver ${n}`, log.length, () => accepted.size);
    const got = [...accepted].map(([id, { sha256 }]) => [id, sha256]);
    expect(got.toSorted()).toEqual(expected.toSorted());
    const rows = () => service.ops.store.deliveries.list(`wh_${n}`, { limit: 1_000_000 });
    await grown(
      `the records of receiver ${n}`,
      log.length,
      async () => (await rows()).filter(({ status }) => status === 'delivered').length,
    );
    expect(await rows()).toHaveLength(log.length);
  }
}
