// Whether a query would return the same rows as before: the tables that it reads are unchanged, and no time that it compares values with
// has passed one of them.
import { oncePer } from '../../platform/base/once-per.ts';
import type { SwitchedOff } from '../../platform/base/switches.ts';
import type { ModelTable } from '../engine/model.ts';
import type { Parameters } from '../engine/parameters.ts';
import type { Warehouse } from '../engine/warehouse.ts';
import { ColumnValues, type Direction, type Question } from './column-values.ts';
import {
  areMet,
  type Dependencies,
  type Origin,
  type RowNeeds,
  sequenceOf,
  type Threshold,
  type ValuesOf,
  valueOfTerm,
} from './dependencies.ts';

/** What rows were computed from. */
export interface Basis {
  /** Version of each table that was read, by name. */
  readonly versions: { readonly [table: string]: string };
  readonly parameters: Parameters;
}

export interface Tools {
  readonly warehouse: Pick<Warehouse, 'versions' | 'rows' | 'describe'>;
  readonly models: readonly (Pick<ModelTable, 'name' | 'kind'> & Pick<Dependencies, 'reads' | 'needs'>)[];
  /** Caches that a test or a benchmark has switched off. */
  readonly off?: SwitchedOff;
}

/** Values that were queried, for as long as the warehouse is open. */
const valuesOf = oncePer((warehouse: Tools['warehouse']) => new ColumnValues(warehouse));

const columnValues = ({ warehouse, off }: Tools): ColumnValues =>
  off?.has('column-values') ? new ColumnValues(warehouse) : valuesOf(warehouse);

const viewsOf = oncePer(
  (models: Tools['models']) =>
    new Map(models.flatMap((model) => (model.kind === 'view' ? [[model.name, model]] : []))),
);

export type VersionTools = Pick<Tools, 'models' | 'off'> & {
  readonly warehouse: Pick<Warehouse, 'versions'>;
};

/** The versions of tables. For a view, those of the tables that it reads are included. */
export async function versionsOf(
  { warehouse, models }: VersionTools,
  tables: readonly string[],
): Promise<Basis['versions']> {
  const versions: Record<string, string> = {};
  for (const table of tables) {
    versions[table] = await warehouse.versions.of(table);
    const view = viewsOf(models).get(table);
    if (view !== undefined) Object.assign(versions, await versionsOf({ warehouse, models }, view.reads));
  }
  return versions;
}

/** Whether the query may return rows, judging by which of the tables that it reads have any. */
export async function mayHaveRows(tools: VersionTools, needs: RowNeeds): Promise<boolean> {
  const { warehouse, models, off } = tools;
  if (off?.has('row-needs')) return true;
  return areMet(needs, (table) => {
    const view = viewsOf(models).get(table);
    return view === undefined ? warehouse.versions.hasRows(table) : mayHaveRows(tools, view.needs);
  });
}

/** Whether the query would return for these parameters what it returned on that basis. */
export async function isUnchanged(
  tools: Tools,
  { reads, times }: Pick<Dependencies, 'reads' | 'times'>,
  { was, now }: { readonly was: Basis; readonly now: Parameters },
): Promise<boolean> {
  const versions = await versionsOf(tools, reads);
  if (Object.entries(versions).some(([table, version]) => was.versions[table] !== version)) return false;
  const isMoved = (term: Threshold['term']) => valueOfTerm(term, was.parameters) !== valueOfTerm(term, now);
  if (times.terms.some(isMoved)) return false;
  for (const threshold of times.thresholds.filter(({ term }) => isMoved(term)))
    if (await isPassed(tools, threshold, { was: was.parameters, now })) return false;
  return true;
}

/** A query, what it was last computed from, and the parameters for which it is needed next. */
interface Recomputation extends Pick<Dependencies, 'times'> {
  readonly was: Basis;
  readonly now: Parameters;
}

/** Announces the values that `isUnchanged` will need, so that one statement per table fetches them all. */
export async function expectQuestions(tools: Tools, all: readonly Recomputation[]): Promise<void> {
  const questions: Question[] = [];
  for (const { times, was, now } of all)
    for (const { term, passes: side, origins } of times.thresholds) {
      const at = Number(valueOfTerm(term, was.parameters));
      if (at === Number(valueOfTerm(term, now))) continue;
      for (const origin of origins)
        if (
          'table' in origin &&
          was.versions[origin.table] === (await tools.warehouse.versions.of(origin.table))
        )
          questions.push(...(await questionsOf(columnValues(tools), origin, { at, side })));
    }
  await columnValues(tools).announce(questions);
}

/** One question for each sum of the durations that are added. They are known in advance only if they come from a policy. */
async function questionsOf(
  columns: ColumnValues,
  { plus = [], table, column, expression }: Extract<Origin, ValuesOf>,
  { at, side }: Direction,
): Promise<readonly Question[]> {
  let instants: readonly number[] = [at];
  for (const offset of plus) {
    const added = offset.table.startsWith('policy.') ? await columns.values(offset) : undefined;
    if (added === null || added === undefined) return [];
    instants = instants.flatMap((instant) => added.map((value) => instant - value));
  }
  return instants.map((instant) => ({ values: { table, column, expression }, at: instant, side }));
}

/** Whether the threshold has passed a value, or may have. */
async function isPassed(
  tools: Tools,
  { term, passes, origins }: Threshold,
  { was, now }: { readonly was: Parameters; readonly now: Parameters },
): Promise<boolean> {
  const [from, to] = [Number(valueOfTerm(term, was)), Number(valueOfTerm(term, now))];
  if (to < from || tools.off?.has('passed-times')) return true;
  let columns = 0;
  for (const origin of origins) {
    const next = await nextOf(columnValues(tools), origin, { at: from, side: passes, was });
    if (next === undefined) continue;
    columns += 1;
    if (next !== null && (passes === 'from' ? next < to : next <= to)) return true;
  }
  // If no table has such a column, the name stands for something else, whose values are unknown.
  return columns === 0;
}

interface Start extends Direction {
  readonly was: Parameters;
}

/** The lowest value in that direction. Undefined for a column that does not exist. */
async function nextOf(
  columns: ColumnValues,
  { plus: [offset, ...more] = [], ...own }: Origin,
  start: Start,
): Promise<number | null | undefined> {
  if (offset === undefined) return 'table' in own ? columns.next(own, start) : nextOfText(own, start);
  const added = await columns.values(offset);
  if (added === undefined) return undefined;
  if (added === null) return start.at;
  let earliest: number | null = null;
  for (const value of added) {
    const next = await nextOf(columns, { ...own, plus: more }, { ...start, at: start.at - value });
    if (next === undefined) return undefined;
    if (next === null) continue;
    // With fractions, rounding might miss a value that was passed.
    if (!Number.isInteger(value) || !Number.isInteger(next)) return start.at;
    earliest = Math.min(earliest ?? next + value, next + value);
  }
  return earliest;
}

/** The next value of an origin that depends only on the text and the parameters. */
function nextOfText(
  origin: Exclude<Origin, { readonly table: string }>,
  { at, side, was }: Start,
): number | null {
  const isBelow = (value: number) => (side === 'from' ? value < at : value <= at);
  if ('constant' in origin) return isBelow(origin.constant) ? null : origin.constant;
  const { first, last, step } =
    'sequence' in origin
      ? (sequenceOf(origin.sequence, was) ?? { first: at, last: at, step: 1 })
      : { first: 0, last: Number.POSITIVE_INFINITY, step: origin.multipleOf };
  const nearest = first + Math.max(0, Math.floor((at - first) / step)) * step;
  const next = isBelow(nearest) ? nearest + step : nearest;
  return next <= last ? next : null;
}
