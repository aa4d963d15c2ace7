import { expect, test } from 'vitest';
import { openEventLog } from '../../snapshots/events.ts';
import { inFolder } from '../support/in-folder.ts';
import { candidate, T0, withFolder } from './support/world.ts';

const HOUR_MS = 3_600_000;
const second = T0 / 1_000;
const retraction = (of: string, at = T0 + HOUR_MS) => ({
  ...candidate(`${of} retracted`, at, { a: 1 }),
  retracts: { key: of, second },
});
const dataOf = (envelope: string | undefined) => JSON.parse(envelope ?? '{}').data;

test('an event that retracts a logged one contains its id, even after a restart', () =>
  withFolder(async (dir) => {
    const log = await openEventLog(inFolder(dir), []);
    const [first] = await log.append([candidate('a'), candidate('b')], T0);
    const restarted = await openEventLog(inFolder(dir), []);
    const [taken] = await restarted.append([retraction('a')], T0 + HOUR_MS);
    expect(dataOf(taken?.envelope)).toEqual({ a: 1, retracts_event_id: first?.id });
    expect(JSON.parse(taken?.envelope ?? '{}')).toMatchObject({ retracts_event_id: first?.id });
    expect(JSON.parse(first?.envelope ?? '{}')).not.toHaveProperty('retracts_event_id');
  }));

test('an event can be retracted in the same append that logs it', () =>
  withFolder(async (dir) => {
    const log = await openEventLog(inFolder(dir), []);
    const [first, taken] = await log.append([candidate('a'), retraction('a')], T0 + HOUR_MS);
    expect(dataOf(taken?.envelope).retracts_event_id).toBe(first?.id);
    expect(log.count()).toBe(2);
  }));

test('an event that was never logged is not retracted, and none is retracted twice', () =>
  withFolder(async (dir) => {
    const log = await openEventLog(inFolder(dir), []);
    expect(await log.append([retraction('a')], T0)).toEqual([]);
    expect(log.segments()).toEqual([]);
    await log.append([candidate('a')], T0);
    expect(await log.append([retraction('a')], T0)).toHaveLength(1);
    expect(await log.append([retraction('a')], T0)).toEqual([]);
  }));
