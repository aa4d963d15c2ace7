// Where models are computed: in this process, or on Trino.
import { ADDRESS, BUCKET, DATABASE, settingGroup } from './setting-spec.ts';

export const WAREHOUSE = settingGroup('The warehouse', [
  {
    name: 'warehouse',
    kind: ['duckdb', 'trino'],
    default: 'duckdb',
    help: 'Where models are computed: `duckdb` in a file of `WORK_DIR`, `trino` on Trino over Iceberg tables',
  },
  {
    name: 'placement',
    kind: 'string',
    form: {
      pattern: '( *[a-z0-9-]+ *[:=] *(duckdb|trino) *(,(?= *[a-z])|$))*',
      expected:
        'families with `duckdb` or `trino`, for example `oracles: trino, network-a: trino`, or nothing',
    },
    default: '',
    help: 'Families that are computed elsewhere than `WAREHOUSE`: `oracles: trino, network-a: trino`',
  },
  {
    name: 'warehouse_state',
    kind: 'string',
    form: DATABASE,
    default: '',
    help: 'With `trino`: the database of its Iceberg catalogue, in which the warehouse also keeps its own state; the password comes from `PGPASSWORD` or `PGPASSFILE`',
  },
  {
    name: 'warehouse_store',
    kind: 'string',
    form: BUCKET,
    default: '',
    help: 'With `trino`: where landed rows are uploaded for Trino, as `s3://bucket/prefix`, in the store of `S3_ENDPOINT` and `S3_REGION`; credentials as for `SNAPSHOT_STORE`',
  },
  {
    name: 'trino_url',
    kind: 'string',
    form: ADDRESS,
    default: '',
    help: 'Address of Trino, 476 or newer; plain http only for this machine. A password is `TRINO_PASSWORD` in the environment',
  },
  {
    name: 'trino_user',
    kind: 'string',
    form: { pattern: '\\S+', expected: 'the name of a user' },
    default: 'risk',
    help: 'User of Trino',
  },
  {
    name: 'trino_catalog',
    kind: 'string',
    form: { pattern: '[a-z][a-z0-9_]*', expected: 'the name of a catalogue: lower case, digits and `_`' },
    default: 'lake',
    help: 'Catalogue of Trino that holds the tables of this installation and nothing else',
  },
  {
    name: 'trino_at_once',
    kind: 'integer',
    min: 1,
    max: 64,
    default: '4',
    help: 'Number of models that Trino computes, and of queries that it runs, at the same time',
  },
]);
