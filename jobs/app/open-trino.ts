// Opens the warehouse on Trino from the settings.
import { setTimeout as wait } from 'node:timers/promises';
import { ulid } from 'ulid';
import { Agent } from 'undici';
import type { Settings } from '../../platform/settings/settings.ts';
import { SettingsError, type SettingsProblem } from '../../platform/settings/settings-error.ts';
import type { TermMark } from '../../platform/storage/fence.ts';
import { s3Location } from '../../platform/storage/s3/location.ts';
import { S3Client } from '../../platform/storage/s3/s3-client.ts';
import { S3ObjectStore } from '../../platform/storage/s3/s3-store.ts';
import type { Config } from '../config.ts';
import type { DuckDb } from '../engine/duckdb/session.ts';
import type { LakeFiles } from '../engine/trino/lake.ts';
import { openTrinoWarehouse } from '../engine/trino/open.ts';
import type { TrinoWarehouse } from '../engine/trino/warehouse.ts';
import type { StoreEffects } from './open-snapshots.ts';

export interface TrinoEffects {
  readonly nowMs: () => number;
  readonly random: () => number;
  readonly isRebuild: boolean;
  readonly term?: TermMark | null;
}

/** `db` is in memory and not shared. @throws SettingsError, and what the engine throws */
export function openTrino(
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

// Files to be loaded into Trino tables: objects in a bucket that Trino can read too.

interface LakeFilesOptions {
  readonly settings: Pick<Settings, 'warehouse_store' | 's3_endpoint' | 's3_region'>;
  /** Credentials, by environment variable. */
  readonly env: { readonly [name: string]: string | undefined };
}

/** @throws S3SettingsError */
export function lakeFiles({ settings, env }: LakeFilesOptions, { nowMs, random }: StoreEffects): LakeFiles {
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
