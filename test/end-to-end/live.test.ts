// The profile `live` as a user starts it, against local stand-ins for all keyless sources.
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { filledDatasets, KEYLESS_FAMILIES, startLive } from '../support/live-start.ts';
import { openStandIns } from '../support/live-world/stand-ins.ts';

const LATENCY_MS = 150;
const MAX_MS = 180_000;

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** Families without a document, as soon as there is none or the time is over. */
async function emptyFamilies(address: string): Promise<readonly string[]> {
  const endMs = Date.now() + MAX_MS;
  for (;;) {
    const filled = await filledDatasets(address);
    const empty = Object.values(KEYLESS_FAMILIES).filter((id) => !filled.has(id));
    if (empty.length === 0 || Date.now() > endMs) return empty;
    await wait(1_500);
  }
}

test('npm start with the profile live publishes what the sources say, and stops fetching when it stops', {
  timeout: 2 * MAX_MS,
}, async () => {
  const world = await openStandIns({ nowMs: () => Date.now(), latencyMs: LATENCY_MS });
  closing.push(world.close);
  const live = startLive(world.hosts);
  closing.push(live.stop);
  expect(await emptyFamilies(await live.address)).toEqual([]);
  await live.stop();
  const asked = world.asked();
  await wait(1_500);
  expect(world.asked()).toBe(asked);
});
