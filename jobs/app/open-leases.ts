// Opens what decides which job host leads: a lock in the data folder, or a database that several hosts share.
import { resolve } from 'node:path';
import { FileLeases, type Leases, LeasesUnavailableError } from '../../platform/leases/leases.ts';
import { PgLeases, type PgLeasesOptions } from '../../platform/leases/pg-leases.ts';
import { SettingsError } from '../../platform/settings/settings-error.ts';
import type { Config } from '../config.ts';
import type { SourceLeases } from '../sources/live/fetch/fetcher.ts';

export type LeaseEffects = Omit<PgLeasesOptions, 'url'>;

/** @throws SettingsError; DatabaseRefusedError, LeasesUnavailableError when the database cannot be used. */
export async function openLeases(
  { settings, paths }: Pick<Config, 'settings' | 'paths'>,
  effects: LeaseEffects,
): Promise<Leases> {
  const { lease_store: url, data_dir, work_dir, data_store, snapshot_store } = settings;
  if (url === '') return new FileLeases(() => paths.lead);
  if (data_store !== '' && snapshot_store === '')
    throw new SettingsError([
      {
        where: 'snapshot_store',
        given: '""',
        expected: 's3://bucket/prefix, because hosts that take turns share DATA_STORE',
        closest: null,
      },
    ]);
  if (data_store === '' && resolve(work_dir) === resolve(data_dir))
    throw new SettingsError([
      {
        where: 'work_dir',
        given: JSON.stringify(work_dir),
        expected:
          'a folder of this host alone, on a local disk, because LEASE_STORE is set and hosts share DATA_DIR',
        closest: null,
      },
    ]);
  return PgLeases.open({ ...effects, url });
}

/** Leases by which pollers on several hosts take turns at each source. */
export function sourceLeases(leases: Leases, warn: (message: string) => void): SourceLeases {
  let isWarned = false;
  return {
    async take(source) {
      try {
        const lease = await leases.take(`source ${source}`);
        isWarned = false;
        return lease;
      } catch (error) {
        if (!(error instanceof LeasesUnavailableError)) throw error;
        if (!isWarned) warn(`${error.message} No source is read until it is available.`);
        isWarned = true;
        return null;
      }
    },
  };
}
