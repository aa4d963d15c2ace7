// Turns the `out` tables into datasets of a new version. A dataset whose inputs or rows do not hold up stays as the last version
// has it, and says why.
import type { Manifest, SegmentEntry } from '../../snapshots/layout.ts';
import {
  type DatasetInput,
  type KeptDataset,
  type Published,
  publishVersion,
} from '../../snapshots/write.ts';
import type { Dataset } from '../define.ts';
import { doubtsAbout, type Finding, isAbout } from './audit.ts';
import { correctionsInput } from './corrections.ts';
import { readDocuments } from './documents.ts';
import type { Gathered } from './gather.ts';
import { check, missingInputs, staleInputs } from './input-checks.ts';
import type { Receipt } from './landing/receipts.ts';
import { lineage } from './lineage.ts';
import { isoOf, sourcesOf } from './provenance.ts';
import { type Check, confidenceOf, gateOf } from './quality.ts';
import { findRestatements } from './restatements.ts';
import { tableForms } from './table-form.ts';
import type { World } from './world.ts';

export interface Publication {
  /** Logical time of the data, Unix seconds. */
  readonly now: number;
  readonly gathered: Gathered;
  readonly findings: readonly Finding[];
  readonly segments: readonly SegmentEntry[];
  readonly previous: Manifest | null;
}

export interface PublishOutcome {
  readonly published: Published;
  /** Datasets held back, with the reason. */
  readonly held: readonly string[];
}

export async function publish(world: World, publication: Publication): Promise<PublishOutcome> {
  const datasets: (DatasetInput | KeptDataset)[] = [];
  const held: { readonly id: string; readonly reason: string }[] = [];
  for (const dataset of world.domains.flatMap((domain) => domain.datasets)) {
    const input = await datasetInput(world, dataset, publication);
    if (input.quality_gate.verdict !== 'fail') datasets.push(input);
    else {
      held.push({ id: dataset.id, reason: reasonOf(dataset, input) });
      world.reporter.warn(`held back: ${held.at(-1)?.reason}`);
      if (publication.previous?.datasets[dataset.id] !== undefined) datasets.push(keptOf(input));
    }
  }
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

function reasonOf({ id }: Dataset, { quality_gate }: DatasetInput): string {
  const failed = quality_gate.checks.filter(({ verdict }) => verdict === 'fail');
  return `${id}: ${failed.map(({ name, detail }) => `${name}: ${detail}`).join('; ')}`;
}

async function datasetInput(world: World, dataset: Dataset, publication: Publication): Promise<DatasetInput> {
  const { documents, bad } = await readDocuments(world.engine, dataset);
  const receipts = dataset.rests_on.flatMap((table) => world.landing.receipts(table));
  const rows: Check = check(
    'rows fit their schema',
    bad.map(({ key, problem }) => `${key}: ${problem}`),
  );
  const inputs = inputFacts(world, dataset, { receipts, gathered: publication.gathered });
  const checks = [
    rows,
    limitCheck(dataset, publication.gathered),
    missingInputs(inputs),
    staleInputs(receipts, { now: publication.now, maxAges: world.policy.quality.source_max_age_s }),
    ...auditChecks(world, dataset, publication.findings),
  ];
  const at = isoOf(publication.now);
  return {
    id: dataset.id,
    documents: world.keptLines.write(dataset.id, documents),
    ...tableForms(world, dataset, documents),
    computed_at: at,
    update_cadence_seconds: dataset.updateCadenceSeconds,
    sources: sourcesOf(receipts),
    confidence: confidenceOf({
      ...inputs,
      doubts: doubtsAbout(publication.findings, lineage(world.models, dataset.table)),
    }),
    quality_gate: gateOf(checks, at, world.policy.policy_version),
  };
}

function limitCheck(dataset: Dataset, { receipts }: Gathered): Check {
  const over = receipts.filter(({ table, over_limit }) => over_limit && dataset.rests_on.includes(table));
  return check(
    'bad rows stay under the limit',
    over.map(
      ({ source, rows_quarantined, rows_in }) =>
        `${source.id}: ${rows_quarantined} of ${rows_in} rows are bad`,
    ),
  );
}

function auditChecks(world: World, dataset: Dataset, findings: readonly Finding[]): readonly Check[] {
  const tables = lineage(world.models, dataset.table);
  const audits = world.models.audits.filter((audit) => isAbout(audit, tables));
  return audits.map(({ name, about, verdict }) => {
    const rows = findings.filter((finding) => finding.audit === name).flatMap((finding) => finding.rows);
    return check(
      about,
      rows.map((row) => (verdict === 'warn' ? String(row['reason']) : JSON.stringify(row))),
      verdict,
    );
  });
}

interface Inputs {
  readonly receipts: readonly Receipt[];
  readonly gathered: Gathered;
}

function inputFacts({ sources }: World, dataset: Dataset, { receipts, gathered }: Inputs) {
  const failures = gathered.failures.filter(({ table }) => dataset.rests_on.includes(table));
  const delivered = new Set(receipts.map(({ source }) => source.id));
  const configured = sources
    .filter(({ table }) => dataset.rests_on.includes(table))
    .map(({ facts }) => facts.id);
  const expected = new Set([...configured, ...delivered]);
  const failed = new Set(failures.map(({ source }) => source));
  const silent = [...expected].filter((id) => !delivered.has(id) && !failed.has(id));
  const sum = (count: (receipt: Receipt) => number) =>
    receipts.reduce((total, receipt) => total + count(receipt), 0);
  return {
    expected: expected.size,
    used: [...expected].filter((id) => delivered.has(id) && !failed.has(id)).length,
    silent: silent.sort(),
    rows_in: sum(({ rows_in, rows_filtered = 0 }) => rows_in - rows_filtered),
    rows_quarantined: sum(({ rows_quarantined }) => rows_quarantined),
    failures: failures.map(({ source, problem }) => `${source} failed: ${problem}`),
    is_configured: dataset.rests_on.length === 0,
  };
}
