// Where several machines keep shared files, and what each machine keeps for itself.
import { ADDRESS, BUCKET, DATABASE, PATH, settingGroup } from './setting-spec.ts';

export const HOSTS = settingGroup('Several machines', [
  {
    name: 'snapshot_dir',
    kind: 'string',
    form: PATH,
    default: '{data_dir}/snapshots',
    help: 'Folder of published versions; a server can follow one that another machine writes',
  },
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
    help: 'Address of the object store; empty for AWS; plain http only for this machine',
  },
  {
    name: 's3_region',
    kind: 'string',
    form: { pattern: '[A-Za-z0-9-]+', expected: 'the name of a region, for example `eu-central-1`' },
    default: 'us-east-1',
    help: 'Region of the bucket',
  },
  {
    name: 'installation',
    kind: 'string',
    form: { pattern: '[A-Za-z0-9_-]{0,64}', expected: 'up to 64 letters, digits, `_` and `-`' },
    default: '',
    help: 'Name of the installation that publishes to a bucket, the same on all its hosts; empty uses the name in the data folder, which is created on first use',
  },
  {
    name: 'snapshot_cache_mb',
    kind: 'integer',
    min: 0,
    max: 10_000_000,
    default: '4096',
    help: 'Disk space for copies of published files on a server that follows a bucket, megabytes',
  },
  {
    name: 'work_dir',
    kind: 'string',
    form: PATH,
    default: '{data_dir}',
    help: 'Folder of a job host for what it can rebuild: the warehouse and temporary files; on a local disk, and separate for each host if several share `DATA_DIR`',
  },
  {
    name: 'lease_store',
    kind: 'string',
    form: DATABASE,
    default: '',
    help: 'Database in which job hosts that share `DATA_DIR` elect their leader: postgres://user@host/database, the database of `OPS_STORE`; empty for one host',
  },
]);
