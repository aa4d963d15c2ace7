import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { QualityGate } from '../../schemas/provenance.ts';
import { writeDocument } from '../../snapshots/dataset-file.ts';
import { openEventLog } from '../../snapshots/events.ts';
import { followSnapshots } from '../../snapshots/follow.ts';
import { openHistory } from '../../snapshots/history.ts';
import {
  datasetPath,
  datasetsAsOf,
  manifestPath,
  POINTER_FILE,
  type SegmentEntry,
} from '../../snapshots/layout.ts';
import { openVersion, readPointer } from '../../snapshots/read.ts';
import { retractTo } from '../../snapshots/retract.ts';
import { verifyFolder } from '../../snapshots/verify.ts';
import { type PublishInput, publishEvents, publishVersion } from '../../snapshots/write.ts';
import { inFolder } from '../support/in-folder.ts';
import { runTick } from './support/ticks.ts';
import { candidate, dataset, iso, publication, T0, withFolder } from './support/world.ts';

const publish = (dir: string, tick: number, overrides: Partial<PublishInput> = {}) =>
  publishVersion(inFolder(dir), publication(tick, overrides));

describe('publishing', () => {
  test('puts a pointer, a manifest and sorted canonical lines in place', () =>
    withFolder(async (dir) => {
      const documents = [
        { key: 'b', value: { z: 1, a: [true, null] } },
        { key: 'B', value: 'x' },
        { key: 'a', value: 0 },
      ];
      const { version, manifest } = await publish(dir, 0, {
        datasets: [{ ...dataset('feeds', {}), documents }],
      });
      const { sha256 = '' } = manifest.datasets['feeds'] ?? {};
      const text = await readFile(join(dir, datasetPath('feeds', sha256)), 'utf8');
      expect(text).toBe(
        '{"key":"B","value":"x"}\n{"key":"a","value":0}\n{"key":"b","value":{"a":[true,null],"z":1}}\n',
      );
      expect(await readPointer(inFolder(dir))).toMatchObject({ version });
      expect(manifest).toMatchObject({
        previous: null,
        as_of: iso(T0),
        datasets: { feeds: { documents: 3, bytes: text.length } },
      });
      expect(JSON.parse(await readFile(join(dir, manifestPath(version)), 'utf8'))).toEqual(manifest);
    }));

  test('creates the snapshot folder and its parents', () =>
    withFolder(async (dir) => {
      const deep = join(dir, 'a', 'b', 'c');
      const { version } = await publish(deep, 0);
      expect((await readPointer(inFolder(deep)))?.version).toBe(version);
    }));

  test('refers to an unchanged dataset instead of writing it again', () =>
    withFolder(async (dir) => {
      const first = await publish(dir, 0);
      const second = await publish(dir, 1);
      expect(first.changed).toEqual(['feeds']);
      expect(second.changed).toEqual([]);
      expect(second.manifest.previous).toBe(first.version);
      expect(await readdir(join(dir, 'datasets', 'feeds'))).toHaveLength(1);
    }));

  test('lists added, changed and removed datasets', () =>
    withFolder(async (dir) => {
      await publish(dir, 0, {
        datasets: [dataset('same', { a: 1 }), dataset('other', { a: 1 }), dataset('gone', {})],
      });
      const datasets = [dataset('same', { a: 1 }), dataset('other', { a: 2 }), dataset('come', {})];
      expect((await publish(dir, 1, { datasets })).changed).toEqual(['come', 'gone', 'other']);
    }));

  test('writes an unchanged dataset again when its file is missing or truncated', () =>
    withFolder(async (dir) => {
      const { manifest } = await publish(dir, 0);
      const file = join(dir, datasetPath('feeds', manifest.datasets['feeds']?.sha256 ?? ''));
      await writeFile(file, 'cut');
      const { version, damage } = await publish(dir, 1);
      expect(damage.map((error) => error.file)).toEqual([file]);
      const reader = await openVersion(inFolder(dir), version);
      expect(await reader.documents('feeds')).toHaveLength(2);
    }));

  test('accepts documents as final bytes, and writes the same file as from values', () =>
    withFolder(async (dir) => {
      const values = dataset('feeds', { 'é"\\': { b: 1, a: 'ü' }, z: [1] });
      const lines = [...values.documents].map((document) =>
        writeDocument(document.key, 'value' in document ? document.value : null),
      );
      await publish(dir, 0, { datasets: [values] });
      expect((await publish(dir, 1, { datasets: [{ ...values, documents: lines }] })).changed).toEqual([]);
    }));

  test('holds lines of any length', () =>
    withFolder(async (dir) => {
      const long = 'ü'.repeat(3_000_000);
      const { version } = await publish(dir, 0, { datasets: [dataset('feeds', { a: 1, b: long, c: 2 })] });
      const documents = await (await openVersion(inFolder(dir), version)).documents('feeds');
      expect(documents.map(({ value }) => value)).toEqual([1, long, 2]);
    }));

  test('keeps a refused dataset unchanged, with the verdict that refused it', () =>
    withFolder(async (dir) => {
      const first = await publish(dir, 0);
      const quality_gate: QualityGate = {
        verdict: 'fail',
        checks: [],
        evaluated_at: iso(T0),
        policy_version: '1.0.0',
      };
      const { manifest, changed } = await publish(dir, 1, {
        datasets: [{ id: 'feeds', kept: true, quality_gate }],
      });
      expect(changed).toEqual([]);
      expect(manifest.datasets['feeds']).toEqual({ ...first.manifest.datasets['feeds'], quality_gate });
    }));

  test('assigns rising version ids that contain the logical time, even when it stands still', () =>
    withFolder(async (dir) => {
      const versions: string[] = [];
      for (const tick of [0, 0, 0, 1, 1, 5]) versions.push((await publish(dir, tick)).version);
      expect(versions).toEqual([...new Set(versions)].sort());
    }));

  test('assigns ids greater than versions that a crash left without a pointer', () =>
    withFolder(async (dir) => {
      const orphan = await publish(dir, 9);
      await rm(join(dir, POINTER_FILE));
      await rm(join(dir, manifestPath(orphan.version)));
      const { version } = await publish(dir, 1);
      expect(version > orphan.version).toBe(true);
    }));

  test('writes the same bytes for the same input', () =>
    withFolder((a) =>
      withFolder(async (b) => {
        expect(await publish(a, 3)).toEqual(await publish(b, 3));
      }),
    ));

  test('replaces a damaged pointer and continues from the newest good version', () =>
    withFolder(async (dir) => {
      const first = await publish(dir, 0);
      await writeFile(join(dir, POINTER_FILE), 'rubbish');
      const { manifest, damage } = await publish(dir, 1);
      expect(manifest.previous).toBe(first.version);
      expect(damage[0]?.message).toContain('current.json is damaged');
      expect(await verifyFolder(inFolder(dir))).toEqual([]);
    }));

  test('clears leftovers of crashes from the folder of temporary files', () =>
    withFolder(async (dir) => {
      await publish(dir, 0);
      await writeFile(join(dir, 'tmp', 'datasets~feeds~half.ndjson'), 'half');
      await publish(dir, 1);
      expect(await readdir(join(dir, 'tmp'))).toEqual([]);
    }));

  test('lists the segments of the event log', () =>
    withFolder(async (dir) => {
      const log = await openEventLog(inFolder(dir), []);
      const appended = await log.append([candidate('a'), candidate('b')], T0);
      const { manifest } = await publish(dir, 0, { segments: log.segments() });
      expect(manifest.events).toEqual({ count: 2, last_event_id: appended[1]?.id, segments: log.segments() });
    }));
});

describe('publishing refuses', () => {
  const refusals: [string, Partial<PublishInput>, string][] = [
    ['a logical time before the published one', { as_of: iso(T0 - 1) }, 'published time never goes backward'],
    ['a time that is none', { as_of: '2026-01-01 00:00' }, 'as_of is "2026-01-01 00:00", not an instant'],
    ['a publication time with an offset', { generated_at: '2026-01-01T00:00:00+01:00' }, 'generated_at'],
    ['a dataset id that leaves its folder', { datasets: [dataset('../x', {})] }, 'Dataset id "../x"'],
    ['a dataset given twice', { datasets: [dataset('x', {}), dataset('x', {})] }, 'Dataset x is given twice'],
    ['keeping what is not there', { datasets: [{ id: 'x', kept: true }] }, 'Dataset x cannot be kept'],
    [
      'two documents with the same key',
      {
        datasets: [
          {
            ...dataset('x', {}),
            documents: [
              { key: 'k', value: 1 },
              { key: 'a', value: 1 },
              { key: 'k', value: 2 },
            ],
          },
        ],
      },
      'Dataset x has two documents with the key "k"',
    ],
    [
      'a value that JSON cannot hold',
      { datasets: [dataset('x', { k: { a: [Number.NaN] } })] },
      'Dataset x, document "k": Not JSON at $.a[0]',
    ],
    ['an event log that got shorter', { segments: [] }, 'The event log ends at nothing, but'],
  ];

  test.each(refusals)('%s, and leaves the published version unchanged', (_, overrides, message) =>
    withFolder(async (dir) => {
      const log = await openEventLog(inFolder(dir), []);
      await log.append([candidate('a')], T0);
      const { version } = await publish(dir, 0, { segments: log.segments() });
      const refused = publish(dir, 0, { segments: log.segments(), ...overrides });
      await expect(refused).rejects.toThrow(message);
      await expect(refused).rejects.toHaveProperty('name', 'RefusedInputError');
      expect((await readPointer(inFolder(dir)))?.version).toBe(version);
      expect(await verifyFolder(inFolder(dir))).toEqual([]);
    }),
  );

  test('a folder it may not write, naming the file and what to do', () =>
    withFolder(async (dir) => {
      await mkdir(join(dir, 'x'));
      await writeFile(join(dir, 'x', 'datasets'), 'a file in the way');
      await expect(publish(join(dir, 'x'), 0)).rejects.toThrow(
        /Cannot write .*datasets.*Move that file away/,
      );
    }));
});

const at = (tick: number) => iso(T0 + tick * 300_000);

async function append(dir: string, tick: number): Promise<readonly SegmentEntry[]> {
  const { head } = await openHistory(inFolder(dir));
  const log = await openEventLog(inFolder(dir), head?.events.segments ?? []);
  await log.append([candidate(`early ${tick}`, T0 + tick * 300_000)], T0 + tick * 300_000);
  return log.segments();
}

const announce = (dir: string, tick: number, segments: readonly SegmentEntry[]) =>
  publishEvents(inFolder(dir), { as_of: at(tick), generated_at: at(tick), segments });

test('a version with new events has the datasets of the version before it, and says of which time they are', () =>
  withFolder(async (dir) => {
    const { manifest: before } = await runTick(dir, 0);
    const segments = await append(dir, 1);
    const announced = await announce(dir, 1, segments);
    expect(announced).toMatchObject({
      as_of: at(1),
      datasets_as_of: at(0),
      previous: before.version,
      datasets: before.datasets,
      events: { count: 2, segments },
    });
    // A second one, after a crash before the datasets were published.
    const again = await announce(dir, 2, await append(dir, 2));
    expect(again).toMatchObject({ as_of: at(2), datasets_as_of: at(0), events: { count: 3 } });
    expect(await verifyFolder(inFolder(dir))).toEqual([]);
    const { manifest } = await publishVersion(
      inFolder(dir),
      publication(2, { segments: again?.events.segments ?? [] }),
    );
    expect(manifest).not.toHaveProperty('datasets_as_of');
    expect([datasetsAsOf(manifest), manifest.previous]).toEqual([at(2), again?.version]);
    expect(await verifyFolder(inFolder(dir))).toEqual([]);
  }));

test('a reader goes from version to version and misses none of them', () =>
  withFolder(async (dir) => {
    await runTick(dir, 0);
    const seen: (readonly [string, number])[] = [];
    const follower = await followSnapshots(inFolder(dir), {
      load: async ({ manifest }) => [datasetsAsOf(manifest), manifest.events.count] as const,
      onSwap: ({ value }) => seen.push(value),
      onFault: (error) => {
        throw error;
      },
      repeat: () => () => undefined,
    });
    await announce(dir, 1, await append(dir, 1));
    await follower.poll();
    await runTick(dir, 1);
    await follower.poll();
    await follower.stop();
    expect(seen).toEqual([
      [at(0), 1],
      [at(0), 2],
      [at(1), 3],
    ]);
  }));

test('before the first version, nothing is published', () =>
  withFolder(async (dir) => {
    expect(await announce(dir, 0, await append(dir, 0))).toBeNull();
    expect((await openHistory(inFolder(dir))).head).toBeNull();
  }));

test.each([
  ['is lost', (file: string) => rm(file)],
  ['is damaged', (file: string) => writeFile(file, '{}')],
])('while the pointer %s, nothing is published: a full publication repairs it', (_, spoil) =>
  withFolder(async (dir) => {
    await runTick(dir, 0);
    await runTick(dir, 1);
    const segments = await append(dir, 2);
    await spoil(join(dir, 'current.json'));
    expect(await announce(dir, 2, segments)).toBeNull();
    const { damage } = await publishVersion(inFolder(dir), publication(2, { segments }));
    expect(damage).toHaveLength(1);
  }),
);

test('a shorter log, an earlier time and a damaged segment are refused, and the version in place stays', () =>
  withFolder(async (dir) => {
    const { manifest } = await runTick(dir, 3);
    const segments = await append(dir, 4);
    await expect(announce(dir, 4, [])).rejects.toThrow('is already published');
    await expect(announce(dir, 2, segments)).rejects.toThrow('published time never goes backward');
    await writeFile(join(dir, 'events', segments.at(-1)?.name ?? ''), 'damaged');
    await expect(announce(dir, 4, segments)).rejects.toThrow('bytes');
    expect((await openHistory(inFolder(dir))).head?.version).toBe(manifest.version);
  }));

test('going back to a version with new events keeps the time of its datasets, and going back to nothing has none', () =>
  withFolder(async (dir) => {
    await runTick(dir, 0);
    const announced = await announce(dir, 1, await append(dir, 1));
    await runTick(dir, 1);
    const request = { as_of: at(5), generated_at: at(5) };
    const store = inFolder(dir);
    const back = await retractTo(store, { ...request, version: announced?.version ?? '' });
    const { manifest } = await openVersion(store, back.version);
    expect(manifest).toMatchObject({ as_of: at(1), datasets_as_of: at(0), events: { count: 3 } });
    const empty = await retractTo(store, { ...request, version: null });
    expect((await openVersion(store, empty.version)).manifest).not.toHaveProperty('datasets_as_of');
  }));
