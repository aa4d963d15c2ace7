// Decides where tables are kept: each at its home, and also at the home of every model that reads it. What is published is also kept on
// DuckDB: it is small, and publishing asks many small questions about it.
import { EngineError } from '../errors.ts';
import type { ModelTable } from '../model.ts';
import { withoutComments } from '../parameters.ts';
import { type Home, HOMES } from './part.ts';

/** Tables that one query reads. */
export type JointReading = readonly string[];

export interface PlacementInput {
  readonly homeOf: (model: ModelTable) => Home;
  /** Names in a text; they include every table that it reads. */
  readonly namedIn: (sql: string) => readonly string[];
  /** Tables read together by queries that are not models. */
  readonly together: readonly JointReading[];
}

export interface TablePlacement {
  readonly model: ModelTable;
  readonly home: Home;
  /** The home, and the other places where the table is kept. */
  readonly homes: ReadonlySet<Home>;
}

/** Models by name in the given order, in which each comes after the tables that it reads. */
export type Plan = ReadonlyMap<string, TablePlacement>;

interface Draft extends TablePlacement {
  readonly homes: Set<Home>;
}

export function planOf(models: readonly ModelTable[], { homeOf, namedIn, together }: PlacementInput): Plan {
  const plan = new Map<string, Draft>(
    models.map((model) => {
      const home = homeOf(model);
      return [model.name, { model, home, homes: new Set(isPublished(model) ? [home, 'duckdb'] : [home]) }];
    }),
  );
  for (const tables of together) keepTogether(plan, tables);
  for (const { model, home, homes } of [...plan.values()].toReversed())
    for (const target of model.kind === 'view' ? homes : [home])
      for (const read of namedIn(model.sql)) plan.get(read)?.homes.add(target);
  return plan;
}

const isPublished = ({ name }: ModelTable): boolean => name.startsWith('out.');

/** Tables with different homes are read together on DuckDB, where a query is cheapest. */
function keepTogether(plan: ReadonlyMap<string, Draft>, tables: JointReading): void {
  const drafts = tables.flatMap((name) => plan.get(name) ?? []);
  if (new Set(drafts.map(({ home }) => home)).size > 1) for (const { homes } of drafts) homes.add('duckdb');
}

/** Places where a query over these tables can run, the cheapest first. @throws EngineError when there is none */
export function homesFor(plan: Plan, tables: JointReading): readonly [Home, ...Home[]] {
  const found = tables.flatMap((name) => plan.get(name) ?? []);
  const [first, ...more] = HOMES.filter((target) => found.every(({ homes }) => homes.has(target)));
  if (first !== undefined) return [first, ...more];
  const text = found.map(({ model, home }) => `${model.name} (${home})`).join(', ');
  throw new EngineError(
    `These tables are kept in different places, and no model or audit declares that they are read together: ${text}.`,
  );
}

const NAME = /\b(?:obs|derived|out)\.[a-z][a-z0-9_]*/g;

/** Names of tables in a text. A string constant may contain further names, which does no harm. */
export const namesIn = (sql: string): readonly string[] => [
  ...new Set(withoutComments(sql).match(NAME) ?? []),
];
