// Every disk call of a run that appends and publishes fails once in each way; a reader must see either the old or the new version.
import { describe, expect, test } from 'vitest';
import type { Disk } from '../../platform/storage/disk.ts';
import { openEventLog } from '../../snapshots/events.ts';
import { openHistory } from '../../snapshots/history.ts';
import { openLastGood } from '../../snapshots/last-good.ts';
import { eventsAfter } from '../../snapshots/segment.ts';
import { verifyFolder } from '../../snapshots/verify.ts';
import { publishEvents, publishVersion } from '../../snapshots/write.ts';
import { COUNTS } from '../reliability/counts.ts';
import { inFolder } from '../support/in-folder.ts';
import { FAULTS, faultyDisk } from './support/faulty-disk.ts';
import { LOSSES, type MemoryDisk, memoryDisk } from './support/memory-disk.ts';
import { candidate, dataset, publication, T0, tableDataset } from './support/world.ts';

const DIR = '/snapshots';

/** One run of the writer: appends the tick's event, publishes it at once, and then datasets of which two carry the tick. */
async function run(disk: Disk, tick: number): Promise<void> {
  const { head, damage } = await openHistory(inFolder(DIR, disk));
  expect(damage).toEqual([]);
  const log = await openEventLog(inFolder(DIR, disk), head?.events.segments ?? [], { minIndexedBytes: 0 });
  await log.append([candidate(`tick ${tick}`, T0 + tick * 300_000)], T0 + tick * 300_000);
  const { as_of, generated_at } = publication(tick);
  await publishEvents(inFolder(DIR, disk), { as_of, generated_at, segments: log.segments() });
  const datasets = [
    tableDataset('one', { tick }),
    dataset('two', { tick, other: 'same' }),
    tableDataset('same', { a: 1 }),
  ];
  await publishVersion(inFolder(DIR, disk), publication(tick, { datasets, segments: log.segments() }));
}

interface Seen {
  readonly tick: unknown;
  readonly keys: readonly string[];
  /** Whether the version has the events of the next tick already. */
  readonly isAhead: boolean;
}

/** Everything that a reader sees, verified: the tick of all datasets, and the natural keys of the log. */
async function readAll(disk: Disk): Promise<Seen> {
  const { reader, damage } = await openLastGood(inFolder(DIR, disk));
  // If the first publication ends before its pointer, the complete version it leaves looks the same as a lost pointer.
  expect(damage.filter(({ actual }) => actual !== 'nothing' || reader?.manifest.previous !== null)).toEqual(
    [],
  );
  if (reader === null) return { tick: -1, keys: [], isAhead: false };
  const ticks = new Set<unknown>();
  for (const id of ['one', 'two'])
    for (const { key, value } of await reader.documents(id)) if (key === 'tick') ticks.add(value);
  expect(ticks.size).toBe(1);
  expect((await reader.formBytes('one', 'parquet'))?.toString()).toBe(
    `PAR1 ${JSON.stringify({ tick: [...ticks][0] })}`,
  );
  expect(await reader.formBytes('one', 'table')).not.toBeNull();
  const keys: string[] = [];
  for await (const { key } of eventsAfter(inFolder(DIR, disk), reader.manifest.events.segments, null))
    keys.push(key);
  return { tick: [...ticks][0], keys, isAhead: reader.manifest.datasets_as_of !== undefined };
}

async function world(ticks: number): Promise<MemoryDisk> {
  const disk = memoryDisk();
  for (let tick = 0; tick < ticks; tick++) await run(disk, tick);
  return disk;
}

const keysUpTo = (tick: number) => Array.from({ length: tick + 1 }, (_, i) => `tick ${i}`);
const keysOf = ({ tick, isAhead }: Seen) => keysUpTo(Number(tick) + (isAhead ? 1 : 0));
const complete = (tick: number): Seen => ({ tick, keys: keysUpTo(tick), isAhead: false });

async function callsOfOneRun(before: number): Promise<number> {
  const disk = faultyDisk(await world(before), -1, 'EIO');
  await run(disk, before);
  return disk.calls.length;
}

/** The calls that fail; all of them at release counts. */
const chosen = (calls: number, kind: number): readonly number[] =>
  Array.from({ length: calls }, (_, index) => index).filter((at) => (at + kind) % COUNTS.faultStep === 0);

/** A run after `before` others that was killed after each chosen call, with the disk that it left and the number of the call. */
async function* killedRuns(before: number, loss: (typeof LOSSES)[number]) {
  const start = await world(before);
  for (const at of chosen(await callsOfOneRun(before), LOSSES.indexOf(loss))) {
    const disk = start.afterPowerFailure('nothing');
    await run(faultyDisk(disk, at, 'killed after'), before).catch(() => 'killed');
    yield { disk, at };
  }
}

describe.each([0, 3])('a run after %i others that fails at any one disk call', (before) => {
  test.each(FAULTS)(
    'with %s shows readers the old or the new version, and the next run repairs everything',
    async (fault) => {
      const start = await world(before);
      const calls = await callsOfOneRun(before);
      expect(calls).toBeGreaterThan(20);
      for (const at of chosen(calls, FAULTS.indexOf(fault))) {
        const disk = start.afterPowerFailure('nothing');
        const outcome = await run(faultyDisk(disk, at, fault), before).then(
          () => 'done',
          (error: unknown) => error,
        );
        const seen = await readAll(disk);
        const expected = outcome === 'done' ? [before] : [before - 1, before];
        expect(expected, `call ${at}`).toContain(seen.tick);
        expect(seen.keys).toEqual(keysOf(seen));
        await run(disk, before);
        expect(await readAll(disk), `after call ${at}`).toEqual(complete(before));
        expect(await verifyFolder(inFolder(DIR, disk))).toEqual([]);
      }
    },
  );

  test.each(LOSSES)('because the power failed, losing %s, shows the old or the new version', async (loss) => {
    for await (const { disk, at } of killedRuns(before, loss)) {
      const restarted = disk.afterPowerFailure(loss);
      const seen = await readAll(restarted);
      expect([before - 1, before], `call ${at}`).toContain(seen.tick);
      expect(seen.keys).toEqual(keysOf(seen));
      await run(restarted, before);
      expect(await readAll(restarted)).toEqual(complete(before));
    }
  });
});

test.each(LOSSES)(
  'a version that rests on what a killed publication left survives a power failure that loses %s',
  async (loss) => {
    for await (const { disk, at } of killedRuns(2, loss)) {
      // The same tick again, as another process: whatever is there already is not written once more.
      await run({ ...disk }, 2);
      const restarted = disk.afterPowerFailure(loss);
      expect(await readAll(restarted), `call ${at}`).toEqual(complete(2));
      expect(await verifyFolder(inFolder(DIR, restarted)), `call ${at}`).toEqual([]);
    }
  },
);

test.each(LOSSES)(
  'a version whose publication failed has all its files or does not exist, losing %s',
  async (loss) => {
    for await (const { disk, at } of killedRuns(2, loss)) {
      const restarted = disk.afterPowerFailure(loss);
      await run(restarted, 3);
      expect(await verifyFolder(inFolder(DIR, restarted)), `call ${at}`).toEqual([]);
    }
  },
);

test.each(LOSSES)(
  'a version whose publication was reported survives a power failure that loses %s',
  async (loss) => {
    const disk = (await world(4)).afterPowerFailure(loss);
    expect(await readAll(disk)).toEqual(complete(3));
    expect(await verifyFolder(inFolder(DIR, disk))).toEqual([]);
  },
);

test.each(LOSSES)(
  'an event whose append was reported survives a power failure that loses %s, even if unpublished',
  async (loss) => {
    const disk = await world(2);
    const { reader } = await openLastGood(inFolder(DIR, disk));
    const log = await openEventLog(inFolder(DIR, disk), reader?.manifest.events.segments ?? [], {
      minIndexedBytes: 0,
    });
    const [event] = await log.append([candidate('late')], T0);
    const restarted = disk.afterPowerFailure(loss);
    const again = await openEventLog(inFolder(DIR, restarted), reader?.manifest.events.segments ?? []);
    expect(again.lastEventId()).toBe(event?.id);
  },
);

test('a full disk is reported with the file and what to do', async () => {
  const disk = await world(1);
  const calls = faultyDisk(disk, -1, 'EIO');
  await run(calls, 1);
  const index = calls.calls.indexOf('write');
  const failed = run(faultyDisk(await world(1), index, 'ENOSPC'), 1);
  await expect(failed).rejects.toThrow(
    /Cannot write \/snapshots\/events\/.*the disk is full\. Free some space and run again/,
  );
});
