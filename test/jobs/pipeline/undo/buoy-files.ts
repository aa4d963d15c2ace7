// A pipeline over CSV files of the made-up family, whose mapping a test may get wrong and correct.
import { mkdirSync, writeFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type SupersedeCommand, supersede } from '../../../../jobs/commands/supersede.ts';
import { runOnce } from '../../../../jobs/commands/work.ts';
import { openContext } from '../../../../jobs/app/open-context.ts';
import type { PipelineContext } from '../../../../jobs/pipeline/context.ts';
import type { Disk } from '../../../../platform/storage/disk.ts';
import type { Json } from '../../../../platform/base/json.ts';
import {
  datasetHashes,
  inWorld,
  publishedEvents,
  type TestFolder,
  testFolder,
  testWorldInput,
} from '../../../support/pipeline-world.ts';
import { buoys } from '../../../support/sample-family/domain.ts';

export const DAY = 86_400;
export const NOW = 1_700_006_400;

export type Fields = { readonly [field: string]: Json };

export const RIGHT: Fields = { buoy: 'name', read_at: 'at', height_m: 'height' };
/** Decimetres taken for metres: waves of .9 m look like 9 m. */
export const TEN_TIMES: Fields = { ...RIGHT, height_m: { from: 'height', scale: 10 } };

export type Reading = readonly [buoy: string, at: number, height: number | string];

export const csv = (readings: readonly Reading[]): string =>
  `name,at,height,other\n${readings.map(([buoy, at, height]) => `${buoy},${at},${height},7\n`).join('')}`;

export interface BuoyFiles {
  readonly dir: string;
  write(name: string, readings: readonly Reading[]): void;
  /** The mapping of each source from now on; a source reads `inputs/<source>*.csv`. */
  map(sources: { readonly [source: string]: Fields }): void;
  run(now: number): Promise<number>;
  /** Resolves to what was printed. */
  supersede(now: number, command: Partial<SupersedeCommand>): Promise<readonly string[]>;
  work<T>(now: number, work: (context: PipelineContext) => Promise<T>): Promise<T>;
  /** Like `work`, with another disk under landing and publication. */
  workOn<T>(disk: Disk, now: number, work: (context: PipelineContext) => Promise<T>): Promise<T>;
  remove(): void;
}

export function openBuoyFiles(folder: TestFolder = testFolder()): BuoyFiles {
  const { dir } = folder;
  let sources: Json = {};
  mkdirSync(join(dir, 'inputs'), { recursive: true });
  const options = (now: number) => ({ config: { profile: 'files', sources }, now, domains: [buoys] });
  const work = <T>(now: number, what: (context: PipelineContext) => Promise<T>) =>
    inWorld(dir, options(now), what);
  return {
    dir,
    write: (name, readings) => writeFileSync(join(dir, 'inputs', name), csv(readings)),
    map: (mappings) => {
      sources = Object.fromEntries(
        Object.entries(mappings).map(([id, fields]) => [
          id,
          { table: 'buoy_reading', path: `inputs/${id}*.csv`, format: 'csv', name: id, fields },
        ]),
      );
    },
    run: (now) => work(now, (context) => runOnce(context, null)),
    supersede: (now, command) => work(now, (context) => printed(context, command)),
    work,
    async workOn(disk, now, what) {
      const [config, effects] = testWorldInput(dir, options(now));
      const { context, close } = await openContext(config, { ...effects, disk });
      try {
        return await what(context);
      } finally {
        await close();
      }
    },
    remove: () => folder.remove(),
  };
}

export async function printed(
  context: PipelineContext,
  command: Partial<SupersedeCommand>,
): Promise<readonly string[]> {
  const lines: string[] = [];
  const whole = {
    kind: 'reland',
    source: 'sea',
    range: { from: null, to: null },
    isDryRun: false,
    ...command,
  } as const;
  await supersede(context, whole, (line) => void lines.push(line));
  return lines;
}

/** Every file below a folder with its contents; the journals of the jobs and their caches are left out. */
export async function filesOf(dir: string, without = /^$/): Promise<ReadonlyMap<string, string>> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile() && !/\.(duckdb|wal|lock)$|log\.ndjson$/.test(entry.name))
    .filter((entry) => !without.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  const contents = await Promise.all(files.map((file) => readFile(file, 'latin1')));
  return new Map(files.map((file, index) => [file.slice(dir.length), contents[index] ?? '']));
}

/** Keys of the events that stand, and how many retractions there are. */
export function standingEvents(dir: string): {
  readonly keys: readonly string[];
  readonly retractions: number;
} {
  const events = publishedEvents(dir);
  const retracted = new Set(
    events.map(({ value }) => (value as { retracts_event_id?: string }).retracts_event_id),
  );
  const isRetraction = ({ value }: (typeof events)[number]) => 'retracts_event_id' in value;
  const standing = events.filter((event) => !isRetraction(event) && !retracted.has(event.value.event_id));
  return {
    keys: standing.map(({ key }) => key.replace(/\|again\|.*/, '')).sort(),
    retractions: events.filter(isRetraction).length,
  };
}

/** What a reader sees: the datasets' bytes and the events that stand. */
export const seenIn = (dir: string) => ({ datasets: datasetHashes(dir), events: standingEvents(dir).keys });
