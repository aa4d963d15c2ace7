import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { openEventLog } from '../../snapshots/events.ts';
import { collectGarbage } from '../../snapshots/gc.ts';
import { COLLECTED_FILE, manifestPath, POINTER_FILE } from '../../snapshots/layout.ts';
import { pointerText, sealManifest } from '../../snapshots/manifest.ts';
import { verifyFolder } from '../../snapshots/verify.ts';
import { inFolder } from '../support/in-folder.ts';
import { last, ticks } from './support/ticks.ts';
import { candidate, T0, withFolder } from './support/world.ts';

const problemsIn = async (dir: string) =>
  (await verifyFolder(inFolder(dir))).map(({ file, problem }) => `${file}: ${problem}`);

test('a version lost with its folder is detected through the next version', () =>
  withFolder(async (dir) => {
    const versions = (await ticks(dir, 5)).map(({ version }) => version);
    expect(await problemsIn(dir)).toEqual([]);
    await rm(join(dir, 'versions', versions[2] ?? ''), { recursive: true });
    expect(await problemsIn(dir)).toEqual([
      `${manifestPath(versions[3] ?? '')}: follows version ${versions[2]}, which is lost: it was never collected`,
    ]);
  }));

test('collected versions are not reported, but a later lost one is', () =>
  withFolder(async (dir) => {
    const versions = (await ticks(dir, 8)).map(({ version }) => version);
    const nowMs = T0 + 7 * 300_000 + 1_000;
    await collectGarbage(inFolder(dir), { nowMs, keepMs: 4 * 300_000, keepDays: 0, leaseTtlMs: 1 });
    expect((await readdir(join(dir, 'versions'))).sort()).toEqual(versions.slice(3));
    expect(await problemsIn(dir)).toEqual([]);
    await rm(join(dir, 'versions', versions[3] ?? ''), { recursive: true });
    expect(await problemsIn(dir)).toEqual([expect.stringContaining(`follows version ${versions[3]}`)]);
  }));

test('a damaged note of what was collected is a finding', () =>
  withFolder(async (dir) => {
    await ticks(dir, 3);
    await writeFile(join(dir, COLLECTED_FILE), '{"through":"x"}\n');
    expect(await problemsIn(dir)).toEqual([expect.stringMatching(/^collected\.json: expected/)]);
  }));

test('a log that does not begin with the published one is found, even if its own files are whole', () =>
  withFolder(async (dir) => {
    const { manifest } = last(await ticks(dir, 3));
    const other = await openEventLog(inFolder(dir), [], { maxSegmentBytes: 1 });
    const { version: previous, ...body } = manifest;
    await other.append([candidate('later', T0, { x: 1 })], T0 + 10_000_000);
    const segments = other.segments().slice(-1);
    const events = { last_event_id: segments[0]?.last ?? '', count: segments[0]?.count ?? 0, segments };
    const sealed = sealManifest({ ...body, previous, events }, previous);
    await mkdir(dirname(join(dir, manifestPath(sealed.manifest.version))));
    await writeFile(join(dir, manifestPath(sealed.manifest.version)), sealed.text);
    const pointer = { version: sealed.manifest.version, manifest_sha256: sealed.sha256 };
    await writeFile(join(dir, POINTER_FILE), pointerText(pointer));
    expect(await problemsIn(dir)).toEqual([
      expect.stringContaining(`its event log does not begin with that of version ${previous}`),
    ]);
  }));

test('an outdated pointer is found as soon as two versions follow the one it names', () =>
  withFolder(async (dir) => {
    const [first, second] = await ticks(dir, 3);
    const older = { version: first?.version ?? '', manifest_sha256: first?.manifestSha256 ?? '' };
    await writeFile(join(dir, POINTER_FILE), pointerText(older));
    expect(await problemsIn(dir)).toEqual([expect.stringContaining('an older one')]);
    const crash = { version: second?.version ?? '', manifest_sha256: second?.manifestSha256 ?? '' };
    await writeFile(join(dir, POINTER_FILE), pointerText(crash));
    expect(await problemsIn(dir)).toEqual([]);
  }));
