import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { sha256Hex } from '../../platform/storage/canonical.ts';
import { nodeDisk } from '../../platform/storage/disk.ts';
import { openEventLog } from '../../snapshots/events.ts';
import {
  datasetPath,
  type Manifest,
  manifestPath,
  POINTER_FILE,
  segmentPath,
} from '../../snapshots/layout.ts';
import { pointerText, sealManifest } from '../../snapshots/manifest.ts';
import { verifyFolder } from '../../snapshots/verify.ts';
import { publishVersion } from '../../snapshots/write.ts';
import { inFolder } from '../support/in-folder.ts';
import { candidate, dataset, publication, T0, withFolder } from './support/world.ts';

async function publishTwo(dir: string): Promise<Manifest> {
  const log = await openEventLog(inFolder(dir), []);
  await log.append([candidate('a'), candidate('b')], T0);
  await publishVersion(inFolder(dir), publication(0, { segments: log.segments() }));
  const datasets = [dataset('feeds', { x: 1, y: 2 })];
  return (await publishVersion(inFolder(dir), publication(1, { datasets, segments: log.segments() })))
    .manifest;
}

/** Publishes what a faulty writer would: an intact but wrong manifest. */
async function publishWrong(dir: string, manifest: Omit<Manifest, 'version'>): Promise<void> {
  const sealed = sealManifest(manifest, manifest.previous);
  await nodeDisk.mkdir(join(dir, 'versions', sealed.manifest.version));
  await writeFile(join(dir, manifestPath(sealed.manifest.version)), sealed.text);
  const pointer = { version: sealed.manifest.version, manifest_sha256: sealed.sha256 };
  await writeFile(join(dir, POINTER_FILE), pointerText(pointer));
}

describe('verifying a folder', () => {
  test('finds nothing in a sound folder, nor in an empty one', () =>
    withFolder(async (dir) => {
      expect(await verifyFolder(inFolder(dir))).toEqual([]);
      await publishTwo(dir);
      expect(await verifyFolder(inFolder(dir))).toEqual([]);
    }));

  test('lists every damaged file once, with path, problem and advice', () =>
    withFolder(async (dir) => {
      const { datasets, events } = await publishTwo(dir);
      const dataset = datasetPath('feeds', datasets['feeds']?.sha256 ?? '');
      const segment = segmentPath(events.segments[0]?.name ?? '');
      for (const file of [dataset, segment, POINTER_FILE]) await writeFile(join(dir, file), 'x');
      const findings = await verifyFolder(inFolder(dir));
      expect(findings.map(({ file }) => file)).toEqual([POINTER_FILE, segment, dataset]);
      expect(findings.map(({ problem }) => problem)).toEqual([
        'expected a version and the sha256 of its manifest, found 1 bytes that are not JSON',
        expect.stringMatching(/^expected sha256 .* found sha256/),
        expect.stringMatching(/^expected sha256 .* found sha256/),
      ]);
    }));

  test('finds counts, ends and times in a manifest that contradict its files or the version before', () =>
    withFolder(async (dir) => {
      const { version, ...body } = await publishTwo(dir);
      const events = { ...body.events, count: 9, last_event_id: null };
      await publishWrong(dir, { ...body, previous: version, as_of: '2025-01-01T00:00:00Z', events });
      const problems = (await verifyFolder(inFolder(dir))).map(({ problem }) => problem);
      expect(problems).toEqual([
        expect.stringMatching(/^last_event_id is null, but the segments end at/),
        '9 events, but the segments have 2',
        expect.stringMatching(/^as_of 2025-01-01T00:00:00Z is before/),
        expect.stringMatching(/^the event log ends at null, before that of version/),
      ]);
    }));

  test.each([
    [
      'out of order',
      '{"key":"b","value":1}\n{"key":"a","value":1}\n',
      'expected keys in order, found "a" after "b"',
    ],
    ['of another number', '{"key":"a","value":1}\n', 'expected 2 documents, found 1'],
  ])('finds documents %s', (_, text, problem) =>
    withFolder(async (dir) => {
      const { version, ...body } = await publishTwo(dir);
      const entry = body.datasets['feeds'];
      if (entry === undefined) throw new Error('no dataset');
      const sha256 = sha256Hex(text);
      await writeFile(join(dir, datasetPath('feeds', sha256)), text);
      const datasets = { feeds: { ...entry, sha256, bytes: text.length } };
      await publishWrong(dir, { ...body, previous: version, datasets });
      expect((await verifyFolder(inFolder(dir))).map((finding) => finding.problem)).toEqual([problem]);
    }),
  );
});
