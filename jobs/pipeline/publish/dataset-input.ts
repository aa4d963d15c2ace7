// One dataset of a new version: its documents and their metadata.

import type { DatasetInput } from '../../../snapshots/dataset-input.ts';
import type { Document } from '../../../snapshots/layout.ts';
import { oncePer } from '../../../snapshots/once-per.ts';
import type { VersionReader } from '../../../snapshots/read.ts';
import type { Dataset } from '../../define/dataset.ts';
import type { Row } from '../../engine/rows.ts';
import type { Receipt } from '../../ingest/receipts/receipt.ts';
import type { PipelineContext } from '../context.ts';
import { doubtsAbout } from '../gate/audit.ts';
import { judgeAudits } from '../gate/audit-checks.ts';
import { type HeldSubject, judgeBadRows } from '../gate/bad-rows.ts';
import { judgeCompleteness, type Missing } from '../gate/completeness.ts';
import { check, missingInputs, staleInputs } from '../gate/input-checks.ts';
import { confidenceOf, gateOf } from '../gate/quality.ts';
import { judgeReadings, type ReadingVerdict, type SourceReadings } from '../gate/source-readings.ts';
import { type SilentSubjects, silentSubjects } from '../gate/silent-subjects.ts';
import type { StillRefused } from '../gate/still-refused.ts';
import { isAt, isDocumentAt } from '../gate/subjects.ts';
import { readingOf } from '../models/kept-results.ts';
import { type TracedDataset, traced } from '../models/lineage.ts';
import { statedCadence } from './cadence.ts';
import { completeConditions, type JudgedGate } from './conditions.ts';
import { type BadRow, type DatasetDocuments, readDocuments, ReadRows } from './documents.ts';
import { inputFacts } from './input-facts.ts';
import { partialDayOf } from './partial-day.ts';
import { isoOf, sourcesOf } from './provenance.ts';
import type { Publication } from './publication.ts';
import { tableForms } from './table-form.ts';

export interface Judged {
  readonly input: DatasetInput;
  /** Subjects whose rows are left out or kept from the last version. */
  readonly held: readonly HeldSubject[];
  /** Subjects that landed but are not in the dataset, one message each. */
  readonly silent: readonly string[];
}

export interface Evidence {
  readonly publication: Publication;
  readonly refused: readonly StillRefused[];
  readonly missing: Missing;
  readonly readings: SourceReadings;
  /** The last published version. */
  readonly before: VersionReader | null;
  /** Gates of the datasets that were judged before this one. */
  readonly gates: readonly JudgedGate[];
}

export async function judgeDataset(
  context: PipelineContext,
  published: Dataset,
  evidence: Evidence,
): Promise<Judged> {
  const dataset = traced({ models: context.models.models, domains: context.domains }, published);
  const { now, gathered, findings } = evidence.publication;
  const badRows = await judgeBadRows(context, dataset, evidence.refused);
  const audits = judgeAudits(context, dataset, findings);
  const held = [...badRows.held, ...audits.held];
  const { documents, bad, partial_day } = await documentsOf(context, dataset, { ...evidence, held });
  const silent = await silentSubjects(context, dataset, { now, held });
  const whole = await judgeCompleteness(context, dataset, { missing: evidence.missing, now });
  const { landed, receipts } = receiptsOf(context, dataset);
  const inputs = inputFacts(context, dataset, { receipts, gathered });
  const reading = judgeReading(context, dataset, { receipts, readings: evidence.readings, now });
  const checks = [
    fittingRows(bad),
    badRows.check,
    ...whole.checks,
    check('every landed subject is published', silent.words, 'warn'),
    missingInputs(inputs),
    ...reading.checks,
    ...audits.checks,
  ];
  const warned = doubtsAbout(findings, dataset.lineage);
  const doubts = [...whole.doubts, ...reading.doubts, ...warned, ...silenceDoubt(silent)];
  const input = {
    id: dataset.id,
    documents: context.keptLines.write(dataset.id, documents),
    ...tableForms(context, published, documents),
    ...(partial_day && { partial_day }),
    computed_at: isoOf(now),
    update_cadence_seconds: statedCadence(context, dataset.updateCadenceSeconds),
    sources: sourcesOf(landed),
    confidence: confidenceOf({ ...inputs, rows_quarantined: badRows.missing, doubts }),
    quality_gate: gateOf(checks, isoOf(now), context.policy.policy_version),
  };
  return { input, held, silent: silent.words };
}

function receiptsOf({ ingest }: PipelineContext, { rests_on }: Pick<TracedDataset, 'rests_on'>) {
  const landed = rests_on.map((table) => ingest.receipts(table));
  return { landed, receipts: landed.flat() };
}

interface Read {
  readonly receipts: readonly Receipt[];
  readonly readings: SourceReadings;
  readonly now: number;
}

/** Whether the inputs are stale, as far as they have been read, and whether they are still being read. */
function judgeReading(
  { policy }: Pick<PipelineContext, 'policy'>,
  dataset: TracedDataset,
  { receipts, readings, now }: Read,
): ReadingVerdict {
  const { checks, doubts } = judgeReadings(readings, dataset.rests_on, now);
  const maxAges = policy.quality.source_max_age_s;
  return { checks: [staleInputs(receipts, { now, maxAges, readings: readings.tables }), ...checks], doubts };
}

const silenceDoubt = ({ words, weight }: SilentSubjects) =>
  words.slice(0, 1).map((reason) => ({ reason, weight }));

const fittingRows = (bad: readonly BadRow[]) =>
  check(
    'rows fit their schema',
    bad.map(({ key, problem }) => `${key}: ${problem}`),
  );

interface Holding extends Pick<Evidence, 'publication' | 'before' | 'gates'> {
  readonly held: readonly HeldSubject[];
}

/** Reuses the documents of the last run while no row of the table has changed, unless rows are left out. */
function readPublished(
  { warehouse, results }: Reading,
  dataset: Dataset,
  held: readonly HeldSubject[],
): Promise<DatasetDocuments> {
  if (held.length === 0) return readUnheld({ warehouse, results }, dataset);
  const isHeld = (row: Row) => held.some(({ place }) => isAt(place, row));
  return readDocuments(warehouse, dataset, { kept: readRows(results), isHeld });
}

function readUnheld({ warehouse, results }: Reading, dataset: Dataset): Promise<DatasetDocuments> {
  const reading = readingOf(`documents of ${dataset.id}`, [dataset.table]);
  return results.keep(reading, () => readDocuments(warehouse, dataset, { kept: readRows(results) }));
}

/** Discarded together with the results of queries. */
const readRows = oncePer((_: PipelineContext['results']) => new ReadRows());

type Reading = Pick<PipelineContext, 'warehouse' | 'results'>;

/** Rows of a held-back subject are left out; a document entirely about it is kept from the last version. */
async function documentsOf(
  context: PipelineContext,
  dataset: Dataset,
  { held, before, publication, gates }: Holding,
) {
  const read = await readPublished(context, dataset, held);
  const entry = before?.manifest.datasets[dataset.id];
  const published =
    before === null || entry === undefined || held.length === 0 ? [] : await before.documents(dataset.id);
  const isHeld = ({ key }: Document) => held.some(({ place }) => isDocumentAt(dataset, place, key));
  const kept = published.filter(isHeld);
  const partial_day = partialDayOf(read.newestDays, publication.now, {
    keys: kept.map(({ key }) => key),
    marked: entry?.partial_day,
  });
  const all = kept.length === 0 ? read.documents : [...read.documents, ...kept];
  const facts = { publication, before, gates };
  const documents = dataset.hasConditions ? await completeConditions(context, all, facts) : all;
  return { ...read, documents, partial_day };
}
