// The commands of `npm run jobs`.
import { PLANS, type PlanName } from '../../schemas/plans.ts';
import { defineProgram } from './define-program.ts';

const JSON_LINES = { type: 'boolean', description: 'Print one JSON object per line' } as const;
const FROM = { type: 'string', value: 'INSTANT', description: 'Start of the interval, exclusive' } as const;
const TO = { type: 'string', value: 'INSTANT', description: 'End of the interval, inclusive' } as const;
const SUPERSEDING = {
  source: {
    type: 'string',
    value: 'NAME',
    description: 'Source whose rows are taken back',
    isRequired: true,
  },
  from: { type: 'string', value: 'INSTANT', description: 'Only rows of facts at or after this time' },
  to: { type: 'string', value: 'INSTANT', description: 'Only rows of facts before this time' },
  'dry-run': { type: 'boolean', description: 'Print how many rows would change, and change nothing' },
} as const;

export const JOBS = defineProgram({
  name: 'jobs',
  invocation: 'npm run jobs --',
  description:
    'The batch program: lands source data, runs the models, publishes versions and appends events.',
  defaultCommand: null,
  commands: {
    run: {
      description: 'Land, compute, publish and append events up to the present',
      operands: [],
      flags: {
        'as-of': { type: 'string', value: 'INSTANT', description: 'Logical time of the run instead of now' },
      },
      examples: ['npm run jobs -- run', 'npm run jobs -- run --config feeds.json --profile files'],
    },
    schedule: {
      description: 'Catch up, then run on every tick until stopped',
      operands: [],
      flags: {},
      examples: ["npm run jobs -- schedule --tick-cron '*/5 * * * *'"],
    },
    fetch: {
      description: 'Fetch from public sources what is due and keep it for the next run',
      operands: [],
      flags: {
        watch: { type: 'boolean', description: 'Keep fetching until stopped' },
        source: { type: 'string', value: 'NAME', description: 'Only this source', isRepeatable: true },
        from: { ...FROM, description: 'Start of a past range to read' },
        to: { ...TO, description: 'End of that range; defaults to now' },
      },
      examples: [
        'npm run jobs -- fetch --profile live',
        'npm run jobs -- fetch --profile live --source snapshot-votes --from 2026-01-01 --to 2026-02-01',
      ],
    },
    'sources list': {
      description: 'Print every fetched source with its state, and what a disabled source needs',
      operands: [],
      flags: { json: JSON_LINES },
      examples: ['npm run jobs -- sources list --profile live'],
    },
    'sources check': {
      description:
        'Read a source once and print its rows, refused rows and schema changes, without landing anything',
      operands: [{ name: 'NAME', description: 'Source to read', isRequired: true }],
      flags: { json: { type: 'boolean', description: 'Print one JSON object' } },
      examples: ['npm run jobs -- sources check defillama-pools --profile live'],
    },
    backfill: {
      description: 'Walk logical time step by step and append the events that would have been detected then',
      operands: [],
      flags: {
        from: { ...FROM, isRequired: true },
        to: { ...TO, isRequired: true },
        step: { type: 'string', value: 'DURATION', description: 'Length of a step', default: '1d' },
      },
      examples: ['npm run jobs -- backfill --from 2026-01-01 --to 2026-02-01 --step 1h'],
    },
    backtest: {
      description: 'Compare the analytics models with what actually happened, and publish the result',
      operands: [],
      flags: {},
      examples: ['npm run jobs -- backtest'],
    },
    rebuild: {
      description: 'Delete the warehouse and recompute it from landing',
      operands: [],
      flags: {},
      examples: ['npm run jobs -- rebuild'],
    },
    reland: {
      description:
        'Land a source again with its current mapping, in the place of the rows that it has landed, and correct the events that rest on them',
      operands: [],
      flags: SUPERSEDING,
      examples: [
        'npm run jobs -- reland --source my-rounds --dry-run --config my.json --data-dir var/mine',
        'npm run jobs -- reland --source my-rounds --config my.json --data-dir var/mine',
      ],
    },
    drop: {
      description: 'Leave out the rows that a source has landed, and correct the events that rest on them',
      operands: [],
      flags: SUPERSEDING,
      examples: ['npm run jobs -- drop --source my-rounds --from 2026-01-01 --to 2026-02-01'],
    },
    retract: {
      description: 'Withdraw what was published after a version; the event log is kept',
      operands: [],
      flags: {
        to: {
          type: 'string',
          value: 'VERSION',
          description:
            'Version to return to, or an INSTANT, which selects the newest version at or before it',
          isRequired: true,
        },
      },
      examples: ['npm run jobs -- retract --to 2026-01-31T09:00:00Z'],
    },
    copy: {
      description: 'Copy landing, recordings, the ledger and published versions from folders to buckets',
      operands: [],
      flags: {
        'to-data': {
          type: 'string',
          value: 'ADDRESS',
          description:
            'Bucket for `DATA_STORE`, as s3://bucket/prefix; it must be empty or hold an interrupted copy',
          isRequired: true,
        },
        'to-snapshots': {
          type: 'string',
          value: 'ADDRESS',
          description: 'Bucket for `SNAPSHOT_STORE`, under the same conditions',
          isRequired: true,
        },
      },
      examples: ['npm run jobs -- copy --to-data s3://risk/landing --to-snapshots s3://risk/production'],
    },
    status: {
      description: 'Print the last runs, what is published and how fresh it is',
      operands: [],
      flags: { json: { type: 'boolean', description: 'Print one JSON object' } },
      examples: ['npm run jobs -- status', 'npm run jobs -- status --json'],
    },
    tables: {
      description:
        'List the raw tables that sources deliver to, or the fields of one, with an example mapping',
      operands: [{ name: 'NAME', description: 'Raw table to describe', isRequired: false }],
      flags: { json: { type: 'boolean', description: 'Print one JSON document' } },
      examples: ['npm run jobs -- tables', 'npm run jobs -- tables feed_round'],
    },
    'quarantine list': {
      description: 'Print refused rows with the reason and their position in the source',
      operands: [],
      flags: { json: JSON_LINES },
      examples: ['npm run jobs -- quarantine list --json'],
    },
    'quarantine redrive': {
      description: 'Check refused rows again with the current mappings and land those that pass',
      operands: [],
      flags: { batch: { type: 'string', value: 'ID', description: 'Only rows of this batch' } },
      examples: ['npm run jobs -- quarantine redrive'],
    },
    'lost+found list': {
      description: 'List landing files that were set aside because no receipt names them',
      operands: [],
      flags: { json: JSON_LINES },
      examples: ['npm run jobs -- lost+found list'],
    },
    'lost+found adopt': {
      description: 'Return files that were set aside to landing, with their receipts or new ones',
      operands: [],
      flags: {},
      examples: ['npm run jobs -- lost+found adopt'],
    },
    verify: {
      description: 'Check every published, landed and quarantined file against its hash',
      operands: [],
      flags: {},
      examples: ['npm run jobs -- verify'],
    },
    diff: {
      description: 'Print what changed between two versions, by default the last two',
      operands: [
        {
          name: 'FROM',
          description: 'Older version; defaults to the second newest',
          isRequired: false,
        },
        { name: 'TO', description: 'Newer version; defaults to the newest', isRequired: false },
      ],
      flags: {},
      examples: ['npm run jobs -- diff'],
    },
    detect: {
      description: 'Print the events that another policy would have fired; changes nothing',
      operands: [],
      flags: {
        type: { type: 'string', value: 'TYPE', description: 'Event type', isRequired: true },
        from: { ...FROM, isRequired: true },
        to: { ...TO, isRequired: true },
        set: {
          type: 'string',
          value: 'NAME=VALUE',
          description: 'Policy value to change; `threshold` stands for the threshold of the type',
          isRepeatable: true,
        },
        json: JSON_LINES,
      },
      examples: [
        'npm run jobs -- detect --type risk.anomaly --from 2026-01-01 --to 2026-02-01 --set anomaly.tvl_change=0.2',
      ],
    },
    'what-if': {
      description: 'Serve the events that simulated hours would fire, on a socket in the data folder',
      operands: [],
      flags: {},
      examples: ['npm run jobs -- what-if'],
    },
    events: {
      description: 'Print the event log or part of it',
      operands: [],
      flags: {
        type: { type: 'string', value: 'TYPE', description: 'Only events of this type' },
        subject: { type: 'string', value: 'ID', description: 'Only events of this subject' },
        from: { type: 'string', value: 'INSTANT', description: 'Only events at or after this time' },
        to: { type: 'string', value: 'INSTANT', description: 'Only events before this time' },
        json: { type: 'boolean', description: 'Print the envelopes as NDJSON' },
      },
      examples: ['npm run jobs -- events --type peg.depeg.start --from 2026-01-01 --json'],
    },
    export: {
      description: 'Write the newest version as files that any web server can serve',
      operands: [],
      flags: {
        out: { type: 'string', value: 'DIR', description: 'Folder to write to', isRequired: true },
        plan: {
          type: 'string',
          choices: Object.keys(PLANS) as PlanName[],
          description: 'Also export what this plan may read; by default only public data',
        },
      },
      examples: ['npm run jobs -- export --out mirror'],
    },
  },
  notes: [
    'INSTANT is 2026-01-31T09:00:00Z, 2026-01-31 or Unix seconds. DURATION is 30s, 5m, 1h or 1d.',
    'Exit codes: 0 done, 1 failed, 2 wrong command or configuration, 3 skipped (another instance is running), 4 partly done.',
  ],
});
