// Files to be loaded into Trino tables: objects in a bucket that Trino can read too.
import { setTimeout as wait } from 'node:timers/promises';
import { Agent } from 'undici';
import { S3Client } from '../../platform/storage/s3/s3-client.ts';
import { s3Place } from '../../platform/storage/s3/place.ts';
import { S3ObjectStore } from '../../platform/storage/s3/s3-store.ts';
import type { Settings } from '../../platform/settings/settings.ts';
import type { LakeFiles } from '../engine/trino/lake.ts';
import type { StoreEffects } from './open-snapshots.ts';

export interface LakeFilesPlace {
  readonly settings: Pick<Settings, 'warehouse_store' | 's3_endpoint' | 's3_region'>;
  /** Credentials, by environment variable. */
  readonly env: { readonly [name: string]: string | undefined };
}

/** @throws S3SettingsError */
export function lakeFiles({ settings, env }: LakeFilesPlace, { nowMs, random }: StoreEffects): LakeFiles {
  const place = s3Place({
    setting: 'WAREHOUSE_STORE',
    address: settings.warehouse_store,
    endpoint: settings.s3_endpoint,
    region: settings.s3_region,
    env,
  });
  const store = new S3ObjectStore(
    new S3Client(place, { agent: new Agent(), nowMs, random, wait: (ms) => wait(ms) }),
  );
  return {
    async put(key, bytes) {
      await store.put(key, [bytes]);
      return `s3://${place.bucket}/${place.prefix}${key.slice(0, key.lastIndexOf('/') + 1)}`;
    },
    remove: (key) => store.remove([key]),
  };
}
