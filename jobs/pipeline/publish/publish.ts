// Turns the `out` tables into datasets of a new version. A dataset whose inputs or rows do not hold up stays as the last version
// has it, and says why.

import type { DatasetInput, KeptDataset } from '../../../snapshots/dataset-input.ts';
import { openVersion } from '../../../snapshots/read.ts';
import { type Published, publishVersion } from '../../../snapshots/write.ts';
import type { World } from '../context.ts';
import { missingInputsOf } from '../gate/completeness.ts';
import { stillRefused } from '../gate/still-refused.ts';
import { correctionsInput } from './corrections.ts';
import { type Evidence, judgeDataset } from './dataset-input.ts';
import { isoOf } from './provenance.ts';
import type { Publication } from './publication.ts';
import { findRestatements } from './restatements.ts';

export interface PublishOutcome {
  readonly published: Published;
  /** Datasets, and subjects of datasets, that are held back, with the reason. */
  readonly held: readonly string[];
}

export async function publish(world: World, publication: Publication): Promise<PublishOutcome> {
  const datasets: (DatasetInput | KeptDataset)[] = [];
  const held: { readonly id: string; readonly reason: string }[] = [];
  const evidence = await evidenceFor(world, publication);
  for (const dataset of world.domains.flatMap((domain) => domain.datasets)) {
    const { input, held: subjects, silent } = await judgeDataset(world, dataset, evidence);
    for (const words of silent) world.reporter.warn(`landed and not published: ${dataset.id}: ${words}`);
    const isHeld = input.quality_gate.verdict === 'fail';
    const reasons = isHeld ? [reasonOf(input)] : subjects.map(({ reason }) => reason);
    for (const reason of new Set(reasons)) held.push({ id: dataset.id, reason: `${dataset.id}: ${reason}` });
    if (!isHeld) datasets.push(input);
    else if (publication.previous?.datasets[dataset.id] !== undefined) datasets.push(keptOf(input));
  }
  for (const { reason } of held) world.reporter.warn(`held back: ${reason}`);
  const leftOut = new Set(held.map(({ id }) => id));
  const { changes, reason, accept } = await findRestatements(world, publication.now);
  const amendment = { changes: changes.filter(({ dataset }) => !leftOut.has(dataset)), reason };
  const as_of = isoOf(publication.now);
  datasets.push(await correctionsInput(world, publication, { ...amendment, as_of }));
  const input = {
    as_of,
    generated_at: new Date(world.nowMs()).toISOString(),
    engine_version: world.engine.version,
    methodology_version: world.policy.methodology_version,
    policy_version: world.policy.policy_version,
    datasets,
    segments: publication.segments,
  };
  const { disk, settings, intact } = world;
  const published = await publishVersion(disk, settings.snapshot_dir, input, { intact });
  for (const damage of published.damage) world.reporter.warn(damage.message);
  await accept(leftOut);
  return { published, held: held.map(({ reason: words }) => words) };
}

const keptOf = ({ id, quality_gate }: DatasetInput): KeptDataset => ({ id, kept: true, quality_gate });

function reasonOf({ quality_gate }: DatasetInput): string {
  const failed = quality_gate.checks.filter(({ verdict }) => verdict === 'fail');
  return failed.map(({ name, detail }) => `${name}: ${detail}`).join('; ');
}

async function evidenceFor(world: World, publication: Publication): Promise<Evidence> {
  const { previous, now, gathered } = publication;
  const batches = new Set(gathered.receipts.map(({ batch }) => batch));
  return {
    publication,
    refused: await stillRefused(world, { now, batches }),
    missing: await missingInputsOf(world, now),
    before:
      previous === null ? null : await openVersion(world.disk, world.settings.snapshot_dir, previous.version),
  };
}
