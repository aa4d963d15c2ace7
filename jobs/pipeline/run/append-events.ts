// Appends what the detectors find, except events about what is held back, which wait until it is released.
import { traceIdOf } from '../../../platform/base/ulid.ts';
import type { OpenSpan, SpanRef } from '../../../platform/tracing/tracer.ts';
import type { AppendedEvent, EventLog } from '../../../snapshots/events.ts';
import type { Manifest } from '../../../snapshots/layout.ts';
import type { Interval } from '../../define/source.ts';
import type { ResultSource } from '../../incremental/results.ts';
import type { SupersedingReceipt } from '../../ingest/receipts/receipt.ts';
import type { PipelineContext } from '../context.ts';
import { detectInWindow } from '../events/detection.ts';
import { type Candidate, detectionWindow } from '../events/emit.ts';
import {
  divide,
  noteWithheld,
  readWithheld,
  type WithheldNote,
  type Withholding,
  withholdingOf,
} from '../events/withholding.ts';
import { runStandingAudits } from '../gate/audit.ts';
import type { RefusedRows } from '../gate/bad-rows.ts';
import { holdsOfAudits, reachesOf } from '../gate/holds.ts';
import { auditsOfEvents, modelsOfEvents } from '../models/lineage.ts';
import { reclassifiedEvents } from '../undo/reclassified-events.ts';
import { openSupersessions, settlingEvents } from '../undo/superseded-events.ts';
import { noteAppended } from './event-spans.ts';
import type { ModelWindow } from './plan.ts';
import type { Progress } from './progress.ts';

export interface DetectionOptions {
  readonly interval: Interval;
  /** Detects events in the interval only, also in earlier time that late rows have changed, or not at all. */
  readonly detect: 'interval' | 'late_rows' | 'nothing';
}

export interface Detection {
  readonly options: DetectionOptions;
  readonly progress: Progress;
  /** The window for which models were computed. */
  readonly window: ModelWindow;
  readonly refused: RefusedRows;
  readonly previous: Manifest | null;
}

export interface AppendResult {
  readonly events: number;
  /** The spans of the events, if they are recorded. */
  readonly spans: readonly SpanRef[];
  readonly withheld: readonly WithheldNote[];
  /** Supersessions whose events are corrected by now. */
  readonly settled: readonly SupersedingReceipt[];
}

/** Appends the events that the log does not have. The log's clock is logical time: the end of the interval. */
export async function appendEvents(
  context: PipelineContext & { readonly stage: OpenSpan },
  log: EventLog,
  detection: Detection,
): Promise<AppendResult> {
  const { options, previous } = detection;
  const startMs = context.nowMs();
  const noted = await readWithheld(context.warehouse, previous?.withheld_events);
  if (options.detect === 'nothing') return { events: 0, spans: [], withheld: noted, settled: [] };
  const withholding = await withholdingNow(context, detection);
  const candidates = await candidatesOf(context, detection, noted);
  const logged = await loggedOf(log, candidates);
  const { free, withheld } = divide(candidates, withholding, logged);
  const open = options.detect === 'late_rows' ? openSupersessions(context) : [];
  const settling = await settlingEvents(context, { log, open, found: free, now: detection.window.now });
  const { to: now } = options.interval;
  const reclassified = await reclassifiedEvents(context, { log, found: free, logged, now });
  const appended = await log.append([...settling, ...reclassified, ...free], now * 1000);
  if (noted.length > 0 || withheld.length > 0) await noteWithheld(context.warehouse, withheld);
  report(context, appended);
  const spans = noteAppended(context, appended, { startMs, run: context.stage.ref });
  return { events: appended.length, spans, withheld, settled: open };
}

/** More than a tick appends come from a first run or a backfill. */
const MAX_OF_A_TICK = 20;

/** One line for each event, with the id under which its evidence and its deliveries have it. */
function report({ reporter }: PipelineContext, appended: readonly AppendedEvent[]): void {
  if (appended.length === 0) return;
  reporter.step('appended events', { events: appended.length, last: appended.at(-1)?.id ?? null });
  const say = appended.length > MAX_OF_A_TICK ? reporter.debug : reporter.step;
  for (const { id, key } of appended) say('event', { trace_id: traceIdOf(id), event_id: id, key });
}

/** What failing audits and refused rows withhold. The models that event queries read must be computed. */
export async function withholdingNow(
  context: Pick<PipelineContext, 'models' | 'domains' | 'warehouse'> & { readonly results: ResultSource },
  { window, refused }: Pick<Detection, 'window' | 'refused'>,
): Promise<Withholding> {
  const { models, domains, results } = context;
  const findings = await runStandingAudits(context, auditsOfEvents(models), window);
  const holds = [...(await holdsOfAudits(results, findings, domains)), ...refused.holds.values()];
  const tables = new Set(modelsOfEvents(models).read.map(({ name }) => name));
  const reaches = await reachesOf(results, holds, { domains, tables });
  return withholdingOf({ models, detectors: domains.flatMap(({ detectors }) => detectors) }, reaches);
}

/** What the interval has, and before it what was noted as withheld. */
async function candidatesOf(
  context: PipelineContext,
  { options, progress, window: { now } }: Detection,
  noted: readonly WithheldNote[],
): Promise<readonly Candidate[]> {
  const { from, to } = options.interval;
  const isReopened = options.detect === 'late_rows' && progress.dirtyFrom !== null;
  const reach = { from: isReopened ? Math.min(from, (progress.dirtyFrom ?? from) - 1) : from, to };
  const window = detectionWindow(reach, now);
  const candidates = await detectInWindow(context, window);
  const since = Math.min(...noted.map((note) => note.since));
  if (since >= window.start) return candidates;
  const waiting = new Set(noted.map(({ type, subject_id }) => `${type} ${subject_id}`));
  const types = new Set(noted.map(({ type }) => type));
  const earlier = await detectInWindow(context, { ...window, start: since, end: window.start }, types);
  const isWaiting = ({ type, envelope }: Candidate) => waiting.has(`${type} ${envelope['subject_id']}`);
  return [...earlier.filter(isWaiting), ...candidates];
}

/** Natural keys of the log in the time of the candidates. */
async function loggedOf(log: EventLog, candidates: readonly Candidate[]): Promise<ReadonlySet<string>> {
  const times = candidates.map(({ envelope }) => Date.parse(String(envelope['ts'])) / 1000);
  return times.length === 0 ? new Set() : log.keysBetween(Math.min(...times), Math.max(...times));
}
