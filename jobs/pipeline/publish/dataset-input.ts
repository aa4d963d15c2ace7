// One dataset of a new version: its documents and their metadata.

import { isoOf } from '../../../platform/base/time.ts';
import type { DatasetInput } from '../../../snapshots/dataset-intake.ts';
import type { Document } from '../../../snapshots/layout.ts';
import type { VersionReader } from '../../../snapshots/read.ts';
import type { Dataset } from '../../define/dataset.ts';
import { readingOf } from '../../incremental/results.ts';
import type { Receipt } from '../../ingest/receipts/receipt.ts';
import type { PipelineContext } from '../context.ts';
import { type Doubt, doubtsAbout, type Finding, isAbout } from '../gate/audit.ts';
import { judgeBadRows } from '../gate/bad-rows.ts';
import { judgeCompleteness, type MissingInputs } from '../gate/completeness.ts';
import { type DatasetHolds, holdsOn } from '../gate/dataset-holds.ts';
import type { Reach } from '../gate/holds.ts';
import { check, missingInputs, staleInputs } from '../gate/input-checks.ts';
import { type Check, confidenceOf, gateOf } from '../gate/quality.ts';
import { type SilentSubjects, silentSubjects } from '../gate/silent-subjects.ts';
import { judgeReadings, type ReadingVerdict, type SourceReadings } from '../gate/source-readings.ts';
import { type TracedDataset, traced } from '../models/lineage.ts';
import { completeConditions, type JudgedGate, type PublishedDocuments } from './conditions.ts';
import { type DatasetDocuments, partialDayOf, readDocuments, type UnfitRow } from './documents.ts';
import { inputFacts, sourcesOf } from './input-facts.ts';
import { type Publication, statedCadence } from './publication.ts';
import { tableForms } from './table-form.ts';

export interface JudgedDataset {
  readonly input: DatasetInput;
  readonly documents: readonly Document[];
  /** Held back as a whole: the last version's documents stay. */
  readonly isKept: boolean;
  readonly held: readonly HeldSubject[];
  /** Whether a document with this key is about a subject that is held back. */
  readonly isHeldKey: (key: string) => boolean;
  /** Subjects that landed but are not in the dataset, one message each. */
  readonly silent: readonly string[];
}

/** What a dataset does not publish, and why. */
export interface HeldSubject {
  /** Values that identify it, `*` for the whole dataset. */
  readonly subject: string;
  /** Name of the check in the quality gate. */
  readonly check: string;
  readonly reason: string;
}

export interface Evidence {
  readonly publication: Publication;
  readonly reaches: readonly Reach[];
  readonly missing: MissingInputs;
  readonly readings: SourceReadings;
  /** The last published version. */
  readonly before: VersionReader | null;
  /** Gates of the datasets that were judged before this one. */
  readonly gates: readonly JudgedGate[];
  /** The documents of these, without datasets that are held back as a whole. */
  readonly published: ReadonlyMap<string, PublishedDocuments>;
}

export async function judgeDataset(
  context: PipelineContext,
  published: Dataset,
  evidence: Evidence,
): Promise<JudgedDataset> {
  const dataset = traced({ models: context.models.models, domains: context.domains }, published);
  const { now, gathered, findings, refused } = evidence.publication;
  const holds = holdsOn(dataset, evidence.reaches, context.models);
  const badRows = judgeBadRows(dataset, refused, holds);
  const { documents, unfit, partial_day } = await documentsOf(context, dataset, { ...evidence, holds });
  const outcome = outcomeOf(dataset, { holds, unfit, documents });
  const silent = await silentSubjects(context, dataset, { now, held: outcome.held });
  const whole = await judgeCompleteness(context, dataset, { missing: evidence.missing, now });
  const { landed, receipts } = receiptsOf(context, dataset);
  const inputs = inputFacts(context, dataset, { receipts, gathered });
  const reading = judgeReading(context, dataset, { receipts, readings: evidence.readings, now });
  const audits = judgeAudits(context, dataset, { findings, holds });
  const checks = [
    ...outcome.checks,
    badRows.check,
    ...whole.checks,
    check('every landed subject is published', silent.messages, 'warn'),
    missingInputs(inputs),
    ...reading.checks,
    ...audits.checks,
  ];
  const doubts = [...whole.doubts, ...reading.doubts, ...audits.doubts, ...silenceDoubt(silent)];
  const input = {
    id: dataset.id,
    documents: context.caches.documents.write(dataset.id, documents),
    ...tableForms(context, published, documents),
    ...(partial_day && { partial_day }),
    computed_at: isoOf(now),
    update_cadence_seconds: statedCadence(context, dataset.updateCadenceSeconds),
    sources: sourcesOf(landed),
    confidence: confidenceOf({ ...inputs, rows_quarantined: badRows.missing, doubts }),
    quality_gate: gateOf(checks, isoOf(now), context.policy.policy_version, inputs),
  };
  return { input, documents, ...outcome, silent: silent.messages };
}

/**
 * If no subject is left, the gate fails, but the last version's documents do not stay: they would show what is held back. Documents about
 * no subject do stay.
 */
function outcomeOf(
  { subject }: Dataset,
  {
    holds,
    unfit,
    documents,
  }: Pick<DatasetDocuments, 'unfit' | 'documents'> & { readonly holds: DatasetHolds },
): {
  readonly isKept: boolean;
  readonly held: readonly HeldSubject[];
  readonly isHeldKey: (key: string) => boolean;
  readonly checks: readonly Check[];
} {
  const whole = holds.problems.filter(({ kind }) => kind === 'whole');
  const isEmpty = documents.length === 0;
  const held = [
    ...whole.map(({ hold, reason }) => ({ subject: '*', check: hold.check, reason })),
    ...holds.problems.flatMap((one) =>
      one.subject === null ? [] : [{ subject: one.subject, check: one.hold.check, reason: one.reason }],
    ),
    ...unfit.map((one) => ({
      subject: one.subject ?? one.key,
      check: FITTING,
      reason: `${one.key} is held back until its row fits: ${one.problem}`,
    })),
  ];
  const isKept = whole.length > 0 || (isEmpty && unfit.length > 0 && 'none' in subject);
  const isEmptied = isEmpty && !isKept && !('idColumn' in subject) && held.length > 0;
  const emptied = isEmptied ? [check(PUBLISHABLE, ['every subject with rows is held back'])] : [];
  const unfitKeys = new Set('columns' in subject ? unfit.map(({ key }) => key) : []);
  const isHeldKey = (key: string) => unfitKeys.has(key) || holds.isHeldKey(key);
  return { isKept, held, isHeldKey, checks: [fittingRows(unfit, isKept), ...emptied] };
}

function receiptsOf({ ingest }: PipelineContext, { rests_on }: Pick<TracedDataset, 'rests_on'>) {
  const landed = rests_on.map((table) => ingest.receipts(table));
  return { landed, receipts: landed.flat() };
}

/** Whether the inputs are stale, as far as they have been read, and whether they are still being read. */
function judgeReading(
  { policy }: Pick<PipelineContext, 'policy'>,
  dataset: TracedDataset,
  {
    receipts,
    readings,
    now,
  }: { readonly receipts: readonly Receipt[]; readonly readings: SourceReadings; readonly now: number },
): ReadingVerdict {
  const { checks, doubts } = judgeReadings(readings, dataset.rests_on, now);
  const maxAges = policy.quality.source_max_age_s;
  return { checks: [staleInputs(receipts, { now, maxAges, readings: readings.tables }), ...checks], doubts };
}

const silenceDoubt = ({ messages, weight }: SilentSubjects) =>
  messages.slice(0, 1).map((reason) => ({ reason, weight }));

const PUBLISHABLE = 'there is something to publish';
const FITTING = 'rows fit their schema';

const fittingRows = (unfit: readonly UnfitRow[], isKept: boolean) =>
  check(
    FITTING,
    unfit.map(({ key, problem }) => `${key}: ${problem}`),
    isKept ? 'fail' : 'warn',
  );

/** Reuses the documents of the last run while no row of the table has changed, unless rows are left out. */
function readPublished(
  { warehouse, results }: Reading,
  dataset: Dataset,
  { problems, isHeld }: DatasetHolds,
): Promise<DatasetDocuments> {
  if (problems.every(({ kind }) => kind !== 'subject')) return readUnheld({ warehouse, results }, dataset);
  return readDocuments(warehouse, dataset, isHeld);
}

function readUnheld({ warehouse, results }: Reading, dataset: Dataset): Promise<DatasetDocuments> {
  const reading = readingOf(`documents of ${dataset.id}`, [dataset.table]);
  return results.keep(reading, () => readDocuments(warehouse, dataset));
}

type Reading = Pick<PipelineContext, 'warehouse' | 'results'>;

/** Rows of a held-back subject are left out of every document. */
async function documentsOf(
  context: PipelineContext,
  dataset: Dataset,
  {
    holds,
    before,
    publication,
    gates,
    published,
  }: Pick<Evidence, 'publication' | 'before' | 'gates' | 'published'> & { readonly holds: DatasetHolds },
) {
  const read = await readPublished(context, dataset, holds);
  const facts = { publication, before, gates, published };
  const documents = dataset.hasConditions
    ? await completeConditions(context, read.documents, facts)
    : read.documents;
  return { ...read, documents, partial_day: partialDayOf(read.newestDays, publication.now) };
}

// The checks of a dataset's gate that audits make, and the doubts that they raise: a warning lists its reasons; a failure lists what it holds back.

function judgeAudits(
  { models }: Pick<PipelineContext, 'models'>,
  dataset: TracedDataset,
  { findings, holds }: { readonly findings: readonly Finding[]; readonly holds: DatasetHolds },
): { readonly checks: readonly Check[]; readonly doubts: readonly Doubt[] } {
  const checks = models.audits
    .filter((audit) => isAbout(audit, dataset.lineage))
    .map(({ name, about, verdict }) => {
      if (verdict === 'warn') {
        const rows = findings.filter(({ audit }) => audit === name).flatMap((finding) => finding.rows);
        return check(
          about,
          rows.map((row) => String(row['reason'])),
          'warn',
        );
      }
      const found = holds.problems.filter(({ hold }) => hold.check === about);
      const isWhole = found.some(({ kind }) => kind === 'whole');
      return check(about, [...new Set(found.map(({ reason }) => reason))], isWhole ? 'fail' : 'warn');
    });
  return { checks, doubts: doubtsAbout(findings, dataset.lineage) };
}
