// The live program: access, calculations, pages for operators, webhooks.
import { ADDRESS, PATH, settingGroup } from './setting-spec.ts';

const DAY = {
  pattern: '([0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])|never)?',
  expected: 'a day such as 2026-01-31, `never`, or nothing',
};

const ORIGINS = {
  pattern: '\\*|https?://[^\\s/,]+( *, *https?://[^\\s/,]+)*',
  expected: '`*`, or origins such as `https://app.example`',
};

export const SERVER = settingGroup('The server', [
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
    help: "Origins, separated by commas, whose pages may open the stream, in addition to the service's own, and call tools under `/mcp`; `*` for all, except that only local pages may call tools of a server on a local address",
  },
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
  {
    name: 'analytics_workers',
    kind: 'integer',
    min: 0,
    max: 256,
    default: '0',
    help: 'Threads for calculations on demand, about 64 MiB each; 0 means one for each core',
  },
  {
    name: 'simulator_events',
    kind: 'boolean',
    default: 'true',
    help: 'Simulations list the events that would fire, and are refused while `jobs -- what-if` does not run; false: they list none',
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
    help: "Public address of the service, for the documentation in error bodies and the links of alerts; empty for the server's own",
  },
  {
    name: 'mirror_url',
    kind: 'string',
    form: ADDRESS,
    default: '',
    help: 'Public address of the static mirror; with it, `jobs -- export` also writes `catalog.duckdb`, in which analytics engines find every dataset, and the files of several versions',
  },
  {
    name: 'mirror_versions',
    kind: 'integer',
    min: 2,
    max: 1_000,
    default: '10',
    help: 'Exported versions whose files the static mirror keeps; older ones can no longer be read by name',
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
]);
