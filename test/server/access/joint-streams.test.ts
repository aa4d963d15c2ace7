// Reports of open streams concurrent with streams that are being opened, in an order that no database would produce reliably.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { jointLimits } from '../../../server/access/joint-limits.ts';
import type { JointCounts, StreamCount } from '../../../server/store/joint-counts.ts';

test('a report waits for a stream that is being opened: an older number would free its place', async () => {
  const reports: (readonly StreamCount[])[] = [];
  const adding = Promise.withResolvers<boolean>();
  const counts: JointCounts = {
    take: async () => [],
    addStream: () => adding.promise,
    setStream: async () => undefined,
    setStreams: async (streams) => void reports.push(streams),
    beat: async () => 1,
    sweep: async () => undefined,
    close: async () => undefined,
  };
  const limits = jointLimits({
    counts,
    every: () => () => undefined,
    wait: () => new Promise(() => undefined),
    log: { info: () => undefined, warn: () => undefined },
  });
  const taken = limits.streams.take('acme', 1);
  await nextTurn();
  expect(reports).toEqual([]);
  adding.resolve(true);
  expect(await taken).toBe(true);
  await nextTurn();
  expect(reports).toEqual([[{ owner: 'acme', open: 1 }]]);
});
