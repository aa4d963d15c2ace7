// Worlds from which something was taken away, landed, computed, published and served: `is_it_usable` says `usable` of nothing whose gate
// fails or whose source is overdue. What may be usable is decided here from the manifest alone, by rules of this file.
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import type { RunningServer } from '../../../server/deps.ts';
import { SUBJECT_KINDS } from '../../../server/mcp/row-checks.ts';
import type { InputFamily, Manifest } from '../../../snapshots/layout.ts';
import { FAMILY_INPUTS } from '../../jobs/pipeline/gate/completeness/all-inputs.ts';
import { type FamilyInputs, NOW } from '../../jobs/pipeline/gate/completeness/family-inputs.ts';
import { MUTATIONS } from '../../jobs/pipeline/gate/completeness/mutations.ts';
import { openInputs, tablesOf } from '../../jobs/pipeline/gate/completeness/trial.ts';
import { COUNTS } from '../../reliability/counts.ts';
import { progressOf } from '../../reliability/progress.ts';
import type { FileWorld } from '../../support/file-world.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { ServerFixture } from '../server-fixture.ts';
import { callTool } from './mcp-client.ts';

vi.setConfig({ testTimeout: 7_200_000 });

const KINDS = Object.keys(MUTATIONS);
const SUBJECTS_OF_A_KIND = 5;
/** Of the tables of the family in two of three worlds: without newer rows, their sources are overdue. */
const MAX_AGE_S = 43_200;

/** What the worlds had in them, so that a run that proves nothing is noticed. */
type Tally = {
  worlds: number;
  judged: number;
  usable: number;
  failing: number;
  overdue: number;
};

const pick = <T>(list: readonly T[], random: () => number): T => {
  const found = list[Math.floor(random() * list.length)];
  if (found === undefined) throw new Error('There is nothing to pick from.');
  return found;
};

interface MutilatedInputs {
  readonly name: string;
  readonly family: FamilyInputs;
  readonly files: FileWorld;
  /** Seconds between the run and the question. */
  readonly lateBy: number;
}

function worldOf(seed: number): MutilatedInputs {
  const random = seededRandom(seed);
  const family = FAMILY_INPUTS[seed % FAMILY_INPUTS.length] ?? pick(FAMILY_INPUTS, random);
  const table = pick(tablesOf(family), random);
  const kind = KINDS[Math.floor(seed / FAMILY_INPUTS.length) % KINDS.length] ?? pick(KINDS, random);
  const mutate = MUTATIONS[kind];
  if (mutate === undefined) throw new Error(`There is no mutation "${kind}".`);
  const ages = Object.fromEntries(tablesOf(family).map(({ raw }) => [raw.name, MAX_AGE_S]));
  const policy = random() < 2 / 3 ? { quality: { source_max_age_s: ages } } : undefined;
  return {
    name: `world ${seed} (${family.id}: ${table.raw.name}, ${kind})`,
    family,
    files: openInputs({ family, table: table.raw.name }, mutate(table, random), policy),
    lateBy: pick([0, 0, 60, 330, 400, 900], random),
  };
}

/** Every dataset, and some subjects of each kind. */
function subjectsIn({
  files,
  family,
}: MutilatedInputs): readonly { readonly dataset: string; readonly subject: string }[] {
  const datasets = Object.keys(files.manifest().datasets);
  const kinds = Object.entries(SUBJECT_KINDS).flatMap(([kind, { dataset }]) =>
    dataset !== null && datasets.includes(dataset)
      ? files
          .documents(dataset)
          .slice(0, SUBJECTS_OF_A_KIND)
          .map(({ key }) => ({ dataset, subject: `${kind}:${key.replaceAll('|', ':')}` }))
      : [],
  );
  const missing = family.domains.flatMap((domain) => domain.datasets.map(({ id }) => id));
  return [
    ...[...new Set([...datasets, ...missing])].map((dataset) => ({ dataset, subject: `dataset:${dataset}` })),
    ...kinds,
  ];
}

const familyOf = ({ inputs }: Manifest, dataset: string): InputFamily | undefined =>
  inputs?.families.find(({ datasets }) => datasets.includes(dataset));

/** Why a dataset must not be called usable; empty if nothing forbids it. */
function objections(manifest: Manifest, dataset: string, nowMs: number) {
  const entry = manifest.datasets[dataset];
  const family = familyOf(manifest, dataset);
  if (entry === undefined || family === undefined) return { gates: ['not published'], sources: [] };
  const { verdict, checks } = entry.quality_gate;
  const bad = checks.filter((check) => check.verdict !== 'pass').map(({ name }) => name);
  const held = (manifest.held_subjects?.list ?? []).filter(
    (one) => one.dataset === dataset && one.subject === '*',
  );
  const ageS = (nowMs - Date.parse(entry.computed_at)) / 1_000;
  const isOld = ageS > entry.update_cadence_seconds * 2;
  const tables = new Set([...family.tables, ...family.other_tables]);
  const late = (manifest.inputs?.sources ?? []).filter(
    ({ table, state }) => tables.has(table) && state !== 'read',
  );
  return {
    gates: [
      ...(verdict === 'pass' && checks.length > 0 ? [] : [`gate ${verdict}`]),
      ...bad,
      ...held.map(({ reason }) => reason),
      ...(isOld ? ['old'] : []),
    ],
    sources: late.map(({ id, state }) => `${id} ${state}`),
  };
}

async function verdictOf(server: RunningServer, subject: string): Promise<string> {
  const result = await callTool(server, 'is_it_usable', { subject });
  if (result.structuredContent === undefined) throw new Error(`${subject}: ${result.content[0]?.text}`);
  return (result.structuredContent.data as { readonly verdict: string }).verdict;
}

/** What is called usable although something forbids it. */
async function wrongIn(world: MutilatedInputs, tally: Tally): Promise<readonly string[]> {
  const { files, name, lateBy } = world;
  await files.run(NOW);
  const fixture = new ServerFixture(join(files.dir, 'snapshots'));
  fixture.nowMs = (NOW + lateBy) * 1_000;
  try {
    const server = await fixture.serve();
    const found: string[] = [];
    for (const { dataset, subject } of subjectsIn(world)) {
      const verdict = await verdictOf(server, subject);
      const { gates, sources } = objections(files.manifest(), dataset, fixture.nowMs);
      tally.judged++;
      if (gates.length > 0) tally.failing++;
      if (sources.length > 0) tally.overdue++;
      if (verdict !== 'usable') continue;
      tally.usable++;
      const why = [...gates, ...sources];
      if (why.length > 0) found.push(`${name}: ${subject} is usable in spite of ${why.join(', ')}`);
    }
    return found;
  } finally {
    await fixture.remove();
  }
}

test(`is_it_usable in ${COUNTS.usabilityWorlds} worlds with something missing`, async () => {
  const beginning: Tally = { worlds: 0, judged: 0, usable: 0, failing: 0, overdue: 0 };
  const progress = progressOf('worlds', beginning);
  const tally = { ...progress.from };
  for (let index = tally.worlds; index < COUNTS.usabilityWorlds; index++) {
    const world = worldOf(COUNTS.usabilitySeed + index);
    try {
      expect(await wrongIn(world, tally), `seed: ${COUNTS.usabilitySeed + index}`).toEqual([]);
    } finally {
      world.files.remove();
    }
    tally.worlds++;
    progress.save(tally);
  }
  console.log(`seed ${COUNTS.usabilitySeed}: ${JSON.stringify(tally)}`);
  expect(tally.failing).toBeGreaterThan(0);
  if (tally.worlds < 100) return;
  expect(Math.min(tally.overdue, tally.usable)).toBeGreaterThan(0);
});
