// Opens the warehouse that the settings name, and the DuckDB in this process that reads deliveries: with DuckDB both are one file, which is
// set aside and rebuilt when it is damaged; with Trino the DuckDB is in memory.
import { existsSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { ulid } from 'ulid';
import type { Settings } from '../../schemas/settings.ts';
import { SettingsError, type SettingsProblem } from '../../schemas/settings-error.ts';
import { type Disk, nodeDisk } from '../../snapshots/disk.ts';
import type { TermMark } from '../../snapshots/fence.ts';
import type { Config } from '../config.ts';
import { type DuckDBOptions, openDuckDb } from '../engine/duckdb/duckdb.ts';
import type { DuckDb } from '../engine/duckdb/session.ts';
import { DuckDbWarehouse } from '../engine/duckdb/warehouse.ts';
import { DamagedWarehouseError } from '../engine/errors.ts';
import { openTrinoWarehouse, type TrinoOptions } from '../engine/trino/open.ts';
import type { Warehouse } from '../engine/warehouse.ts';
import { assertLandingWhole } from '../ingest/receipts/verify.ts';
import type { Reporter } from '../pipeline/run/report.ts';
import { lakeFiles } from './lake-files.ts';
import { setAside } from './set-aside.ts';

export interface WarehouseEffects {
  readonly nowMs: () => number;
  readonly random: () => number;
  readonly reporter: Reporter;
  readonly cores: number;
  /** Start with an empty warehouse, whatever exists. */
  readonly isRebuild: boolean;
  /** Where landing writes; the disk itself by default. */
  readonly disk?: Disk;
  /** Of the leader, where several hosts take turns. */
  readonly term?: TermMark | null;
  /** As for `openDuckDb`. */
  readonly checkpointOnClose?: boolean;
}

export interface OpenedWarehouse {
  /** Reads deliveries and the text of queries. */
  readonly db: DuckDb;
  readonly warehouse: Warehouse;
  close(): Promise<void>;
}

type Open = (config: Config, effects: WarehouseEffects) => Promise<OpenedWarehouse>;

const OPEN: Readonly<Record<Settings['warehouse'], Open>> = { duckdb: openOnDuckDb, trino: openOnTrino };

/** @throws SettingsError, and what the engine throws */
export const openWarehouse: Open = (config, effects) => OPEN[config.settings.warehouse](config, effects);

function duckDbOptions(
  { settings, paths }: Config,
  { cores, checkpointOnClose }: WarehouseEffects,
): Omit<DuckDBOptions, 'file'> {
  const { duckdb_memory_limit, duckdb_threads } = settings;
  return {
    memoryLimit: duckdb_memory_limit,
    threads: duckdb_threads === 0 ? cores : duckdb_threads,
    tempDir: paths.temporary,
    ...(checkpointOnClose === undefined ? {} : { checkpointOnClose }),
  };
}

async function openOnDuckDb(config: Config, effects: WarehouseEffects): Promise<OpenedWarehouse> {
  const { reporter, isRebuild, disk = nodeDisk } = effects;
  if (isRebuild) await giveUp(config, disk, reporter);
  const options = { file: config.paths.warehouse, ...duckDbOptions(config, effects) };
  const db = await openDuckDb(options).catch((error: unknown) => {
    if (!(error instanceof DamagedWarehouseError)) throw error;
    reporter.warn(`${error.message} It is set aside and rebuilt from landing.`);
    setAside(config.paths.warehouse);
    return openDuckDb(options);
  });
  return { db, warehouse: new DuckDbWarehouse(db), close: () => db.close() };
}

/** Landing must be intact before a warehouse computed from it is removed. */
async function giveUp({ paths, settings }: Config, disk: Disk, notices: Reporter): Promise<void> {
  if (existsSync(paths.warehouse)) await assertLandingWhole({ disk, dir: settings.data_dir }, notices);
  setAside(paths.warehouse);
}

async function openOnTrino(config: Config, effects: WarehouseEffects): Promise<OpenedWarehouse> {
  const { settings } = config;
  refuseMissing(settings);
  const { isRebuild, reporter, disk = nodeDisk } = effects;
  if (isRebuild) await assertLandingWhole({ disk, dir: settings.data_dir }, reporter);
  const db = await openDuckDb({ file: ':memory:', ...duckDbOptions(config, effects) });
  try {
    const warehouse = await openTrinoWarehouse(trinoOptions(config, effects, db));
    const close = async () => {
      await warehouse.close();
      await db.close();
    };
    return { db, warehouse, close };
  } catch (error) {
    await db.close();
    throw error;
  }
}

function trinoOptions(
  { settings, store_env: env, paths }: Config,
  { nowMs, random, isRebuild, term = null }: WarehouseEffects,
  db: DuckDb,
): TrinoOptions {
  const { trino_url: url, trino_user: user, trino_catalog: catalog } = settings;
  return {
    place: {
      url,
      user,
      password: env['TRINO_PASSWORD'] ?? '',
      catalog,
      source: `risk-jobs ${catalog}`,
    },
    effects: { fetch, wait: (ms) => wait(ms) },
    database: settings.warehouse_state,
    files: lakeFiles({ settings, env }, { nowMs, random }),
    db,
    tempDir: paths.temporary,
    makeId: () => ulid(nowMs()),
    atOnce: settings.trino_at_once,
    term,
    isRebuild,
  };
}

const NEEDED = ['trino_url', 'warehouse_state', 'warehouse_store'] as const;

function refuseMissing(settings: Settings): void {
  const problems = NEEDED.filter((name) => settings[name] === '').map(
    (where): SettingsProblem => ({
      where,
      given: 'nothing',
      expected: 'an address, where WAREHOUSE is trino (docs/scale.md)',
      closest: null,
    }),
  );
  if (problems.length > 0) throw new SettingsError(problems);
}
