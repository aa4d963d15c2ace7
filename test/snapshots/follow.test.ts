import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Follower, followSnapshots } from '../../snapshots/follow.ts';
import { datasetPath, manifestPath, POINTER_FILE } from '../../snapshots/layout.ts';
import { pointerText } from '../../snapshots/manifest.ts';
import type { VersionReader } from '../../snapshots/read.ts';
import { publishVersion } from '../../snapshots/write.ts';
import { inFolder } from '../support/in-folder.ts';
import { dataset, publication, withFolder } from './support/world.ts';

const publish = (dir: string, tick: number) =>
  publishVersion(inFolder(dir), publication(tick, { datasets: [dataset('feeds', { tick })] }));

const loadTick = async (reader: VersionReader): Promise<unknown> =>
  (await reader.documents('feeds'))[0]?.value;

interface Observed {
  readonly follower: Follower<unknown>;
  readonly swaps: unknown[];
  readonly faults: { message: string; kept: string | null }[];
  readonly timer: { fire: () => void; isCancelled: boolean };
}

async function follow(dir: string, load = loadTick): Promise<Observed> {
  const swaps: unknown[] = [];
  const faults: { message: string; kept: string | null }[] = [];
  const timer = { fire: () => {}, isCancelled: false };
  const follower = await followSnapshots<unknown>(inFolder(dir), {
    load,
    onSwap: ({ value }) => swaps.push(value),
    onFault: ({ message }, kept) => faults.push({ message, kept }),
    repeat: (poll) => {
      timer.fire = poll;
      return () => {
        timer.isCancelled = true;
      };
    },
  });
  return { follower, swaps, faults, timer };
}

const datasetFile = (dir: string, published: Awaited<ReturnType<typeof publish>>) =>
  join(dir, datasetPath('feeds', published.manifest.datasets['feeds']?.sha256 ?? ''));

describe('following a folder', () => {
  test('waits for the first version, then loads each new one once', () =>
    withFolder(async (dir) => {
      const { follower, swaps, faults, timer } = await follow(join(dir, 'not yet'));
      expect(follower.current()).toBe(null);
      for (const tick of [0, 1]) {
        await publish(join(dir, 'not yet'), tick);
        timer.fire();
        await follower.poll();
        await follower.poll();
      }
      await follower.stop();
      expect({ swaps, faults, isCancelled: timer.isCancelled }).toEqual({
        swaps: [0, 1],
        faults: [],
        isCancelled: true,
      });
    }));

  test('waits for the pointer of the first version, and reports it as missing only if it does not come', () =>
    withFolder(async (dir) => {
      const { follower, swaps, faults } = await follow(dir);
      await publish(dir, 0);
      const pointer = join(dir, POINTER_FILE);
      const text = await readFile(pointer);
      await rm(pointer);
      for (let i = 0; i < 64; i++) await follower.poll();
      expect({ swaps, faults, current: follower.current() }).toEqual({
        swaps: [],
        faults: [],
        current: null,
      });
      await writeFile(pointer, text);
      await follower.poll();
      expect({ swaps, faults }).toEqual({ swaps: [0], faults: [] });
      await follower.stop();
    }));

  test('reports the pointer of the first version as missing after 64 polls, and serves the version', () =>
    withFolder(async (dir) => {
      const { follower, swaps, faults } = await follow(dir);
      await publish(dir, 0);
      await rm(join(dir, POINTER_FILE));
      for (let i = 0; i < 65; i++) await follower.poll();
      expect(swaps).toEqual([0]);
      expect(faults).toMatchObject([{ message: expect.stringContaining('expected a pointer') }]);
      await follower.stop();
    }));

  test('stays on the last good version when a new one is damaged, reports it once, and moves on with the next', () =>
    withFolder(async (dir) => {
      const first = await publish(dir, 0);
      const { follower, swaps, faults } = await follow(dir);
      await writeFile(datasetFile(dir, await publish(dir, 1)), 'damaged');
      for (let i = 0; i < 5; i++) await follower.poll();
      expect(follower.current()?.value).toBe(0);
      expect(faults).toHaveLength(1);
      expect(faults[0]).toMatchObject({
        kept: first.version,
        message: expect.stringMatching(/feeds\/.*is damaged: expected sha256/),
      });
      expect(follower.fault()?.message).toBe(faults[0]?.message);
      await publish(dir, 2);
      await follower.poll();
      expect({ swaps, fault: follower.fault() }).toEqual({ swaps: [0, 2], fault: null });
    }));

  test('loads a damaged version once it is repaired, retrying less and less often', () =>
    withFolder(async (dir) => {
      await publish(dir, 0);
      const { follower, faults } = await follow(dir);
      const second = await publish(dir, 1);
      await rm(datasetFile(dir, second));
      for (let i = 0; i < 4; i++) await follower.poll();
      await writeFile(datasetFile(dir, second), '{"key":"tick","value":1}\n');
      for (let i = 0; i < 8; i++) await follower.poll();
      expect({ value: follower.current()?.value, faults: faults.length }).toEqual({ value: 1, faults: 1 });
    }));

  test('never goes back to an older version', () =>
    withFolder(async (dir) => {
      const first = await publish(dir, 0);
      const second = await publish(dir, 1);
      const { follower, faults } = await follow(dir);
      await writeFile(
        join(dir, POINTER_FILE),
        pointerText({ version: first.version, manifest_sha256: first.manifestSha256 }),
      );
      await follower.poll();
      expect(follower.current()?.reader.version).toBe(second.version);
      expect(faults).toEqual([
        { kept: second.version, message: expect.stringContaining('went back from version') },
      ]);
    }));

  test('keeps reporting a pointer with a wrong hash as long as it lasts, and serves the sound version', () =>
    withFolder(async (dir) => {
      await publish(dir, 0);
      const { version, manifestSha256 } = await publish(dir, 1);
      const { follower } = await follow(dir);
      const wrong = pointerText({ version, manifest_sha256: 'f'.repeat(64) });
      await writeFile(join(dir, POINTER_FILE), wrong);
      const restarted = (await follow(dir)).follower;
      for (let i = 0; i < 5; i++) {
        for (const one of [follower, restarted]) {
          await one.poll();
          expect(one.fault()?.message).toContain(`${POINTER_FILE} is damaged`);
          expect(one.current()?.value).toBe(1);
        }
      }
      await writeFile(join(dir, POINTER_FILE), pointerText({ version, manifest_sha256: manifestSha256 }));
      await follower.poll();
      expect(follower.fault()).toBeNull();
    }));

  test('reports at start that the pointer is outdated, and continues with the next publication', () =>
    withFolder(async (dir) => {
      const first = await publish(dir, 0);
      await publish(dir, 1);
      await publish(dir, 2);
      const older = { version: first.version, manifest_sha256: first.manifestSha256 };
      await writeFile(join(dir, POINTER_FILE), pointerText(older));
      const { follower } = await follow(dir);
      for (let i = 0; i < 3; i++) {
        expect(follower.fault()?.message).toContain(`${POINTER_FILE} is damaged`);
        await follower.poll();
      }
      await publish(dir, 3);
      await follower.poll();
      expect({ value: follower.current()?.value, fault: follower.fault() }).toEqual({
        value: 3,
        fault: null,
      });
    }));

  test.each([
    [
      'a damaged dataset',
      async (dir: string, version: Awaited<ReturnType<typeof publish>>) => rm(datasetFile(dir, version)),
    ],
    [
      'a damaged manifest',
      async (dir: string, { version }: { version: string }) =>
        writeFile(join(dir, manifestPath(version)), '{}'),
    ],
  ])('starts on the newest good version when the published one has %s', (_, damage) =>
    withFolder(async (dir) => {
      await publish(dir, 0);
      await publish(dir, 1);
      const newest = await publish(dir, 2);
      const manifest = await readFile(join(dir, manifestPath(newest.version)));
      await damage(dir, newest);
      const { follower, faults } = await follow(dir);
      expect(follower.current()?.value).toBe(1);
      expect(faults.length).toBeGreaterThan(0);
      await writeFile(join(dir, manifestPath(newest.version)), manifest);
      await publish(dir, 3);
      await follower.poll();
      expect(follower.current()?.value).toBe(3);
    }),
  );

  test.each([
    ['lost', async (file: string) => rm(file)],
    ['damaged', async (file: string) => writeFile(file, '{"version":')],
  ])('starts on the newest version when the pointer is %s', (_, damage) =>
    withFolder(async (dir) => {
      await publish(dir, 0);
      await publish(dir, 1);
      await damage(join(dir, POINTER_FILE));
      const { follower, faults } = await follow(dir);
      expect(follower.current()?.value).toBe(1);
      expect(faults[0]?.message).toContain('current.json is damaged');
    }),
  );

  test('keeps the version in use when the program cannot load the new one', () =>
    withFolder(async (dir) => {
      await publish(dir, 0);
      const { follower, faults } = await follow(dir, async (reader) => {
        if ((await loadTick(reader)) === 1) throw new Error('no room');
        return 'loaded';
      });
      await publish(dir, 1);
      await follower.poll();
      expect(follower.current()?.value).toBe('loaded');
      expect(faults[0]?.message).toBe('no room');
    }));

  test('reads the folder once for concurrent polls', () =>
    withFolder(async (dir) => {
      await publish(dir, 0);
      const { follower, swaps } = await follow(dir);
      await publish(dir, 1);
      await Promise.all([follower.poll(), follower.poll(), follower.poll()]);
      expect(swaps).toEqual([0, 1]);
    }));
});
