// A writer that works tick by tick, as a run does, and ways to damage its files.
import { readFile, writeFile } from 'node:fs/promises';
import { openEventLog } from '../../../snapshots/events.ts';
import { openHistory } from '../../../snapshots/history.ts';
import { type PublishedVersion, publishVersion } from '../../../snapshots/write.ts';
import { inFolder } from '../../support/in-folder.ts';
import { candidate, dataset, publication, T0, tableDataset } from './world.ts';

/** Does what a run does: opens the log from the newest version, appends the tick's event, publishes. */
export async function runTick(dir: string, tick: number): Promise<PublishedVersion> {
  const { head } = await openHistory(inFolder(dir));
  const known = head?.events.segments ?? [];
  const log = await openEventLog(inFolder(dir), known, { maxSegmentBytes: 500, minIndexedBytes: 0 });
  await log.append([candidate(`event ${tick}`, T0 + tick * 300_000)], T0 + tick * 300_000);
  const datasets = [dataset('ticks', { tick }), tableDataset('same', { a: 1 })];
  return publishVersion(inFolder(dir), publication(tick, { datasets, segments: log.segments() }));
}

export async function ticks(dir: string, count: number): Promise<PublishedVersion[]> {
  const done: PublishedVersion[] = [];
  for (let tick = 0; tick < count; tick++) done.push(await runTick(dir, tick));
  return done;
}

export const last = <T>(list: readonly T[]): T => {
  const one = list.at(-1);
  if (one === undefined) throw new Error('an empty list');
  return one;
};

export const flip = async (file: string, at = 20) => {
  const bytes = await readFile(file);
  bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
  await writeFile(file, bytes);
};
