// How long data that is no longer needed stays on disk.
import { settingGroup } from './setting-spec.ts';

export const RETENTION = settingGroup('Retention', [
  {
    name: 'snapshot_keep_hours',
    kind: 'integer',
    min: 1,
    max: 87_600,
    default: '168',
    help: 'Hours for which every replaced version is kept',
  },
  {
    name: 'snapshot_keep_days',
    kind: 'integer',
    min: 0,
    max: 36_500,
    default: '90',
    help: 'UTC days before today whose last version is kept; 0 keeps no version longer than `SNAPSHOT_KEEP_HOURS`',
  },
  {
    name: 'recordings_keep_days',
    kind: 'integer',
    min: 1,
    max: 36_500,
    default: '30',
    help: 'Days for which a recording of a live source is kept after its rows have landed',
  },
  {
    name: 'recordings_max_mb',
    kind: 'integer',
    min: 1,
    max: 100_000_000,
    default: '10000',
    help: 'Disk space for recordings, megabytes; above it, the oldest recordings that have landed are removed early',
  },
]);
