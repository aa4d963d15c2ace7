// The batch program: ticks, checks of deliveries, the engine.
import { PATH, settingGroup } from './setting-spec.ts';

const CRON = { pattern: '\\S+( +\\S+){4,5}', expected: 'five cron fields, for example `*/5 * * * *`' };

const MEMORY = {
  pattern: '[0-9]+(\\.[0-9]+)? ?([KMGT]i?B|[kmgt]b)',
  expected: 'an amount of memory, for example `2GB`',
};

export const JOBS = settingGroup('The jobs', [
  {
    name: 'tick_cron',
    kind: 'string',
    form: CRON,
    default: '*/5 * * * *',
    help: 'When `schedule` runs, in cron syntax, UTC',
  },
  {
    name: 'tick_seconds',
    kind: 'integer',
    min: 1,
    max: 86_400,
    default: '300',
    help: 'Seconds between two ticks; no dataset states a shorter update cadence',
  },
  {
    name: 'catch_up_cap',
    kind: 'integer',
    min: 1,
    max: 10_000,
    default: '12',
    help: 'Maximum number of missed intervals to catch up one by one; older ones run as one',
  },
  {
    name: 'quarantine_limit_pct',
    kind: 'number',
    min: 0,
    max: 100,
    default: '1',
    help: 'Percentage of bad rows in a batch above which the affected data is not published',
  },
  {
    name: 'gzip_max_mb',
    kind: 'integer',
    min: 1,
    max: 16_777_216,
    default: '16384',
    help: 'Maximum unpacked size of a gzipped source file, MiB',
  },
  {
    name: 'gzip_max_ratio',
    kind: 'integer',
    min: 1,
    max: 1032,
    default: '200',
    help: 'Maximum compression ratio of a gzipped source file larger than 64 MiB unpacked',
  },
  {
    name: 'landing_key_file',
    kind: 'string',
    form: PATH,
    default: '{data_dir}/landing.key',
    help: 'File with the key for hashing personal names; 64 hexadecimal digits, created on first use',
  },
  {
    name: 'duckdb_memory_limit',
    kind: 'string',
    form: MEMORY,
    default: '2GB',
    help: "Memory limit of the jobs' SQL engine",
  },
  {
    name: 'duckdb_threads',
    kind: 'integer',
    min: 0,
    max: 256,
    default: '0',
    help: "Threads of the jobs' SQL engine; 0 uses all cores",
  },
]);
