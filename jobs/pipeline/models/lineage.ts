// The tables that a table is built from, traced through the models down to the raw tables.

import { oncePer } from '../../../platform/base/once-per.ts';
import type { Dataset } from '../../define/dataset.ts';
import type { Domain } from '../../define/domain.ts';
import type { Model, ModelSet } from './model.ts';

const lineages = oncePer((models: ModelSet['models']) => {
  const reads = new Map(models.map((model) => [model.name, model.reads]));
  return { reads, known: new Map<string, ReadonlySet<string>>() };
});

/** All tables that `table` is built from, including itself and landing tables. */
export function lineage({ models }: Pick<ModelSet, 'models'>, table: string): ReadonlySet<string> {
  const { reads, known } = lineages(models);
  const found = known.get(table) ?? trace(reads, table);
  known.set(table, found);
  return found;
}

function trace(reads: ReadonlyMap<string, readonly string[]>, table: string): ReadonlySet<string> {
  const found = new Set<string>();
  const open = [table];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (found.has(next)) continue;
    found.add(next);
    open.push(...(reads.get(next) ?? []));
  }
  return found;
}

/** The models that event queries read, also through other models, and all others; both in build order. */
export const modelsOfEvents = oncePer((set: ModelSet) => {
  const needed = new Set(set.events.flatMap(({ reads }) => reads.flatMap((name) => [...lineage(set, name)])));
  const isNeeded = ({ name }: Model) => needed.has(name);
  return {
    read: set.models.filter(isNeeded),
    others: set.models.filter((model) => !isNeeded(model)),
  };
});

/** The failing audits that read only what event queries read: what they find is known before events are appended. */
export const auditsOfEvents = oncePer((set: ModelSet) => {
  const computed = new Set(modelsOfEvents(set).read.map(({ name }) => name));
  const isKnown = (table: string) => computed.has(table) || table.startsWith('policy.');
  return set.audits.filter(
    ({ verdict, table, reads }) => verdict === 'fail' && computed.has(table) && reads.every(isKnown),
  );
});

/** A dataset with its lineage, from which provenance, confidence and gate are derived. */
export interface TracedDataset extends Dataset {
  /** All tables that the dataset is built from. */
  readonly lineage: ReadonlySet<string>;
  /** The raw tables among them, except those that only record how others were read. Their sources are the dataset's provenance. */
  readonly rests_on: readonly string[];
  /** The tables of `rests_on` that belong to the dataset's own domain. */
  readonly domain_tables: readonly string[];
  /** `domain_tables` or, if there are none, `rests_on`. Without rows in these tables there is nothing to publish. */
  readonly own_tables: readonly string[];
}

export function traced(
  {
    models,
    domains,
  }: Pick<ModelSet, 'models'> & { readonly domains: readonly Pick<Domain, 'raw' | 'datasets'>[] },
  dataset: Dataset,
): TracedDataset {
  const tables = lineage({ models }, dataset.table);
  const inputs = domains
    .flatMap((domain) => domain.raw)
    .filter(({ name, isAboutSources }) => isAboutSources !== true && tables.has(`landing.${name}`));
  const rests_on = inputs.map(({ name }) => name);
  const domain = domains.find(({ datasets }) => datasets.some(({ id }) => id === dataset.id));
  const domain_tables = domain?.raw.map(({ name }) => name).filter((name) => rests_on.includes(name)) ?? [];
  return {
    ...dataset,
    lineage: tables,
    rests_on,
    domain_tables,
    own_tables: domain_tables.length > 0 ? domain_tables : rests_on,
  };
}
