// A whole pipeline whose models are computed on Trino publishes the bytes that it publishes from DuckDB.
import { expect, test } from 'vitest';
import { runOnce } from '../../jobs/commands/work.ts';
import { SMALL_DEMO, smallDemoFolder } from '../support/demo-folder.ts';
import {
  datasetHashes,
  inWorld,
  publishedEvents,
  publishedManifest,
  type TestWorldOptions,
  testFolder,
  withoutIds,
} from '../support/pipeline-world.ts';
import { removeFolder } from '../support/temporary-folder.ts';
import type { LakeServer } from './lake-server.ts';

type Hashes = ReturnType<typeof datasetHashes>;

const differing = (one: Hashes, other: Hashes): readonly string[] =>
  [...new Set([...Object.keys(one), ...Object.keys(other)])].filter((id) => one[id] !== other[id]);

const WORLD_MS = 1_500_000;

const onTrino = ({ world }: LakeServer, options: TestWorldOptions): TestWorldOptions => ({
  ...options,
  ...world,
  flags: [...(options.flags ?? []), ...(world.flags ?? [])],
});

export function lakeWorldCases(lakeOf: () => LakeServer): void {
  test(
    'publishes the same datasets and events',
    async () => {
      const lake = lakeOf();
      await lake.reset();
      const expected = await smallDemoFolder();
      const { dir, remove } = testFolder();
      try {
        const world = onTrino(lake, SMALL_DEMO);
        expect(await inWorld(dir, world, (context) => runOnce(context, null))).toBe(0);
        expect(publishedManifest(dir).engine_version).toMatch(/^trino \d+$/);
        expect(withoutIds(publishedEvents(dir))).toEqual(withoutIds(publishedEvents(expected)));
        expect(differing(datasetHashes(dir), datasetHashes(expected))).toEqual([]);
      } finally {
        remove();
        removeFolder(expected);
      }
    },
    WORLD_MS,
  );
}
