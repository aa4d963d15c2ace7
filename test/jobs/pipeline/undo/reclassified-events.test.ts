// A version that finds another type of event for a fact than an earlier one has logged retracts what was logged, once.
import { describe, expect, test } from 'vitest';
import { lending } from '../../../../jobs/families/lending/domain.ts';
import type { Candidate } from '../../../../jobs/pipeline/events/emit.ts';
import { readLoggedEvents } from '../../../../jobs/pipeline/undo/logged-events.ts';
import { reclassifiedEvents } from '../../../../jobs/pipeline/undo/reclassified-events.ts';
import { openEventLog } from '../../../../snapshots/events.ts';
import { inFolder } from '../../../support/in-folder.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const SECOND = 1_700_000_000;
const TYPES = [
  'vault.cap.changed',
  'vault.fee.changed',
  'vault.curator.changed',
  'vault.allocation.changed',
  'curator.action',
];
const at = (second: number) => new Date(second * 1000).toISOString().replace('.000Z', 'Z');

function candidate(type: string, fact = '1|0xt|00000|0xb', second = SECOND): Candidate {
  const envelope = { type, subject_id: 'vault:1:0xv', ts: at(second), data: { log: fact } };
  return { key: `${type}|${fact}`, event_at: second, type, envelope };
}

/** A log, and what a run of a version does that finds these candidates. Answers the new envelopes. */
function openLog() {
  const store = inFolder(temporaryFolder('reclassified'));
  const run = async (found: readonly Candidate[], now: number) => {
    const log = await openEventLog(store, []);
    const logged = await log.keysBetween(SECOND - 10, SECOND + 10);
    const context = { domains: [lending], snapshots: store };
    const reclassified = await reclassifiedEvents(context, { log, found, logged, now });
    return (await log.append([...reclassified, ...found], now * 1000)).map(({ envelope }) =>
      JSON.parse(envelope),
    );
  };
  /** As a version did that compared nothing. */
  const append = async (found: readonly Candidate[]) =>
    (await openEventLog(store, [])).append(found, (SECOND + 50) * 1000);
  const standing = async () => {
    const segments = (await openEventLog(store, [])).segments();
    return [...(await readLoggedEvents(store, segments, new Set(TYPES))).standing.keys()];
  };
  return { append, run, standing };
}

describe('one fact has one event', () => {
  const pairs = TYPES.flatMap((before) =>
    TYPES.flatMap((now) => (before === now ? [] : [[before, now] as const])),
  );

  test.each(pairs)('%s that is %s in a newer version is retracted, once', async (before, now) => {
    const { run, standing } = openLog();
    const [old] = await run([candidate(before)], SECOND + 100);
    const appended = await run([candidate(now)], SECOND + 200);
    expect(appended).toEqual([
      {
        ...old,
        event_id: expect.stringMatching(/^01/),
        ts: at(SECOND + 200),
        retracts_event_id: old.event_id,
        data: {
          ...old.data,
          retraction: { reason: 'reclassified', type: now },
          retracts_event_id: old.event_id,
        },
      },
      expect.objectContaining({ type: now, ts: at(SECOND) }),
    ]);
    expect(await standing()).toEqual([candidate(now).key]);
    expect(await run([candidate(now)], SECOND + 300)).toEqual([]);
  });

  test('two contradicting events that an earlier version has left are reduced to the true one', async () => {
    const { append, run, standing } = openLog();
    await append([candidate('vault.curator.changed'), candidate('curator.action')]);
    const appended = await run([candidate('curator.action')], SECOND + 200);
    expect(appended).toMatchObject([
      { type: 'vault.curator.changed', retracts_event_id: expect.any(String) },
    ]);
    expect(await standing()).toEqual([candidate('curator.action').key]);
  });

  test('other facts, and types that do not exclude each other, stay', async () => {
    const { run, standing } = openLog();
    await run([candidate('vault.cap.changed', 'other'), candidate('curator.tenure.start')], SECOND + 100);
    expect(await run([candidate('vault.fee.changed')], SECOND + 200)).toHaveLength(1);
    expect((await standing()).sort()).toEqual([
      candidate('vault.cap.changed', 'other').key,
      candidate('vault.fee.changed').key,
    ]);
  });

  test('an event that an early version retracted, with the id in `data` only, does not stand', async () => {
    const { append, run, standing } = openLog();
    const [first] = await append([candidate('vault.cap.changed')]);
    const { envelope } = candidate('vault.cap.changed');
    const data = { retracts_event_id: first?.id ?? '' };
    await append([
      { ...candidate('vault.cap.changed'), key: 'vault.cap.changed|gone', envelope: { ...envelope, data } },
    ]);
    expect(await standing()).toEqual([]);
    expect(await run([candidate('curator.action')], SECOND + 200)).toMatchObject([
      { type: 'curator.action' },
    ]);
  });

  test('a version that goes back to the first type does not leave the fact without an event', async () => {
    const { run, standing } = openLog();
    await run([candidate('vault.curator.changed')], SECOND + 100);
    await run([candidate('curator.action')], SECOND + 200);
    expect(await run([candidate('vault.curator.changed')], SECOND + 300)).toEqual([]);
    expect(await standing()).toEqual([candidate('curator.action').key]);
  });
});
