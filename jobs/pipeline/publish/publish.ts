// Turns the `out` tables into datasets of a new version. A dataset whose inputs or rows fail their checks is kept from the last version,
// with the reason.

import type { DatasetInput, KeptDataset } from '../../../snapshots/dataset-input.ts';
import { openVersion } from '../../../snapshots/read.ts';
import { type Published, publishVersion } from '../../../snapshots/write.ts';
import type { Dataset } from '../../define/dataset.ts';
import { allAtOnce } from '../../engine/at-once.ts';
import type { PipelineContext } from '../context.ts';
import { missingInputsOf } from '../gate/completeness.ts';
import { readSourceReadings } from '../gate/source-readings.ts';
import { stillRefused } from '../gate/still-refused.ts';
import { warningOf } from '../gate/silent-subjects.ts';
import type { JudgedGate } from './conditions.ts';
import { correctionsInput } from './corrections.ts';
import { type Evidence, type Judged, judgeDataset } from './dataset-input.ts';
import { isoOf } from './provenance.ts';
import type { Publication } from './publication.ts';
import { findRestatements } from './restatements.ts';
import { rowHistory } from './recorded/recorded-rows.ts';
import { statusHistoryInput } from './recorded/status-history.ts';
import { type SeriesOfVersion, seriesOfVersion } from './series/series-input.ts';

export interface PublishOutcome {
  readonly published: Published;
  /** Held-back datasets and subjects, with the reason. */
  readonly held: readonly string[];
}

export async function publish(context: PipelineContext, publication: Publication): Promise<PublishOutcome> {
  const series = await seriesOfVersion(context, publication);
  const { datasets, gates, held, silent } = await judgeAll(context, publication, series);
  context.standingWarnings.say(context.reporter, [
    ...silent,
    ...held.map(({ reason }) => `held back: ${reason}`),
  ]);
  const leftOut = new Set(held.map(({ id }) => id));
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
    datasets,
    segments: publication.segments,
  };
  await series.readAhead();
  const { snapshots, intact, claim } = context;
  const published = await publishVersion(snapshots, input, { intact, claim });
  for (const damage of published.damage) context.reporter.warn(damage.message);
  await accept(leftOut);
  await series.accept(published.manifest, leftOut);
  return { published, held: held.map(({ reason: words }) => words) };
}

interface JudgedAll {
  readonly datasets: (DatasetInput | KeptDataset)[];
  readonly gates: readonly JudgedGate[];
  readonly held: readonly { readonly id: string; readonly reason: string }[];
  /** Warnings about subjects that landed but are not published. */
  readonly silent: readonly string[];
}

async function judgeAll(
  context: PipelineContext,
  publication: Publication,
  series: Pick<SeriesOfVersion, 'input'>,
): Promise<JudgedAll> {
  const datasets: (DatasetInput | KeptDataset)[] = [];
  const held: { readonly id: string; readonly reason: string }[] = [];
  const gates: JudgedGate[] = [];
  const warnings: string[] = [];
  const evidence = { ...(await evidenceFor(context, publication)), gates };
  const add = async (dataset: Dataset, { input, held: subjects, silent }: Judged): Promise<void> => {
    gates.push({ id: dataset.id, title: dataset.title, gate: input.quality_gate });
    if (silent.length > 0) warnings.push(warningOf(dataset, silent));
    const isHeld = input.quality_gate.verdict === 'fail';
    const reasons = isHeld ? [reasonOf(input)] : subjects.map(({ reason }) => reason);
    for (const reason of new Set(reasons)) held.push({ id: dataset.id, reason: `${dataset.id}: ${reason}` });
    const { recorded } = dataset;
    const history = () =>
      recorded === undefined
        ? series.input(dataset)
        : rowHistory(context, { ...dataset, recorded }, { input, publication });
    const parts = isHeld ? undefined : await history();
    if (!isHeld) datasets.push({ ...input, ...(parts && { series: parts }) });
    else if (publication.previous?.datasets[dataset.id] !== undefined) datasets.push(keptOf(input));
  };
  const all = context.domains.flatMap((domain) => domain.datasets);
  const { independent = [], conditions = [] } = Object.groupBy(all, ({ hasConditions }) =>
    hasConditions ? 'conditions' : 'independent',
  );
  const judge = (dataset: Dataset) => judgeDataset(context, dataset, evidence);
  const judged = await allAtOnce(context.results.atOnce, independent, async (dataset) => ({
    dataset,
    verdict: await judge(dataset),
  }));
  for (const { dataset, verdict } of judged) await add(dataset, verdict);
  // Last, because they report the gates of all other datasets.
  for (const dataset of conditions) await add(dataset, await judge(dataset));
  return { datasets, gates, held, silent: warnings };
}

const keptOf = ({ id, quality_gate }: DatasetInput): KeptDataset => ({ id, kept: true, quality_gate });

function reasonOf({ quality_gate }: DatasetInput): string {
  const failed = quality_gate.checks.filter(({ verdict }) => verdict === 'fail');
  return failed.map(({ name, detail }) => `${name}: ${detail}`).join('; ');
}

async function evidenceFor(
  context: PipelineContext,
  publication: Publication,
): Promise<Omit<Evidence, 'gates'>> {
  const { previous, now, gathered } = publication;
  const batches = new Set(gathered.receipts.map(({ batch }) => batch));
  return {
    publication,
    refused: await stillRefused(context, { now, batches }),
    missing: await missingInputsOf(context, now),
    readings: await readSourceReadings(context),
    before: previous === null ? null : await openVersion(context.snapshots, previous.version),
  };
}
