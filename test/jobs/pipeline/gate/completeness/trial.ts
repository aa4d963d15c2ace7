// One trial: runs the inputs of a family with something taken away, as an outside user would, and finds what is then published unremarked.

import type { Domain } from '../../../../../jobs/define/domain.ts';
import type { Json } from '../../../../../platform/base/json.ts';
import { type FileWorld, linesOf, openFileWorld, sourceId } from '../../../../support/file-world.ts';
import { neededFor } from '../../../../support/needed-models.ts';
import { seededRandom } from '../../../../support/seeded-random.ts';
import { type FamilyInputs, NOW } from './family-inputs.ts';
import { type Delivered, filesOf, HARMLESS, MUTATIONS, subjectOf, type Table, timeOf } from './mutations.ts';

export interface Published {
  readonly [dataset: string]: {
    readonly sha256: string;
    readonly words: readonly string[];
    readonly unknown: readonly string[];
  };
}

export interface Trial {
  readonly family: FamilyInputs;
  readonly seed: number;
  readonly kind: string;
  readonly table: string;
}

export const tablesOf = ({ domains, tables }: FamilyInputs): readonly Table[] =>
  domains
    .flatMap(({ raw }) => raw)
    .flatMap((raw) => {
      const rows = tables[raw.name];
      return rows === undefined || rows.length === 0 ? [] : [{ raw, rows }];
    });

/** The table that a trial changes; other tables come in one file each, because every file takes time. */
type Inputs = Pick<Trial, 'family' | 'table'>;

/** The family's own datasets, over all its inputs. What other families make of the same inputs is tried with those families. */
export const watched = ({ domains, tables }: FamilyInputs): readonly Domain[] =>
  neededFor(
    {
      datasets: domains.at(-1)?.datasets.map(({ id }) => id) ?? [],
      tables: domains
        .flatMap(({ raw }) => raw.filter(({ name }) => name in tables))
        .map(({ observations }) => observations.model),
    },
    domains,
  );

/** `delivered`: replaces the daily files of the trial's table. */
export function openInputs(
  { family, table: daily }: Inputs,
  delivered?: Delivered,
  policy?: Json,
): FileWorld {
  const world = openFileWorld({ domains: watched(family), ...(policy === undefined ? {} : { policy }) });
  for (const table of tablesOf(family)) {
    const { name } = table.raw;
    const files =
      name === daily ? (delivered?.files ?? filesOf(table)) : new Map([['all.ndjson', linesOf(table.rows)]]);
    world.write(name, Object.fromEntries(files));
    const subjects = [...new Set(table.rows.map((row) => subjectOf(table, row)))];
    world.expect(name, {
      subjects,
      since: new Date(Math.min(...table.rows.map((row) => timeOf(table, row))) * 1000)
        .toISOString()
        .slice(0, 10),
    });
  }
  return world;
}

function published(world: FileWorld): Published {
  const datasets = Object.entries(world.manifest().datasets).filter(
    ([id]) => id !== 'corrections' && id !== 'status-history',
  );
  return Object.fromEntries(
    datasets.map(([id, { sha256, quality_gate }]) => [
      id,
      {
        sha256,
        words: world.words(id),
        unknown: quality_gate.checks.flatMap(({ verdict, name, detail }) =>
          verdict === 'not_evaluated' ? [`${name} ${detail ?? ''}`] : [],
        ),
      },
    ]),
  );
}

/** What is published when nothing is taken away. */
export async function baselineOf(inputs: Inputs): Promise<Published> {
  const world = openInputs(inputs);
  try {
    await world.run(NOW);
    return published(world);
  } finally {
    world.remove();
  }
}

export interface Silence {
  readonly dataset: string;
  readonly words: readonly string[];
}

/** Datasets that differ from the baseline without saying why. */
export async function silencesOf(
  { family, seed, kind, table: name }: Trial,
  baseline: Published,
): Promise<readonly Silence[]> {
  const table = tablesOf(family).find(({ raw }) => raw.name === name);
  const mutate = MUTATIONS[kind];
  if (table === undefined || mutate === undefined) throw new Error(`there is no ${name} or no "${kind}"`);
  const delivered = mutate(table, seededRandom(seed));
  const world = openInputs({ family, table: name }, delivered);
  try {
    await world.run(NOW);
    const first = silentDatasets(published(world), { baseline, table, delivered });
    if (delivered.late === undefined)
      return HARMLESS.has(kind) ? changedDatasets(published(world), baseline) : first;
    world.write(name, Object.fromEntries(delivered.late));
    await world.run(NOW);
    return [...first, ...changedDatasets(published(world), baseline)];
  } finally {
    world.remove();
  }
}

const changedDatasets = (now: Published, baseline: Published): readonly Silence[] =>
  Object.keys(baseline)
    .filter((id) => now[id]?.sha256 !== baseline[id]?.sha256)
    .map((dataset) => ({ dataset, words: ['differs although nothing is missing'] }));

interface Context {
  readonly baseline: Published;
  readonly table: Table;
  readonly delivered: Delivered;
}

function silentDatasets(now: Published, { baseline, table, delivered }: Context): readonly Silence[] {
  const names = [
    table.raw.name,
    sourceId(table.raw.name),
    ...delivered.touched.map((row) => subjectOf(table, row)),
  ];
  return Object.entries(baseline).flatMap(([dataset, before]) => {
    const after = now[dataset];
    // A dataset that is not published makes no claim of completeness.
    if (after === undefined || after.sha256 === before.sha256) return [];
    const news = after.words.filter((words) => !before.words.includes(words));
    const isNamed = news.some((words) => names.some((one) => words.includes(one)));
    const isUnknowable = after.unknown.some((words) => words.includes(table.raw.name));
    return isNamed || isUnknowable ? [] : [{ dataset, words: news }];
  });
}
