// `status`: the last runs, what is published and how old it is, and damage. Needs no lock, so it works while a scheduler runs.
import { counted } from '../../platform/base/plural.ts';
import { isUnsourced } from '../../schemas/provenance.ts';
import type { ServiceVerdict } from '../../schemas/service-status.ts';
import type { Disk } from '../../platform/storage/disk.ts';
import { openLastGood } from '../../snapshots/last-good.ts';
import { type DatasetEntry, datasetsAsOf, type Manifest } from '../../snapshots/layout.ts';
import { DamagedFileError } from '../../platform/storage/errors.ts';
import type { ObjectStore } from '../../platform/storage/object-store.ts';
import type { VersionReader } from '../../snapshots/read.ts';
import { CONDITIONS, severitiesOf } from '../../snapshots/verdict-headline.ts';
import { type Finding, verifyManifests } from '../../snapshots/verify.ts';
import { serviceVerdict } from '../../snapshots/verdict.ts';
import { landingFindings } from '../ingest/receipts/verify.ts';
import type { SourceState } from '../sources/live/fetch/source-state.ts';
import { readLedger } from '../pipeline/run/ledger.ts';
import type { LedgerEntry } from '../pipeline/run/ledger-line.ts';
import { readStanding } from '../pipeline/run/standing.ts';
import { fetchingSilentSince, stateLines } from './sources.ts';

export interface StatusInput {
  readonly entries: readonly LedgerEntry[];
  readonly manifest: Manifest | null;
  readonly faults: readonly string[];
  readonly nowMs: number;
  readonly sources?: readonly SourceState[];
  readonly homes?: Status['homes'];
  /** Of the published conditions; null or absent if they cannot be read. */
  readonly severities?: readonly unknown[] | null;
}

const SHOWN_RUNS = 10;

export interface Status {
  /** The same verdict as `/v1/status`, for the newest version that can be read. */
  readonly service: ServiceVerdict;
  /** Messages about damage, contradictions and anything else that prevents the next run. */
  readonly faults: readonly string[];
  readonly version: string | null;
  readonly as_of: string | null;
  readonly age_seconds: number | null;
  readonly events: number;
  /** Engines that computed the version: `duckdb 1.5.5, trino 476`. */
  readonly engine: string | null;
  /** Engine of each family that `PLACEMENT` computes on a named engine. */
  readonly homes: { readonly [family: string]: string };
  readonly datasets: readonly {
    readonly id: string;
    readonly documents: number;
    readonly gate: string;
    readonly confidence: string;
    /** Whether the dataset has a source or depends only on configuration. */
    readonly is_configured: boolean;
    /** Details of the checks that did not pass. */
    readonly reasons: readonly string[];
  }[];
  /** Fetched sources; empty if none is configured. */
  readonly sources: readonly SourceState[];
  /** Newest last; a run that has not ended is shown as `started`. */
  readonly runs: readonly LedgerEntry[];
}

export interface StatusContext {
  readonly disk: Disk;
  readonly dataDir: string;
  readonly snapshots: ObjectStore;
  /** File of the ledger. */
  readonly ledger: string;
  readonly nowMs: number;
  readonly sources?: readonly SourceState[];
  readonly homes?: Status['homes'];
}

/** Reads manifests and the open conditions; of other files it checks only presence and length. `verify` reads them completely. */
export async function readStatus(context: StatusContext): Promise<Status> {
  const { disk, dataDir, snapshots, ledger, nowMs } = context;
  const { entries, faults } = readLedger(ledger);
  const { reader, damage } = await openLastGood(snapshots);
  const { history, problems } = await readStanding({ snapshots, entries, nowMs });
  const found = [...damage, ...history.damage, ...problems].map(({ message }) => message);
  const landed = await landingFindings({ disk, dir: dataDir });
  const published = await versionFindings(snapshots, found);
  const all = [...new Set([...found, ...faults, ...published, ...landed.map(describe)])];
  const { sources = [], homes = {} } = context;
  const manifest = reader?.manifest ?? null;
  const severities = reader === null ? null : await openSeverities(reader);
  return statusOf({ entries, manifest, faults: all, nowMs, sources, homes, severities });
}

/** Of the published conditions; null if the version has none, or their file is damaged, which `verify` explains. */
async function openSeverities({ manifest, documents }: VersionReader): Promise<readonly unknown[] | null> {
  if (!Object.hasOwn(manifest.datasets, CONDITIONS)) return null;
  try {
    return severitiesOf(await documents(CONDITIONS));
  } catch (error) {
    if (error instanceof DamagedFileError) return null;
    throw error;
  }
}

const describe = ({ file, problem, advice }: Finding) => `${file}: ${problem} ${advice}`;

/** Versions that are lost or cannot be read, except those that `known` already names. */
async function versionFindings(snapshots: ObjectStore, known: readonly string[]): Promise<readonly string[]> {
  const findings = await verifyManifests(snapshots);
  return findings
    .map((finding) => ({ ...finding, file: snapshots.nameOf(finding.file) }))
    .filter(({ file }) => known.every((message) => !message.includes(file)))
    .map(describe);
}

export function statusOf(input: StatusInput): Status {
  const { entries, manifest, faults, nowMs, sources = [], homes = {}, severities = null } = input;
  const latest = new Map<string, LedgerEntry>();
  for (const entry of entries) latest.set(entry.run, entry);
  const asOf = manifest && datasetsAsOf(manifest);
  const problems = faults.map((message) => ({ code: 'published_files', message }) as const);
  return {
    service: serviceVerdict({
      manifest,
      nowMs,
      silentSince: fetchingSilentSince(sources, nowMs / 1000),
      faults: problems,
      severities,
    }),
    faults,
    version: manifest?.version ?? null,
    as_of: asOf,
    age_seconds: asOf === null ? null : Math.max(0, Math.floor((nowMs - Date.parse(asOf)) / 1000)),
    events: manifest?.events.count ?? 0,
    engine: manifest?.engine_version ?? null,
    homes,
    datasets: Object.entries(manifest?.datasets ?? {})
      .map(datasetStatus)
      .sort((a, b) => Number(b.is_configured) - Number(a.is_configured)),
    sources,
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
    is_configured: !isUnsourced(entry),
    reasons: open.map(({ name, verdict, detail }) => `${verdict}: ${name}: ${detail ?? 'no detail'}`),
  };
}

type CommandFor = (operands: string) => string;

const nothingOf = ({ faults }: Status, commandFor: CommandFor): string =>
  faults.length === 0
    ? `Nothing is published yet: ${commandFor('run')}`
    : 'No published version can be read.';

/** The status as text, one fact per line. `commandFor`: a command as it is typed for this folder. */
export function statusLines(status: Status, commandFor: CommandFor): readonly string[] {
  const published =
    status.version === null
      ? nothingOf(status, commandFor)
      : `Version ${status.version}, data as of ${status.as_of} (${status.age_seconds} s ago), ${counted(status.events, 'event')} in the log, computed on ${status.engine}`;
  return [
    published,
    ...verdictLines(status.service),
    ...homesLines(status),
    ...status.faults.map((fault) => `! ${fault}`),
    ...datasetLines(status.datasets),
    ...(status.sources.length === 0 ? [] : ['Sources:', ...status.sources.flatMap(stateLines)]),
    status.runs.length === 0 ? 'No run yet.' : 'Last runs:',
    ...status.runs.map(runLine),
  ];
}

function homesLines({ homes }: Status): readonly string[] {
  const entries = Object.entries(homes);
  if (entries.length === 0) return [];
  return [`Computed elsewhere: ${entries.map(([family, home]) => `${family} on ${home}`).join(', ')}`];
}

const verdictLines = ({ status, headline, reasons }: ServiceVerdict): readonly string[] => [
  `Service ${status}: ${headline}`,
  ...reasons.filter(({ code }) => code !== 'published_files').map(({ message }) => `  - ${message}`),
];

/** Datasets without a source are named together: there is nothing to say about each. */
function datasetLines(datasets: Status['datasets']): readonly string[] {
  const none = datasets.filter(({ is_configured }) => !is_configured).map(({ id }) => id);
  return [
    ...datasets.filter(({ is_configured }) => is_configured).flatMap(linesOf),
    ...(none.length === 0 ? [] : [`  no source: ${counted(none.length, 'dataset')}: ${none.join(', ')}`]),
  ];
}

const linesOf = ({ id, documents, gate, confidence, reasons }: Status['datasets'][number]) => [
  `  ${id}: ${counted(documents, 'document')}, gate ${gate}, confidence ${confidence}`,
  ...reasons.map((reason) => `      ${reason}`),
];

const iso = (seconds: number) =>
  seconds < 0 ? 'the beginning' : new Date(seconds * 1000).toISOString().replace('.000Z', 'Z');

function runLine(entry: LedgerEntry): string {
  const { job, interval, state, attempt, at, rows, events_appended, reasons = [], repaired = [] } = entry;
  const counts =
    rows === undefined
      ? ''
      : `, rows ${rows.in} in, ${rows.landed} landed, ${rows.quarantined} quarantined, ${rows.deduplicated} repeated`;
  const events = events_appended === undefined ? '' : `, ${counted(events_appended, 'event')}`;
  const said = [...reasons, ...repaired.map((damage) => `repaired: ${damage}`)];
  const why = said.length === 0 ? '' : ` (${said.join('; ')})`;
  const tries = attempt > 1 ? `, attempt ${attempt}` : '';
  return `  ${at} ${job} ${state}${tries}: ${iso(interval.from)} to ${iso(interval.to)}${counts}${events}${why}`;
}
