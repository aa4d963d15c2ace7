// A whole pipeline in its own folder, with a clock that stands still, for tests of runs, backfills and rebuilds.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Effects, type OpenedContext, openContext } from '../../jobs/app/open-context.ts';
import { openWarehouse } from '../../jobs/app/open-warehouse.ts';
import { type Config, loadConfig } from '../../jobs/config.ts';
import type { Domain } from '../../jobs/define/domain.ts';
import type { DuckDb } from '../../jobs/engine/duckdb/session.ts';
import { jsonReporter } from '../../jobs/pipeline/run/report.ts';
import { domains as everything } from '../../jobs/registry.ts';
import type { Json } from '../../platform/base/json.ts';
import { settingFlags } from '../../platform/command-line/command-line.ts';
import type { Manifest } from '../../snapshots/layout.ts';
import { keepReadings, takeReadings } from './known-readings.ts';
import { removeFolder, temporaryFolder } from './temporary-folder.ts';

export interface TestFolder {
  readonly dir: string;
  remove(): void;
}

export function testFolder(): TestFolder {
  const dir = temporaryFolder('world');
  return { dir, remove: () => removeFolder(dir) };
}

export interface TestWorldOptions {
  readonly flags?: readonly string[];
  /** Environment variables; none by default. */
  readonly env?: { readonly [name: string]: string };
  /** Configuration file, as an object. */
  readonly config?: Json;
  /** Wall clock, Unix seconds. */
  readonly now: number;
  /** A moving clock, instead of `now`. */
  readonly nowMs?: () => number;
  /** Active domains; all by default. */
  readonly domains?: readonly Domain[];
  readonly isStart?: boolean;
  readonly isRebuild?: boolean;
  /** For folders that are opened many times. */
  readonly checkpointOnClose?: boolean;
  /** As for `openContext`. */
  readonly open?: Effects['open'];
  readonly off?: Effects['off'];
  readonly tracer?: Effects['tracer'];
}

/** The arguments of `openContext` for the pipeline in `dir`; log lines go to `log.ndjson` there. */
export function testWorldInput(dir: string, options: TestWorldOptions): readonly [Config, Effects] {
  const {
    flags = [],
    env = {},
    config,
    now,
    nowMs = () => now * 1000,
    isStart = false,
    isRebuild = false,
    checkpointOnClose = false,
  } = options;
  const configFile = join(dir, 'config.json');
  if (config !== undefined) writeFileSync(configFile, JSON.stringify(config));
  const argv = ['--data-dir', dir, '--duckdb-memory-limit', '1GB', ...flags];
  const configFlags = config === undefined ? [] : ['--config', configFile];
  const write = (text: string) => writeFileSync(join(dir, 'log.ndjson'), text, { flag: 'a' });
  return [
    loadConfig(
      {
        flags: settingFlags(...argv, ...configFlags),
        env,
        readFile: (path) => readFileSync(path, 'utf8'),
      },
      [...everything, ...(options.domains ?? [])],
    ),
    {
      nowMs,
      random: () => 0.5,
      reporter: jsonReporter({ write, nowMs, level: 'info' }),
      // With few rows, a second thread costs more than it gains.
      cores: 1,
      checkpointOnClose,
      ...given(options),
      isStart,
      isRebuild,
      makeKey: () => new Uint8Array(32).fill(7),
    },
  ];
}

const given = ({
  domains,
  open,
  off,
  tracer,
}: TestWorldOptions): Pick<Effects, 'domains' | 'open' | 'off' | 'tracer'> => ({
  ...(off && { off }),
  ...(tracer && { tracer }),
  ...(domains === undefined ? {} : { domains }),
  ...(open === undefined ? {} : { open }),
});

export async function openTestWorld(dir: string, options: TestWorldOptions): Promise<OpenedContext> {
  const [config, effects] = testWorldInput(dir, options);
  const { open = openWarehouse } = effects;
  let db: DuckDb | undefined;
  const opened = await openContext(config, {
    ...effects,
    open: async (...given) => {
      const warehouse = await open(...given);
      db = warehouse.db;
      takeReadings(db);
      return warehouse;
    },
  });
  if (db !== undefined) keepReadings(db);
  return opened;
}

/** Opens, works, closes. */
export async function inWorld<T>(
  dir: string,
  options: TestWorldOptions,
  work: (world: OpenedContext['context']) => Promise<T>,
): Promise<T> {
  const { context: world, close } = await openTestWorld(dir, options);
  try {
    return await work(world);
  } finally {
    await close();
  }
}

export function publishedManifest(dir: string): Manifest {
  const { version } = JSON.parse(readFileSync(join(dir, 'snapshots/current.json'), 'utf8'));
  return JSON.parse(readFileSync(join(dir, 'snapshots/versions', version, 'manifest.json'), 'utf8'));
}

/** The contents of these depend on when versions were published, not on the data alone. */
const NOTED: ReadonlySet<string> = new Set(['status-history', 'coverage-history']);

/** Dataset id -> sha256 of its file. Two folders with equal results hold the same bytes. */
export function datasetHashes(dir: string): { readonly [id: string]: string } {
  const datasets = Object.entries(publishedManifest(dir).datasets);
  const computed = datasets.filter(([id]) => id !== 'status-history');
  return Object.fromEntries(computed.map(([id, { sha256 }]) => [id, sha256]));
}

/** For each dataset with a series that models compute, the hashes of its files by period. */
export function seriesHashes(dir: string): { readonly [id: string]: { readonly [stretch: string]: string } } {
  const datasets = Object.entries(publishedManifest(dir).datasets).filter(([id]) => !NOTED.has(id));
  const entries = datasets.flatMap(([id, { series }]) => {
    const files = series?.map(({ resolution, from, to, sha256 }) => [`${resolution} ${from}-${to}`, sha256]);
    return files === undefined ? [] : [[id, Object.fromEntries(files)]];
  });
  return Object.fromEntries(entries);
}

export interface LoggedEvent {
  readonly key: string;
  readonly value: {
    readonly event_id: string;
    readonly type: string;
    readonly ts: string;
    readonly subject_id: string;
    readonly severity?: string;
    readonly data: { readonly [field: string]: Json };
  };
}

/** The event log as published, in order. */
export function publishedEvents(dir: string): readonly LoggedEvent[] {
  return publishedManifest(dir).events.segments.flatMap(({ name }) =>
    readFileSync(join(dir, 'snapshots/events', name), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as LoggedEvent),
  );
}

/** The events without their ids: what was detected, and in which order. */
export const withoutIds = (events: readonly LoggedEvent[]) =>
  events.map(({ key, value: { event_id: _id, ...rest } }) => ({ key, ...rest }));
