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

interface Expectation {
  readonly flags: readonly string[];
  readonly engine: RegExp;
}

async function expectSame(lake: LakeServer, { flags, engine }: Expectation): Promise<void> {
  await lake.reset();
  const expected = await smallDemoFolder();
  const { dir, remove } = testFolder();
  try {
    const world = onTrino(lake, SMALL_DEMO);
    const own = { ...world, flags: [...(world.flags ?? []), ...flags] };
    for (const now of [SMALL_DEMO.now, SMALL_DEMO.now + 300]) {
      expect(await inWorld(dir, { ...own, now }, (context) => runOnce(context, null))).toBe(0);
      await inWorld(expected, { ...SMALL_DEMO, now }, (context) => runOnce(context, null));
      expect(publishedManifest(dir).engine_version).toMatch(engine);
      expect(withoutIds(publishedEvents(dir))).toEqual(withoutIds(publishedEvents(expected)));
      expect(differing(datasetHashes(dir), datasetHashes(expected))).toEqual([]);
    }
  } finally {
    remove();
    removeFolder(expected);
  }
}

/** The last `--warehouse` counts. The last case has models on both engines, and is the only one with TRINO_PLACEMENTS=one. */
const CASES: Readonly<Record<string, Expectation>> = {
  'everything on Trino': { flags: [], engine: /^trino \d+$/ },
  'feeds on Trino, and the rest on DuckDB': {
    flags: ['--warehouse', 'duckdb', '--placement', 'oracles: trino'],
    engine: /^duckdb [\d.]+, trino \d+$/,
  },
  'feeds on DuckDB, and the rest on Trino': {
    flags: ['--placement', 'oracles: duckdb'],
    engine: /^duckdb [\d.]+, trino \d+$/,
  },
};

export function lakeWorldCases(lakeOf: () => LakeServer): void {
  test.each(Object.entries(CASES).slice(process.env['TRINO_PLACEMENTS'] === 'one' ? -1 : 0))(
    'publishes the same datasets and events, even after a tick: %s',
    (_, expectation) => expectSame(lakeOf(), expectation),
    WORLD_MS,
  );
}
