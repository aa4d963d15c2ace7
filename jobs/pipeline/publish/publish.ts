// Turns the `out` tables into datasets of a new version. A dataset whose inputs or rows fail their checks is kept from the last version,
// with the reason.

import { mapAtOnce } from '../../../platform/base/tasks.ts';
import { dayOf, isoOf } from '../../../platform/base/time.ts';
import { isSimulated } from '../../../schemas/provenance.ts';
import type { CarriedDataset, DatasetInput, SeriesPartInput } from '../../../snapshots/dataset-intake.ts';
import { type HeldSubjects, MAX_LISTED } from '../../../snapshots/held.ts';
import { type Document, datasetsAsOf } from '../../../snapshots/layout.ts';
import { openVersion } from '../../../snapshots/read.ts';
import { type PublishedVersion, publishVersion } from '../../../snapshots/write.ts';
import type { Dataset } from '../../define/dataset.ts';
import { columnsOf } from '../../define/subject.ts';
import type { PipelineContext } from '../context.ts';
import { missingInputsOf } from '../gate/completeness.ts';
import { holdsOfAudits, reachesOf } from '../gate/holds.ts';
import { remediesOf } from '../gate/remedies.ts';
import { warningOf } from '../gate/silent-subjects.ts';
import { readSourceReadings, type SourceReadings } from '../gate/source-readings.ts';
import type { JudgedGate, PublishedDocuments } from './conditions.ts';
import { correctionsInput } from './corrections.ts';
import { type Evidence, type HeldSubject, type JudgedDataset, judgeDataset } from './dataset-input.ts';
import { inputsOf } from './inputs.ts';
import type { Publication } from './publication.ts';
import type { DayValues } from './recorded/recorded-days.ts';
import { recordedSeries } from './recorded/recorded-series.ts';
import { statusHistoryInput } from './recorded/status-history.ts';
import { findRestatements } from './restatements.ts';
import type { HeldKeys } from './series/held-points.ts';
import { type SeriesOfVersion, seriesOfVersion } from './series/series-input.ts';

export interface PublishOutcome {
  readonly published: PublishedVersion;
  /** Held-back datasets and subjects, with the reason. */
  readonly held: readonly string[];
  readonly counts: { readonly datasets: number; readonly subjects: number };
}

export async function publish(context: PipelineContext, publication: Publication): Promise<PublishOutcome> {
  const series = await seriesOfVersion(context, publication);
  const readings = await readSourceReadings(context);
  const { datasets, gates, held, kept, silent } = await judgeAll(context, publication, { series, readings });
  const remedies = remediesOf(context, publication.findings);
  context.standingWarnings.say(context.reporter, [...silent, ...describe(held), ...remedies]);
  const leftOut = new Set(held.map(({ dataset }) => dataset));
  const { changes, reason, accept } = await findRestatements(context, publication.now);
  const amendment = { changes: changes.filter(({ dataset }) => !leftOut.has(dataset)), reason };
  const as_of = isoOf(publication.now);
  datasets.push(await correctionsInput(context, publication, { ...amendment, as_of }));
  datasets.push(await statusHistoryInput(context, publication, gates));
  const input = {
    as_of,
    generated_at: new Date(context.nowMs()).toISOString(),
    engine_version: context.warehouse.version,
    methodology_version: context.policy.methodology_version,
    policy_version: context.policy.policy_version,
    inputs: inputsOf(context, { ...publication, readings }),
    datasets,
    segments: publication.segments,
    held_subjects: heldSubjects(held, publication),
    withheld_events: publication.withheld,
  };
  await series.readAhead();
  const { snapshots, intact, claim } = context;
  const published = await publishVersion(snapshots, input, { intact, claim });
  for (const damage of published.damage) context.reporter.warn(damage.message);
  await accept(leftOut);
  await series.accept(published.manifest, { whole: kept, partly: leftOut });
  const messages = held.map(({ dataset, reason: why }) => `${dataset}: ${why}`);
  return { published, held: messages, counts: countsOf(held, kept) };
}

/** A dataset that is held back as a whole counts once, whatever it holds back. */
function countsOf(held: readonly HeldRows[], kept: ReadonlySet<string>): PublishOutcome['counts'] {
  const parts = held.filter(({ dataset }) => !kept.has(dataset));
  const subjects = new Set(parts.map(({ dataset, subject }) => `${dataset} ${subject}`));
  return { datasets: kept.size, subjects: subjects.size };
}

export interface HeldRows extends HeldSubject {
  readonly dataset: string;
}

/** One line for each reason, with the datasets that it holds something back in. */
const describe = (held: readonly HeldRows[]): readonly string[] =>
  [...Map.groupBy(held, ({ reason }) => reason)].map(([reason, all]) => {
    const datasets = [...new Set(all.map(({ dataset }) => dataset))];
    return `held back: ${datasets.join(', ')}: ${reason}`;
  });

/** Undefined if nothing is held back. */
export function heldSubjects(
  held: readonly HeldRows[],
  { now, previous }: Pick<Publication, 'now' | 'previous'>,
): HeldSubjects | undefined {
  if (held.length === 0) return undefined;
  const pairOf = ({ dataset, subject }: Pick<HeldRows, 'dataset' | 'subject'>) => `${dataset} ${subject}`;
  const since = new Map(previous?.held_subjects?.list.map((one) => [pairOf(one), one.since]));
  // Readers look in the list for whether a dataset is held back as a whole: subjects of others must not displace that.
  const orderOf = (one: HeldRows) => `${one.subject === '*' ? 0 : 1} ${pairOf(one)}`;
  const groups = [...Map.groupBy(held, orderOf)].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const list = groups.slice(0, MAX_LISTED).flatMap(([, all]) => {
    const [first] = all;
    if (first === undefined) return [];
    const { dataset, subject } = first;
    const checks = [...new Set(all.map(({ check }) => check))];
    const reason = [...new Set(all.map((one) => one.reason))].join('; ');
    return [{ dataset, subject, since: since.get(pairOf(first)) ?? isoOf(now), checks, reason }];
  });
  return { total: groups.length, list };
}

interface Judgement {
  readonly datasets: (DatasetInput | CarriedDataset)[];
  readonly gates: readonly JudgedGate[];
  readonly held: readonly HeldRows[];
  /** Ids of datasets that are held back as a whole. */
  readonly kept: ReadonlySet<string>;
  /** Warnings about subjects that landed but are not published. */
  readonly silent: readonly string[];
}

interface JudgementInput {
  readonly series: Pick<SeriesOfVersion, 'input'>;
  readonly readings: SourceReadings;
}

const byKind = ({ domains }: PipelineContext) =>
  Object.groupBy(
    domains.flatMap((domain) => domain.datasets),
    ({ hasConditions }) => (hasConditions ? 'conditions' : 'independent'),
  );

async function judgeAll(
  context: PipelineContext,
  publication: Publication,
  { series, readings }: JudgementInput,
): Promise<Judgement> {
  const datasets: (DatasetInput | CarriedDataset)[] = [];
  const held: HeldRows[] = [];
  const kept = new Set<string>();
  const gates: JudgedGate[] = [];
  const warnings: string[] = [];
  const published = new Map<string, PublishedDocuments>();
  const evidence = { ...(await evidenceFor(context, publication)), readings, gates, published };
  const add = async (dataset: Dataset, judged: JudgedDataset): Promise<void> => {
    const { input, isKept, silent } = judged;
    gates.push({ id: dataset.id, title: dataset.title, gate: input.quality_gate });
    // The demo scripts such subjects; the gate states them.
    if (silent.length > 0 && !input.sources.every(isSimulated)) warnings.push(warningOf(dataset, silent));
    held.push(...judged.held.map((one) => ({ ...one, dataset: dataset.id })));
    if (isKept) kept.add(dataset.id);
    else published.set(dataset.id, publishedOf(judged));
    const { recorded } = dataset;
    const history = () =>
      recorded === undefined
        ? series.input(dataset, heldKeys(dataset, judged, publication))
        : rowHistory(context, { ...dataset, recorded }, { input, publication });
    const parts = isKept ? undefined : await history();
    if (!isKept) datasets.push({ ...input, ...(parts && { series: parts }) });
    else if (publication.previous?.datasets[dataset.id] !== undefined) datasets.push(keptOf(input));
  };
  const { independent = [], conditions = [] } = byKind(context);
  const judge = (dataset: Dataset) => judgeAlone(context, dataset, evidence);
  const judged = await mapAtOnce(context.results.atOnce, independent, async (dataset) => ({
    dataset,
    verdict: await judge(dataset),
  }));
  for (const { dataset, verdict } of judged) await add(dataset, verdict);
  // Last, because they report the gates of all other datasets, and what they affect of these.
  for (const dataset of conditions) await add(dataset, await judge(dataset));
  return { datasets, gates, held, kept, silent: warnings };
}

/** Frees what reading the dataset has left behind, before the next one is read. */
async function judgeAlone(
  context: PipelineContext,
  dataset: Dataset,
  evidence: Evidence,
): Promise<JudgedDataset> {
  const judged = await judgeDataset(context, dataset, evidence);
  await context.relieveMemory?.();
  return judged;
}

const publishedOf = ({ documents, held }: JudgedDataset): PublishedDocuments => ({
  documents,
  held: held.map(({ subject }) => subject),
});

/** Undefined if no subject of the dataset is held back. */
function heldKeys(
  { id, key, separator, subject }: Dataset,
  { held, isHeldKey }: JudgedDataset,
  { previous }: Publication,
): HeldKeys | undefined {
  if (held.length === 0) return undefined;
  const since = new Map(
    previous?.held_subjects?.list.flatMap((one) =>
      one.dataset === id ? [[one.subject, Date.parse(one.since) / 1000] as const] : [],
    ),
  );
  const published = previous?.datasets[id] === undefined ? 0 : Date.parse(datasetsAsOf(previous)) / 1000;
  const columns = Object.values(columnsOf(subject));
  const nameOf = (text: string) => {
    const parts = text.split(separator);
    return columns.map((column) => parts[key.indexOf(column)]).join(' ');
  };
  return { has: isHeldKey, since: (text) => since.get(nameOf(text)) ?? published };
}

const keptOf = ({ id, quality_gate }: DatasetInput): CarriedDataset => ({ id, kept: true, quality_gate });

async function evidenceFor(
  context: PipelineContext,
  publication: Publication,
): Promise<Omit<Evidence, 'gates' | 'readings' | 'published'>> {
  const { previous, now, findings, refused } = publication;
  const { results, domains, models } = context;
  const holds = [...(await holdsOfAudits(results, findings, domains)), ...refused.holds.values()];
  const tables = new Set(models.models.map(({ name }) => name));
  return {
    publication,
    reaches: await reachesOf(results, holds, { domains, tables }),
    missing: await missingInputsOf(context, now),
    before: previous === null ? null : await openVersion(context.snapshots, previous.version),
  };
}

// The history of a dataset whose rows are current figures: the last rows published on each day.

type Recorder = Pick<Dataset, 'id'> & Required<Pick<Dataset, 'recorded'>>;
type RowContext = Pick<PipelineContext, 'snapshots' | 'reporter'>;

async function rowHistory(
  context: RowContext,
  { id, recorded }: Recorder,
  { input, publication }: { readonly input: DatasetInput; readonly publication: Publication },
): Promise<readonly SeriesPartInput[]> {
  const names = Object.keys(recorded.columns);
  const columns = { names, join: (_: DayValues, seen: DayValues) => seen };
  const day = dayOf(publication.now);
  const looks = [...input.documents].map((document) => {
    const { key, value } = 'line' in document ? decoded(document.line) : document;
    const row = value as DayValues;
    return { key, day, values: Object.fromEntries(names.map((name) => [name, row[name] ?? null])) };
  });
  return (await recordedSeries(context, { dataset: id, columns, looks }, publication)).parts;
}

const decoded = (line: Uint8Array): Document => JSON.parse(Buffer.from(line).toString()) as Document;
