// Buckets: where versions are published, and where job hosts keep what they share, when not in a folder.
import { ADDRESS, BUCKET } from './setting-forms.ts';
import type { SpecOf } from './setting-spec.ts';

type Name =
  | 'snapshot_store'
  | 'data_store'
  | 's3_endpoint'
  | 's3_region'
  | 'installation'
  | 'snapshot_cache_mb';

export const STORE_SETTINGS: readonly SpecOf<Name>[] = [
  {
    name: 'snapshot_store',
    kind: 'string',
    form: BUCKET,
    default: '',
    help: 'Bucket of published versions instead of `SNAPSHOT_DIR`, as `s3://bucket/prefix`; credentials are `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and `AWS_SESSION_TOKEN` of the environment',
  },
  {
    name: 'data_store',
    kind: 'string',
    form: BUCKET,
    default: '',
    help: 'Bucket of landing, quarantine, recordings and the ledger, as `s3://bucket/prefix`; `DATA_DIR` is then the copy of one job host, on a local disk',
  },
  {
    name: 's3_endpoint',
    kind: 'string',
    form: ADDRESS,
    default: '',
    help: 'Address of the object store; empty for AWS; plain http only on this machine',
  },
  {
    name: 's3_region',
    kind: 'string',
    form: { pattern: '[A-Za-z0-9-]+', words: 'the name of a region, for example `eu-central-1`' },
    default: 'us-east-1',
    help: 'Region of the bucket',
  },
  {
    name: 'installation',
    kind: 'string',
    form: { pattern: '[A-Za-z0-9_-]{0,64}', words: 'up to 64 letters, digits, `_` and `-`' },
    default: '',
    help: 'Name of the installation that publishes to a bucket, the same on all its hosts; empty takes the one in the data folder, which is made on first use',
  },
  {
    name: 'snapshot_cache_mb',
    kind: 'integer',
    min: 0,
    max: 10_000_000,
    default: '4096',
    help: 'Room for copies of published files on the disk of a server that follows a bucket, megabytes',
  },
];
