import { afterEach, beforeEach, expect, test } from 'vitest';
import { WAIT_SECONDS } from '../../../server/webhooks/retry.ts';
import { COUNTS } from '../../reliability/counts.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { NOW_MS } from '../store/store-fixture.ts';
import { answerOf, DispatchFixture } from './dispatch-fixture.ts';

let fixture: DispatchFixture;
beforeEach(async () => {
  fixture = await DispatchFixture.create();
});
afterEach(() => fixture.remove());

test(`${COUNTS.retriedDeliveries} failing deliveries are each attempted ten times, on schedule`, {
  timeout: 3_600_000,
}, async () => {
  await fixture.subscribe();
  const dispatcher = fixture.start({ random: seededRandom(7) });
  await dispatcher.settle();
  fixture.answer = () => answerOf(500);
  for (let n = 0; n < COUNTS.retriedDeliveries; n++) fixture.log.append(n);
  // The clock advances in steps of 2 % of the elapsed time, for longer than the schedule.
  const total = WAIT_SECONDS.reduce((sum, seconds) => sum + seconds, 0) * 1_000;
  while (fixture.nowMs < NOW_MS + total * 1.2) {
    await dispatcher.settle();
    fixture.nowMs += Math.max(250, Math.round((fixture.nowMs - NOW_MS) * 0.02));
  }
  // A month later there is still no eleventh attempt.
  fixture.nowMs += 30 * 86_400_000;
  await dispatcher.settle();
  const times = Map.groupBy(fixture.sent, ({ header }) => header('webhook-id'));
  expect(times.size).toBe(COUNTS.retriedDeliveries);
  const farthest = Math.max(...[...times.values()].map((sent) => farthestFromSchedule(sent)));
  expect(farthest).toBeLessThanOrEqual(0.2);
});

/** Largest relative deviation of a wait of one delivery from the schedule. */
function farthestFromSchedule(sent: readonly { readonly atMs: number }[]): number {
  expect(sent).toHaveLength(WAIT_SECONDS.length);
  const offs = sent.slice(1).map(({ atMs }, index) => {
    const plannedMs = (WAIT_SECONDS[index + 1] ?? 0) * 1_000;
    return Math.abs(atMs - (sent[index]?.atMs ?? 0) - plannedMs) / plannedMs;
  });
  return Math.max(...offs);
}
