import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sha256Hex } from '../../../platform/storage/canonical.ts';
import { openEventLog } from '../../../snapshots/events.ts';
import { type SegmentEntry, segmentIndexPath, segmentPath } from '../../../snapshots/layout.ts';
import { openVersion } from '../../../snapshots/read.ts';
import { readSegmentIndex } from '../../../snapshots/segment-index/index-files.ts';
import { verifyFolder } from '../../../snapshots/verify.ts';
import { publishVersion } from '../../../snapshots/write.ts';
import { inFolder } from '../../support/in-folder.ts';
import { flip } from '../support/ticks.ts';
import { candidate, publication, T0, withFolder } from '../support/world.ts';

const INDEXED = { maxSegmentBytes: 1, minIndexedBytes: 0 };

/** A log with a segment for each event. */
async function logOf(
  dir: string,
  count: number,
  options: object = INDEXED,
): Promise<readonly SegmentEntry[]> {
  const log = await openEventLog(inFolder(dir), [], { maxSegmentBytes: 1, ...options });
  for (let n = 0; n < count; n++) await log.append([candidate(`k${n}`, T0 + n)], T0 + n);
  return log.segments();
}

const indexFile = (dir: string, { name, index }: SegmentEntry | undefined = NO_ENTRY): string =>
  join(dir, segmentIndexPath(name, index?.sha256 ?? 'none'));
const NO_ENTRY = { name: 'none' } as SegmentEntry;

test('a segment has an index from the given size on', () =>
  withFolder(async (dir) => {
    const [{ bytes } = NO_ENTRY] = await logOf(dir, 1);
    const sizes = [bytes - 1, bytes, bytes + 1];
    const logs = sizes.map((minIndexedBytes) =>
      withFolder(async (folder) => (await logOf(folder, 1, { minIndexedBytes }))[0]?.index !== undefined),
    );
    expect(await Promise.all(logs)).toEqual([true, true, false]);
    const small = await withFolder(async (folder) => {
      await logOf(folder, 3, {});
      return (await readdir(join(folder, 'events'))).filter((name) => name.endsWith('.index'));
    });
    expect(small).toEqual([]);
  }));

test('a lost or damaged index is written again by the next run', () =>
  withFolder(async (dir) => {
    const segments = await logOf(dir, 3);
    const before = await Promise.all(segments.map((entry) => readFile(indexFile(dir, entry))));
    await rm(indexFile(dir, segments[0]));
    await flip(indexFile(dir, segments[2]), 40);
    expect((await openEventLog(inFolder(dir), segments, INDEXED)).segments()).toEqual(segments);
    expect(await Promise.all(segments.map((entry) => readFile(indexFile(dir, entry))))).toEqual(before);
  }));

test('segments of an earlier program get an index, two in a run', () =>
  withFolder(async (dir) => {
    let segments = await logOf(dir, 5, {});
    const indexed: number[] = [];
    for (let run = 0; run < 4; run++) {
      segments = (await openEventLog(inFolder(dir), segments, INDEXED)).segments();
      indexed.push(segments.filter(({ index }) => index !== undefined).length);
    }
    expect(indexed).toEqual([2, 4, 5, 5]);
    for (const entry of segments) expect((await readSegmentIndex(inFolder(dir), entry))?.count).toBe(1);
  }));

test('a version names the indexes, and an entry without one is read as before', () =>
  withFolder(async (dir) => {
    const segments = await logOf(dir, 2);
    const { version } = await publishVersion(inFolder(dir), publication(0, { segments }));
    const { manifest } = await openVersion(inFolder(dir), version);
    expect(manifest.events.segments).toEqual(segments);
    const plain = segments.map(({ index, ...entry }) => entry);
    const later = await publishVersion(inFolder(dir), publication(1, { segments: plain }));
    expect((await openVersion(inFolder(dir), later.version)).manifest.events.segments).toEqual(plain);
    expect(await verifyFolder(inFolder(dir))).toEqual([]);
  }));

test('verify finds an index that is damaged, lost, or of another segment', () =>
  withFolder(async (dir) => {
    const segments = await logOf(dir, 4);
    await flip(indexFile(dir, segments[0]), 40);
    await rm(indexFile(dir, segments[1]));
    // What a faulty writer would publish: the index of another log that has the same segment facts.
    const wrong = await readFile(indexFile(dir, segments[3]));
    const at = wrong.length - 1;
    wrong.writeUInt8(wrong.readUInt8(at) ^ 1, at);
    const index = { sha256: sha256Hex(wrong), bytes: wrong.length };
    const entries = segments.map((entry, n) => (n === 3 ? { ...entry, index } : entry));
    await writeFile(indexFile(dir, entries[3]), wrong);
    await publishVersion(inFolder(dir), publication(0, { segments: entries }));
    const findings = await verifyFolder(inFolder(dir));
    expect(findings.map(({ file, problem }) => [join(dir, file), problem])).toEqual([
      [indexFile(dir, entries[0]), expect.stringMatching(/^expected sha256 .* found sha256/)],
      [indexFile(dir, entries[1]), 'expected a file, found nothing'],
      [indexFile(dir, entries[3]), 'expected the index of its segment, found another index'],
    ]);
    expect(new Set(findings.map(({ advice }) => advice))).toEqual(
      new Set([expect.stringMatching(/^Nothing is lost/)]),
    );
  }));

test('an index is in the folder of its segment, under its name', () =>
  withFolder(async (dir) => {
    const [entry = NO_ENTRY] = await logOf(dir, 1);
    expect(await readdir(join(dir, 'events'))).toEqual(
      [segmentPath(entry.name), segmentIndexPath(entry.name, entry.index?.sha256 ?? '')]
        .map((path) => path.replace('events/', ''))
        .sort(),
    );
    expect(entry.index?.bytes).toBe((await readFile(indexFile(dir, entry))).length);
  }));
