// `status`: the last runs, and what is published and how old it is. Reads the ledger and the manifest only, so it works while a
// scheduler runs.
import type { DatasetEntry, Manifest } from '../../snapshots/layout.ts';
import type { LedgerEntry } from '../pipeline/ledger.ts';
import { NO_SOURCE } from '../pipeline/quality.ts';

export interface StatusInput {
  readonly entries: readonly LedgerEntry[];
  readonly manifest: Manifest | null;
  readonly nowMs: number;
}

const SHOWN_RUNS = 10;

export interface Status {
  readonly version: string | null;
  readonly as_of: string | null;
  readonly age_seconds: number | null;
  readonly events: number;
  readonly datasets: readonly {
    readonly id: string;
    readonly documents: number;
    readonly gate: string;
    readonly confidence: string;
    /** It rests on a source, or on configuration alone. */
    readonly is_configured: boolean;
    /** What the checks that did not pass say. */
    readonly reasons: readonly string[];
  }[];
  /** Newest last; a run that has begun and not ended shows as `started`. */
  readonly runs: readonly LedgerEntry[];
}

export function statusOf({ entries, manifest, nowMs }: StatusInput): Status {
  const latest = new Map<string, LedgerEntry>();
  for (const entry of entries) latest.set(entry.run, entry);
  return {
    version: manifest?.version ?? null,
    as_of: manifest?.as_of ?? null,
    age_seconds:
      manifest === null ? null : Math.max(0, Math.floor((nowMs - Date.parse(manifest.as_of)) / 1000)),
    events: manifest?.events.count ?? 0,
    datasets: Object.entries(manifest?.datasets ?? {})
      .map(datasetStatus)
      .sort((a, b) => Number(b.is_configured) - Number(a.is_configured)),
    runs: [...latest.values()].slice(-SHOWN_RUNS),
  };
}

function datasetStatus([id, entry]: [string, DatasetEntry]): Status['datasets'][number] {
  const { documents, quality_gate, confidence } = entry;
  const open = quality_gate.checks.filter(({ verdict }) => verdict === 'warn' || verdict === 'fail');
  return {
    id,
    documents,
    gate: quality_gate.verdict,
    confidence: confidence.level,
    is_configured: confidence.inputs_expected > 0 || !confidence.reasons.includes(NO_SOURCE),
    reasons: open.map(({ name, verdict, detail }) => `${verdict}: ${name}: ${detail ?? 'no detail'}`),
  };
}

/** The same for a person: a line a fact. */
export function statusLines(status: Status): readonly string[] {
  const published =
    status.version === null
      ? 'Nothing is published yet: npm run jobs -- run'
      : `Version ${status.version}, data as of ${status.as_of} (${status.age_seconds} s ago), ${status.events} events in the log`;
  return [
    published,
    ...status.datasets.flatMap(datasetLines),
    status.runs.length === 0 ? 'No run yet.' : 'Last runs:',
    ...status.runs.map(runLine),
  ];
}

const datasetLines = ({ id, documents, gate, confidence, reasons }: Status['datasets'][number]) => [
  `  ${id}: ${documents} documents, gate ${gate}, confidence ${confidence}`,
  ...reasons.map((reason) => `      ${reason}`),
];

const iso = (seconds: number) =>
  seconds < 0 ? 'the beginning' : new Date(seconds * 1000).toISOString().replace('.000Z', 'Z');

function runLine({ job, interval, state, attempt, at, rows, events_appended, reasons }: LedgerEntry): string {
  const counts =
    rows === undefined
      ? ''
      : `, rows ${rows.in} in, ${rows.landed} landed, ${rows.quarantined} quarantined, ${rows.deduplicated} repeated`;
  const events = events_appended === undefined ? '' : `, ${events_appended} events`;
  const why = reasons === undefined || reasons.length === 0 ? '' : ` (${reasons.join('; ')})`;
  const tries = attempt > 1 ? `, attempt ${attempt}` : '';
  return `  ${at} ${job} ${state}${tries}: ${iso(interval.from)} to ${iso(interval.to)}${counts}${events}${why}`;
}
