// Which tables are kept where: each at its home, and where a reader has another home, there as well.
import { EngineError } from '../errors.ts';
import type { ModelTable } from '../model.ts';
import { withoutComments } from '../parameters.ts';
import { type Place, PLACES } from './part.ts';

/** Tables that one query reads. */
export type ReadTogether = readonly string[];

export interface Placing {
  readonly homeOf: (model: ModelTable) => Place;
  /** Tables that a text names, among others. */
  readonly namedIn: (sql: string) => readonly string[];
  /** What queries that are no models read. */
  readonly together: readonly ReadTogether[];
}

export interface Placed {
  readonly model: ModelTable;
  readonly home: Place;
  /** Its home and where else it is kept. */
  readonly places: ReadonlySet<Place>;
}

/** By name, in the given order, in which each model comes after what it reads. */
export type Plan = ReadonlyMap<string, Placed>;

interface Draft extends Placed {
  readonly places: Set<Place>;
}

export function planOf(models: readonly ModelTable[], { homeOf, namedIn, together }: Placing): Plan {
  const plan = new Map<string, Draft>(
    models.map((model) => {
      const home = homeOf(model);
      return [model.name, { model, home, places: new Set([home]) }];
    }),
  );
  for (const tables of together) keepTogether(plan, tables);
  for (const { model, home, places } of [...plan.values()].toReversed())
    for (const place of model.kind === 'view' ? places : [home])
      for (const read of namedIn(model.sql)) plan.get(read)?.places.add(place);
  return plan;
}

/** What has several homes is read on DuckDB, where a query costs the least. */
function keepTogether(plan: ReadonlyMap<string, Draft>, tables: ReadTogether): void {
  const drafts = tables.flatMap((name) => plan.get(name) ?? []);
  if (new Set(drafts.map(({ home }) => home)).size > 1) for (const { places } of drafts) places.add('duckdb');
}

/** Where a query over these tables can be answered, the cheapest place first. @throws EngineError when there is none */
export function placesFor(plan: Plan, tables: ReadTogether): readonly [Place, ...Place[]] {
  const found = tables.flatMap((name) => plan.get(name) ?? []);
  const [first, ...more] = PLACES.filter((place) => found.every(({ places }) => places.has(place)));
  if (first !== undefined) return [first, ...more];
  const words = found.map(({ model, home }) => `${model.name} (${home})`).join(', ');
  throw new EngineError(
    `these tables are kept in different places, and no model or audit says that they are read together: ${words}`,
  );
}

const NAME = /\b(?:obs|derived|out)\.[a-z][a-z0-9_]*/g;

/** Names of tables in a text; a constant may name more than it reads, which does no harm. */
export const namesIn = (sql: string): readonly string[] => [
  ...new Set(withoutComments(sql).match(NAME) ?? []),
];
