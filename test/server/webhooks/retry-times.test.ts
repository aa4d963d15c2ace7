import { afterEach, beforeEach, expect, test } from 'vitest';
import { WAIT_SECONDS } from '../../../server/webhooks/retry.ts';
import { COUNTS } from '../../reliability/counts.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { NOW_MS } from '../store/store-world.ts';
import { answerOf, DispatchWorld } from './dispatch-world.ts';

let world: DispatchWorld;
beforeEach(async () => {
  world = await DispatchWorld.create();
});
afterEach(() => world.remove());

test(`${COUNTS.retriedDeliveries} deliveries that fail are each tried ten times, at the times of the schedule`, {
  timeout: 3_600_000,
}, async () => {
  await world.subscribe();
  const dispatcher = world.start({ random: seededRandom(7) });
  await dispatcher.settle();
  world.answer = () => answerOf(500);
  for (let n = 0; n < COUNTS.retriedDeliveries; n++) world.log.append(n);
  // The clock goes on in steps of 2 % of the time gone by, for longer than the schedule takes.
  const total = WAIT_SECONDS.reduce((sum, seconds) => sum + seconds, 0) * 1_000;
  while (world.nowMs < NOW_MS + total * 1.2) {
    await dispatcher.settle();
    world.nowMs += Math.max(250, Math.round((world.nowMs - NOW_MS) * 0.02));
  }
  // A month later: there is no eleventh attempt.
  world.nowMs += 30 * 86_400_000;
  await dispatcher.settle();
  const times = Map.groupBy(world.sent, ({ header }) => header('webhook-id'));
  expect(times.size).toBe(COUNTS.retriedDeliveries);
  const farthest = Math.max(...[...times.values()].map((sent) => farthestFromSchedule(sent)));
  expect(farthest).toBeLessThanOrEqual(0.2);
});

/** Largest share by which a wait of one delivery was longer or shorter than planned. */
function farthestFromSchedule(sent: readonly { readonly atMs: number }[]): number {
  expect(sent).toHaveLength(WAIT_SECONDS.length);
  const offs = sent.slice(1).map(({ atMs }, place) => {
    const plannedMs = (WAIT_SECONDS[place + 1] ?? 0) * 1_000;
    return Math.abs(atMs - (sent[place]?.atMs ?? 0) - plannedMs) / plannedMs;
  });
  return Math.max(...offs);
}
