// One run over one interval of logical time: land, absorb, compute what events depend on, append and publish events, compute the rest,
// audit, publish. Every step is repeatable: an interrupted run is started again and completes the rest.

import { oncePer } from '../../../platform/base/once-per.ts';
import { counted } from '../../../platform/base/plural.ts';
import { dayOf, isoOf } from '../../../platform/base/time.ts';
import type { OpenSpan } from '../../../platform/tracing/tracer.ts';
import { type EventLog, openEventLog } from '../../../snapshots/events.ts';
import type { History } from '../../../snapshots/history.ts';
import { datasetsAsOf, type Manifest } from '../../../snapshots/layout.ts';
import { type NewEvents, publishEvents } from '../../../snapshots/write.ts';
import { policyTablesOf } from '../../define/domain.ts';
import type { PipelineContext } from '../context.ts';
import { type WithheldNote, withheldEvents } from '../events/withholding.ts';
import { runStandingAudits } from '../gate/audit.ts';
import { holdsOfRows } from '../gate/bad-rows.ts';
import { bindDeliveryGaps } from '../gate/delivery-gaps.ts';
import { type RefusedBatchRows, stillRefused } from '../gate/still-refused.ts';
import { modelsOfEvents } from '../models/lineage.ts';
import type { Model } from '../models/model.ts';
import { refusedSources } from '../publish/inputs.ts';
import type { RunDeliveries, Publication } from '../publish/publication.ts';
import { type PublishOutcome, publish } from '../publish/publish.ts';
import { noteRestatements } from '../publish/restatements.ts';
import { noteChanged } from '../publish/series/series-state.ts';
import { noteSettled } from '../undo/superseded-events.ts';
import { type AppendResult, appendEvents, type DetectionOptions } from './append-events.ts';
import { aheadError, isAhead, refuseFuture } from './clock.ts';
import { absorbLanded, absorbTable, computeModels } from './compute.ts';
import { notePublished } from './event-spans.ts';
import { gather } from './gather.ts';
import { type ModelWindow, modelWindow } from './plan.ts';
import { basisOf, noteReach, type Progress, readProgress, readReach, settle } from './progress.ts';
import { readStanding, wayBack } from './standing.ts';
import { tidyIfFirst } from './tidy.ts';

export interface RunOptions extends DetectionOptions {
  /** Polls the sources; false computes only from landed rows. */
  readonly gather: boolean;
  /** False for the steps of a backfill, which append events as they go and publish once at the end. */
  readonly publish: boolean;
}

export interface LossCounts {
  readonly sources_failed: number;
  readonly sources_refused: number;
  /** Datasets that are not published, or kept from an earlier version. */
  readonly datasets_held: number;
  /** Subjects that are left out of datasets. */
  readonly subjects_held: number;
}

export interface RunOutcome {
  /** The version published by this run; null when there was nothing to publish. */
  readonly version: string | null;
  readonly events_appended: number;
  readonly gathered: RunDeliveries;
  /** Failed sources, sources whose delivery was refused as a whole, and held-back datasets and subjects. Empty on success. */
  readonly problems: readonly string[];
  /** The problems by kind. */
  readonly lost: LossCounts;
  /** Damage that the publication repaired. */
  readonly repaired: readonly string[];
}

/**
 * @throws when the run cannot continue; completed steps are kept, and the next run continues from there. TimeAheadError and damage to
 * published files are thrown before anything is changed.
 */
export function run(context: PipelineContext, options: RunOptions): Promise<RunOutcome> {
  return context.tracer.trace('run', async (span) => {
    const outcome = await runIn(span, context, options);
    noteRun(span, options, outcome);
    return outcome;
  });
}

async function runIn(span: OpenSpan, context: PipelineContext, options: RunOptions): Promise<RunOutcome> {
  const { head: previous, isPointed } = await checkedHistory(context);
  refuseFuture(options.interval.to, context.nowMs());
  await openLog(context, previous);
  const gathered = await span.stage('landing', () => land(context, options));
  const basis = await basisOf(context.warehouse, policyRows(context));
  const progress = await readProgress(context.warehouse, basis);
  const now = Math.max(options.interval.to, progress.processedTo ?? 0, asOfSeconds(previous));
  const missing = await missingRows(context, gathered, now);
  const due = modelWindow({ to: now, ...progress });
  const parts = modelsOfEvents(context.models);
  if (due !== null) await computeForEvents(span, context, { due, progress, models: parts.read });
  const log = await openLog(context, previous);
  const window = due ?? { start: dayOf(now), end: now + 1, now };
  const refused = holdsOfRows(context, missing);
  const detection = { options, progress, window, refused, previous };
  const appended = await span.stage('events', (stage) => appendEvents({ ...context, stage }, log, detection));
  const withheld = withheldEvents(appended.withheld);
  const isMissed = !progress.isPublished || !isPointed || isBehind(previous, log, now);
  const isDue = options.publish && (due !== null || isMissed);
  // The events' rules must be those that are published: readers find them in the first version that contains an event.
  const areFirst = isDue && appended.events > 0 && progress.isPublished;
  const added = { ...timesAt(context, now), segments: log.segments(), withheld_events: withheld };
  const first = areFirst ? await publishFirst(span, context, { added, appended }) : null;
  if (due !== null) await computeOthers(span, context, { due, progress, models: parts.others });
  const facts = { now, gathered, refused, withheld, previous, segments: log.segments() };
  const result = isDue ? await publishAll(span, context, { window, facts, appended, first }) : null;
  const isPublished = isDue || (due === null && progress.isPublished);
  await settle(context.warehouse, { processedTo: now, basis, isPublished });
  await noteSettled(context, appended.settled);
  return {
    version: result?.published.version ?? null,
    events_appended: appended.events,
    gathered,
    ...lossesOf(context, gathered, { result, withheld: appended.withheld }),
  };
}

interface Computation {
  readonly due: ModelWindow;
  readonly progress: Progress;
  readonly models: readonly Model[];
}

async function computeForEvents(
  span: OpenSpan,
  context: PipelineContext,
  { due, progress, models }: Computation,
): Promise<void> {
  await noteBeforehand(context, due, progress);
  await tidyIfFirst(context, progress);
  await span.stage('models of events', () => computeModels(context, due, models));
}

async function computeOthers(
  span: OpenSpan,
  context: PipelineContext,
  { due, progress, models }: Computation,
): Promise<void> {
  await span.stage('models', () => computeModels(context, due, models));
  await tidyIfFirst(context, progress);
}

/** Publishes new events before their datasets. Null if only the full publication can. */
async function publishFirst(
  span: OpenSpan,
  context: PipelineContext,
  { added, appended }: { readonly added: NewEvents; readonly appended: AppendResult },
): Promise<Manifest | null> {
  const first = await span.stage('publish events', () => publishEvents(context.snapshots, added, context));
  if (first !== null) notePublished(context, appended.spans, first.version);
  return first;
}

interface WholePublication {
  readonly window: ModelWindow;
  readonly facts: Omit<Publication, 'findings'>;
  readonly appended: AppendResult;
  /** The version that already has the events; null if this one is the first. */
  readonly first: Manifest | null;
}

async function publishAll(
  span: OpenSpan,
  context: PipelineContext,
  { window, facts, appended, first }: WholePublication,
): Promise<PublishOutcome> {
  const findings = await span.stage('audits', () =>
    runStandingAudits(context, context.models.audits, window),
  );
  const result = await span.stage('publish', () => publish(context, { ...facts, findings }));
  if (first === null) notePublished(context, appended.spans, result.published.version);
  return result;
}

function noteRun(
  span: OpenSpan,
  { interval }: RunOptions,
  { version, events_appended, problems, gathered }: RunOutcome,
): void {
  span.note({
    'run.from': isoOf(Math.max(0, interval.from)),
    'run.to': isoOf(interval.to),
    'run.version': version ?? 'none',
    'run.events': events_appended,
    'run.deliveries': gathered.receipts.length,
    'run.problems': problems.length,
  });
}

function lossesOf(
  context: PipelineContext,
  gathered: RunDeliveries,
  {
    result,
    withheld,
  }: { readonly result: PublishOutcome | null; readonly withheld: readonly WithheldNote[] },
): Pick<RunOutcome, 'problems' | 'lost' | 'repaired'> {
  const refused = refusedSources(context, gathered);
  const held = result?.held ?? [];
  return {
    problems: [...failuresOf(gathered), ...refused, ...held, ...withheld.map(withheldText)],
    lost: lostOf(gathered, refused, result),
    repaired: result?.published.damage.map(({ message }) => message) ?? [],
  };
}

const lostOf = (
  { failures }: RunDeliveries,
  refused: readonly string[],
  result: PublishOutcome | null,
): LossCounts => ({
  sources_failed: failures.length,
  sources_refused: refused.length,
  datasets_held: result?.counts.datasets ?? 0,
  subjects_held: result?.counts.subjects ?? 0,
});

/** Refused rows that are still missing. From then on models read what was not delivered. */
async function missingRows(
  context: PipelineContext,
  { receipts }: RunDeliveries,
  now: number,
): Promise<readonly RefusedBatchRows[]> {
  const batches = new Set(receipts.map(({ batch }) => batch));
  const missing = await stillRefused(context, { now, batches });
  await bindDeliveryGaps(context, missing);
  return missing;
}

/** Absorbs what has landed, before and while the sources are polled. */
async function land(
  context: PipelineContext,
  { gather: isGathering, interval }: RunOptions,
): Promise<RunDeliveries> {
  const absorbing = { ...context, landing: context.ingest };
  await absorbLanded(absorbing);
  if (!isGathering) return { receipts: [], failures: [] };
  return gather(context, interval, (table) => absorbTable(absorbing, table));
}

/** Notes what later runs must know even if this one does not finish what it computes. */
async function noteBeforehand(
  context: PipelineContext,
  window: ModelWindow,
  progress: Progress,
): Promise<void> {
  await noteReach(context.warehouse, window.now);
  await noteChanged(context.warehouse, changedSince(progress));
  await noteRestatements(context, window, progress);
}

/** The state that the run continues from. @throws the first problem that prevents it. */
export async function checkedHistory(context: PipelineContext): Promise<History> {
  const { snapshots, warehouse, ledger } = context;
  const nowMs = context.nowMs();
  const { history, problems } = await readStanding({ snapshots, entries: ledger.entries, nowMs });
  for (const problem of problems) throw problem;
  const at = await readReach(warehouse);
  if (at === null || !isAhead(at, nowMs)) return history;
  throw aheadError({
    what: 'The warehouse is computed',
    at,
    nowMs,
    wayBack: await wayBack(snapshots, nowMs),
  });
}

const openLog = ({ snapshots, intact, claim }: PipelineContext, head: Manifest | null) =>
  openEventLog(snapshots, head?.events.segments ?? [], { intact, claim });

const withheldText = ({ type, subject_id, count, reason }: WithheldNote) =>
  `withheld: ${counted(count, 'event')} ${type} of ${subject_id}: ${reason}`;

const failuresOf = ({ failures }: RunDeliveries) =>
  failures.map(({ source, problem }) => `${source}: ${problem}`);

/** How far back a late reading of a source may still change points. */
const SETTLING_SECONDS = 7_200;

const changedSince = ({ processedTo, dirtyFrom }: Progress): number =>
  processedTo === null ? 0 : Math.min(processedTo + 1, dirtyFrom ?? processedTo + 1) - SETTLING_SECONDS;

const rowsOfPolicy = oncePer((domains: PipelineContext['domains']) =>
  oncePer((policy: PipelineContext['policy']) =>
    policyTablesOf(domains).map(({ name, rows }) => [name, rows(policy)]),
  ),
);

const policyRows = ({ domains, policy }: PipelineContext) => rowsOfPolicy(domains)(policy);

const asOfSeconds = (manifest: Manifest | null) =>
  manifest === null ? 0 : Date.parse(manifest.as_of) / 1000;

const timesAt = ({ nowMs }: PipelineContext, now: number) => ({
  as_of: isoOf(now),
  generated_at: new Date(nowMs()).toISOString(),
});

const isBehind = (manifest: Manifest | null, log: EventLog, now: number) =>
  manifest === null ||
  Date.parse(datasetsAsOf(manifest)) / 1000 < now ||
  manifest.events.last_event_id !== log.lastEventId();
