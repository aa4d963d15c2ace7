// What a table rests on, followed through the models down to the raw tables.
import type { ModelSet } from './model.ts';

/** All tables that `table` is made from, itself and landing tables included. */
export function lineage({ models }: Pick<ModelSet, 'models'>, table: string): ReadonlySet<string> {
  const reads = new Map(models.map((model) => [model.name, model.reads]));
  const found = new Set<string>();
  const open = [table];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (found.has(next)) continue;
    found.add(next);
    open.push(...(reads.get(next) ?? []));
  }
  return found;
}
