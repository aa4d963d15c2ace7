// Every setting once: name, type, default and meaning. Both programs, the start command, `.env.example` and the table of
// docs/configuration.md are built from this list. A setting is `DATA_DIR` in the environment, `data_dir` in the configuration file and `--data-dir` as a flag.

import type { DeprecationHeader } from './deprecations.ts';
import { HOST_SETTINGS } from './host-settings.ts';
import { RETENTION_SETTINGS } from './retention-settings.ts';
import { ADDRESS, PATH } from './setting-forms.ts';
import type { SpecOf } from './setting-spec.ts';
import { STORE_SETTINGS } from './store-settings.ts';
import { WAREHOUSE_SETTINGS } from './warehouse-settings.ts';

export interface Settings {
  readonly data_dir: string;
  readonly snapshot_dir: string;
  readonly snapshot_store: string;
  readonly data_store: string;
  readonly s3_endpoint: string;
  readonly s3_region: string;
  readonly installation: string;
  readonly snapshot_cache_mb: number;
  readonly host: string;
  readonly port: number;
  readonly profile: 'demo' | 'files' | 'live';
  readonly log_level: 'silent' | 'error' | 'warn' | 'info' | 'debug';
  readonly tick_cron: string;
  readonly tick_seconds: number;
  readonly catch_up_cap: number;
  readonly quarantine_limit_pct: number;
  readonly gzip_max_mb: number;
  readonly gzip_max_ratio: number;
  readonly landing_key_file: string;
  readonly work_dir: string;
  readonly lease_store: string;
  readonly ops_store: string;
  readonly seal_key_file: string;
  readonly snapshot_keep_hours: number;
  readonly snapshot_keep_days: number;
  readonly recordings_keep_days: number;
  readonly recordings_max_mb: number;
  readonly warehouse: 'duckdb' | 'trino';
  readonly placement: string;
  readonly warehouse_state: string;
  readonly warehouse_store: string;
  readonly trino_url: string;
  readonly trino_user: string;
  readonly trino_catalog: string;
  readonly trino_at_once: number;
  readonly duckdb_memory_limit: string;
  readonly duckdb_threads: number;
  readonly demo_seed: number;
  readonly demo_feeds: number;
  readonly demo_days: number;
  readonly demo_incidents: boolean;
  readonly analytics_workers: number;
  readonly anonymous_plan: 'none' | 'free' | 'analyst' | 'team' | 'enterprise' | 'custom';
  readonly trusted_proxies: string;
  readonly stream_origins: string;
  readonly metrics_host: string;
  readonly metrics_port: number;
  readonly docs_url: string;
  readonly webhooks_allow_loopback: boolean;
  readonly deprecation_header: DeprecationHeader;
  readonly webhook_legacy_signature_from: string;
}

export type SettingSpec = SpecOf<keyof Settings>;

const CRON = { pattern: '\\S+( +\\S+){4,5}', words: 'five cron fields, for example `*/5 * * * *`' };
const DAY = {
  pattern: '([0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])|never)?',
  words: 'a day such as 2026-01-31, `never`, or nothing',
};
const ORIGINS = {
  pattern: '\\*|https?://[^\\s/,]+( *, *https?://[^\\s/,]+)*',
  words: '`*`, or origins such as `https://app.example`',
};

export const SETTINGS: readonly SettingSpec[] = [
  {
    name: 'data_dir',
    kind: 'string',
    form: PATH,
    default: 'var',
    help: 'Folder for everything produced at run time',
  },
  {
    name: 'snapshot_dir',
    kind: 'string',
    form: PATH,
    default: '{data_dir}/snapshots',
    help: 'Folder of published versions; a server can follow one that another machine writes',
  },
  ...STORE_SETTINGS,
  {
    name: 'host',
    kind: 'string',
    form: { pattern: '\\S+', words: 'an address or a host name' },
    default: '127.0.0.1',
    help: 'Address the server listens on',
  },
  {
    name: 'port',
    kind: 'integer',
    min: 0,
    max: 65535,
    default: '8080',
    help: 'Port the server listens on; 0 picks a free one',
  },
  {
    name: 'profile',
    kind: ['demo', 'files', 'live'],
    default: 'demo',
    help: 'Where data comes from: `demo` generates a world, `files` reads the sources of the configuration file, `live` also fetches public sources',
  },
  {
    name: 'log_level',
    kind: ['silent', 'error', 'warn', 'info', 'debug'],
    default: 'info',
    help: 'Minimum log level',
  },
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
    help: 'Percentage of bad rows in a batch above which what they affect is not published',
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
  ...HOST_SETTINGS,
  {
    name: 'ops_store',
    kind: 'string',
    form: PATH,
    default: '{data_dir}/ops/ops.sqlite',
    help: 'Ops store: keys, audit log, subscriptions, deliveries; a file on a local disk, or postgres://user@host/database',
  },
  {
    name: 'seal_key_file',
    kind: 'string',
    form: PATH,
    default: '{data_dir}/ops/seal.key',
    help: 'File with the key that encrypts secrets in the ops store; 64 hexadecimal digits, created on first use',
  },
  ...RETENTION_SETTINGS,
  ...WAREHOUSE_SETTINGS,
  {
    name: 'demo_seed',
    kind: 'integer',
    min: 0,
    max: 4_294_967_295,
    default: '1',
    help: 'Seed of the demo world',
  },
  {
    name: 'demo_feeds',
    kind: 'integer',
    min: 40,
    max: 100_000,
    default: '40',
    help: 'Feeds in the demo world',
  },
  {
    name: 'demo_days',
    kind: 'integer',
    min: 1,
    max: 3_650,
    default: '30',
    help: 'Days of history in the demo world',
  },
  {
    name: 'demo_incidents',
    kind: 'boolean',
    default: 'true',
    help: 'Add scripted incidents to the demo world',
  },
  {
    name: 'analytics_workers',
    kind: 'integer',
    min: 0,
    max: 256,
    default: '0',
    help: 'Threads for calculations on demand, about 64 MiB each; 0 means one for each core',
  },
  {
    name: 'anonymous_plan',
    kind: ['none', 'free', 'analyst', 'team', 'enterprise', 'custom'],
    default: 'none',
    help: 'Plan of callers without a key; with `none` they have access to open endpoints only',
  },
  {
    name: 'trusted_proxies',
    kind: 'string',
    default: '',
    help: 'Addresses or CIDR ranges, separated by commas, of proxies whose X-Forwarded-For is trusted',
  },
  {
    name: 'stream_origins',
    kind: 'string',
    form: ORIGINS,
    default: '*',
    help: "Origins, separated by commas, whose pages may open the stream in addition to the service's own; `*` for all",
  },
  { name: 'metrics_host', kind: 'string', default: '127.0.0.1', help: 'Address that serves /metrics' },
  {
    name: 'metrics_port',
    kind: 'integer',
    min: 0,
    max: 65_535,
    default: '9464',
    help: 'Port that serves /metrics; 0 disables it',
  },
  {
    name: 'docs_url',
    kind: 'string',
    form: ADDRESS,
    default: '',
    help: "Address of the documentation in error bodies; empty for the server's own",
  },
  {
    name: 'deprecation_header',
    kind: ['true', 'timestamp'],
    default: 'true',
    help: 'Form of the Deprecation header: `true`, or as in RFC 9745 `@` and Unix seconds',
  },
  {
    name: 'webhooks_allow_loopback',
    kind: 'boolean',
    default: 'false',
    help: 'Allow webhooks to this machine, also over http; for development',
  },
  {
    name: 'webhook_legacy_signature_from',
    kind: 'string',
    form: DAY,
    default: '',
    help: 'Day on which the end of the deprecated X-Service-Signature was announced; deliveries carry it for 60 more days. Empty: no end announced; `never`: not sent',
  },
];
