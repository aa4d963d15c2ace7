// Opens the warehouse that the settings name, and this process's DuckDB, which reads deliveries. With DuckDB alone both are one file, which
// is set aside and rebuilt when damaged. With Trino alone the DuckDB is in memory. With both engines there is one warehouse on each.
import { existsSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { ulid } from 'ulid';
import { Agent } from 'undici';
import type { SwitchedOff } from '../../platform/base/switches.ts';
import type { Settings } from '../../platform/settings/settings.ts';
import { SettingsError, type SettingsProblem } from '../../platform/settings/settings-error.ts';
import { type Disk, nodeDisk } from '../../platform/storage/disk.ts';
import type { TermMark } from '../../platform/storage/fence.ts';
import { s3Location } from '../../platform/storage/s3/location.ts';
import { S3Client } from '../../platform/storage/s3/s3-client.ts';
import { S3ObjectStore } from '../../platform/storage/s3/s3-store.ts';
import type { Config } from '../config.ts';
import type { Domain } from '../define/domain.ts';
import { type DuckDBOptions, openDuckDb } from '../engine/duckdb/duckdb.ts';
import type { DuckDb } from '../engine/duckdb/session.ts';
import { DuckDbWarehouse } from '../engine/duckdb/warehouse.ts';
import { DamagedWarehouseError } from '../engine/errors.ts';
import { CombinedWarehouse } from '../engine/placed/warehouse.ts';
import type { LakeFiles } from '../engine/trino/lake.ts';
import { openTrinoWarehouse } from '../engine/trino/open.ts';
import type { TrinoWarehouse } from '../engine/trino/warehouse.ts';
import type { Warehouse } from '../engine/warehouse.ts';
import { assertLandingWhole } from '../ingest/receipts/verify.ts';
import type { Reporter } from '../pipeline/run/report.ts';
import { domains as everything } from '../registry.ts';
import type { StoreEffects } from './open-snapshots.ts';
import { type Homes, homesOf } from './placement.ts';
import { setAside } from './set-aside.ts';

export interface WarehouseEffects {
  readonly nowMs: () => number;
  readonly random: () => number;
  readonly reporter: Reporter;
  readonly cores: number;
  /** Start with an empty warehouse, even if one exists. */
  readonly isRebuild: boolean;
  /** Where landing writes; the disk itself by default. */
  readonly disk?: Disk;
  /** The leader's term, if several hosts take turns. */
  readonly term?: TermMark | null;
  /** As for `openDuckDb`. */
  readonly checkpointOnClose?: boolean;
  /** Domains to compute; all by default. */
  readonly domains?: readonly Domain[];
  /** Caches to switch off, for tests and benchmarks. */
  readonly off?: SwitchedOff;
}

interface OpenedOn<W extends Warehouse> {
  /** Reads deliveries and the text of queries. */
  readonly db: DuckDb;
  readonly warehouse: W;
  close(): Promise<void>;
}

export type OpenedWarehouse = OpenedOn<Warehouse>;

/** @throws SettingsError, and what the engine throws */
export function openWarehouse(config: Config, effects: WarehouseEffects): Promise<OpenedWarehouse> {
  const homes = homesOf(
    config.settings,
    (effects.domains ?? everything).map(({ id }) => id),
  );
  if (homes.isDivided) return openOnBoth(config, effects, homes);
  return homes.usesTrino ? openOnTrino(config, effects) : openOnDuckDb(config, effects);
}

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

async function openOnDuckDb(config: Config, effects: WarehouseEffects): Promise<OpenedOn<DuckDbWarehouse>> {
  const { reporter, isRebuild, disk = nodeDisk } = effects;
  if (isRebuild) await discardWarehouse(config, disk, reporter);
  const options = { file: config.paths.warehouse, ...duckDbOptions(config, effects) };
  const db = await openDuckDb(options).catch((error: unknown) => {
    if (!(error instanceof DamagedWarehouseError)) throw error;
    reporter.warn(`${error.message} It is set aside and rebuilt from landing.`);
    setAside(config.paths.warehouse);
    return openDuckDb(options);
  });
  return { db, warehouse: new DuckDbWarehouse(db, effects.off), close: () => db.close() };
}

/** Landing must be intact before a warehouse computed from it is removed. */
async function discardWarehouse({ paths, settings }: Config, disk: Disk, notices: Reporter): Promise<void> {
  if (existsSync(paths.warehouse)) await assertLandingWhole({ disk, dir: settings.data_dir }, notices);
  setAside(paths.warehouse);
}

async function openOnTrino(config: Config, effects: WarehouseEffects): Promise<OpenedOn<TrinoWarehouse>> {
  const { isRebuild, reporter, disk = nodeDisk } = effects;
  if (isRebuild) await assertLandingWhole({ disk, dir: config.settings.data_dir }, reporter);
  const db = await openDuckDb({ file: ':memory:', ...duckDbOptions(config, effects) });
  try {
    const warehouse = await openTrino(config, effects, db);
    return { db, warehouse, close: () => closeAll(warehouse, db) };
  } catch (error) {
    await db.close();
    throw error;
  }
}

/** The DuckDB file reads deliveries and the text of queries. */
async function openOnBoth(config: Config, effects: WarehouseEffects, homes: Homes): Promise<OpenedWarehouse> {
  const trino = await openOnTrino(config, effects);
  try {
    const { db, warehouse: duckdb, close } = await openOnDuckDb(config, effects);
    const warehouse = new CombinedWarehouse({
      parts: { duckdb, trino: trino.warehouse },
      homeOf: ({ domain }) => homes.of(domain),
      tempDir: config.paths.temporary,
      makeId: () => ulid(effects.nowMs()),
    });
    return { db, warehouse, close: () => closeAll({ close }, trino) };
  } catch (error) {
    await trino.close();
    throw error;
  }
}

async function closeAll(...opened: readonly Pick<OpenedWarehouse, 'close'>[]): Promise<void> {
  for (const one of opened) await one.close();
}

interface TrinoEffects {
  readonly nowMs: () => number;
  readonly random: () => number;
  readonly isRebuild: boolean;
  readonly term?: TermMark | null;
}

/** Opens the warehouse on Trino. `db` is in memory and not shared. @throws SettingsError, and what the engine throws */
function openTrino(
  { settings, store_env: env, paths }: Config,
  { nowMs, random, isRebuild, term = null }: TrinoEffects,
  db: DuckDb,
): Promise<TrinoWarehouse> {
  refuseMissing(settings);
  const { trino_url: url, trino_user: user, trino_catalog: catalog } = settings;
  return openTrinoWarehouse({
    connection: {
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
  });
}

const NEEDED = ['trino_url', 'warehouse_state', 'warehouse_store'] as const;

function refuseMissing(settings: Settings): void {
  const problems = NEEDED.filter((name) => settings[name] === '').map(
    (where): SettingsProblem => ({
      where,
      given: 'nothing',
      expected: 'an address, because WAREHOUSE or PLACEMENT names trino (docs/scale.md)',
      closest: null,
    }),
  );
  if (problems.length > 0) throw new SettingsError(problems);
}

/** Files to be loaded into Trino tables: objects in a bucket that Trino can read too. @throws S3SettingsError */
export function lakeFiles(
  {
    settings,
    env,
  }: {
    readonly settings: Pick<Settings, 'warehouse_store' | 's3_endpoint' | 's3_region'>;
    /** Credentials, by environment variable. */
    readonly env: { readonly [name: string]: string | undefined };
  },
  { nowMs, random }: StoreEffects,
): LakeFiles {
  const location = s3Location({
    setting: 'WAREHOUSE_STORE',
    address: settings.warehouse_store,
    endpoint: settings.s3_endpoint,
    region: settings.s3_region,
    env,
  });
  const store = new S3ObjectStore(
    new S3Client(location, { agent: new Agent(), nowMs, random, wait: (ms) => wait(ms) }),
  );
  return {
    async put(key, bytes) {
      await store.put(key, [bytes]);
      return `s3://${location.bucket}/${location.prefix}${key.slice(0, key.lastIndexOf('/') + 1)}`;
    },
    remove: (key) => store.remove([key]),
  };
}
