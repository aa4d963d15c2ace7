// Which models may read which tables, and the order in which models are built.

import { policyTablesOf } from '../../define/domain.ts';
import type { Audit, EventQuery, Layer, Model, ModelFolder, Query } from './model.ts';

const MAY_READ: { readonly [layer in Layer | 'audit']: readonly string[] } = {
  obs: ['landing', 'policy'],
  derived: ['obs', 'derived', 'policy'],
  out: ['obs', 'derived', 'policy'],
  event: ['obs', 'derived', 'policy'],
  audit: ['obs', 'derived', 'out', 'policy'],
};

/** Violations of the reading rules, one line each. */
export function checkLayering(
  {
    models,
    events,
    audits,
  }: {
    readonly models: readonly Model[];
    readonly events: readonly EventQuery[];
    readonly audits: readonly Audit[];
  },
  domains: readonly ModelFolder[],
): string[] {
  const byName = new Map(models.map((model) => [model.name, model]));
  const problems = models
    .filter((model) => byName.get(model.name) !== model)
    .map(
      (model) =>
        `${model.file}: ${model.name} is defined twice, also in ${byName.get(model.name)?.file}: rename one`,
    );
  const check = (query: Query, layer: Layer | 'audit') => {
    const bound = boundTo(query.domain, domains);
    for (const table of query.reads) {
      const problem = readProblem(table, { layer, bound, isModel: byName.has(table) });
      if (problem !== undefined) problems.push(`${query.file}: reads ${table}, ${problem}`);
    }
  };
  for (const model of models) check(model, model.layer);
  for (const event of events) check(event, 'event');
  for (const audit of audits) check(audit, 'audit');
  for (const audit of audits) {
    if (!byName.has(audit.table))
      problems.push(`${audit.file}: there is no model ${audit.table} to audit: correct the name`);
    for (const table of audit.reaches)
      if (byName.get(table)?.layer !== 'out')
        problems.push(`${audit.file}: reaches ${table}, which is not an out model: correct the name`);
  }
  return problems;
}

/** Tables of a domain that no model builds: its own raw tables, and the policy tables of every domain. */
function boundTo(domain: string, domains: readonly ModelFolder[]): ReadonlySet<string> {
  const raw = domains.filter(({ id }) => id === domain).flatMap((own) => own.raw);
  return new Set([
    ...raw.map(({ name }) => `landing.${name}`),
    ...policyTablesOf(domains).map(({ name }) => `policy.${name}`),
  ]);
}

function readProblem(
  table: string,
  {
    layer,
    bound,
    isModel,
  }: { readonly layer: Layer | 'audit'; readonly bound: ReadonlySet<string>; readonly isModel: boolean },
): string | undefined {
  const schema = table.slice(0, table.indexOf('.'));
  const may = MAY_READ[layer];
  if (!may.includes(schema))
    return `but ${layer} may read only ${may.join(', ')}: go through a model of those layers`;
  if (isModel || bound.has(table)) return undefined;
  if (schema === 'landing') return 'which is not a raw table of its own domain';
  if (schema === 'policy') return 'which is not a policy table';
  return 'which no model builds: correct the name or add the model';
}

/** Orders each model after those it reads; ties by layer and name, so that the order is deterministic. */
export function inBuildOrder(models: readonly Model[]): readonly Model[] {
  const byName = new Map(models.map((model) => [model.name, model]));
  const ordered = new Set<Model>();
  const visit = (model: Model, trail: readonly string[]): void => {
    if (ordered.has(model)) return;
    if (trail.includes(model.name)) {
      const circle = [...trail.slice(trail.indexOf(model.name)), model.name].join(' -> ');
      throw new Error(
        `Models read each other in a cycle: ${circle}: move what they share into a model that they all read.`,
      );
    }
    for (const name of model.reads) {
      const read = byName.get(name);
      if (read !== undefined) visit(read, [...trail, model.name]);
    }
    ordered.add(model);
  };
  const layers = ['obs', 'derived', 'out'];
  const sorted = models.toSorted(
    (a, b) => layers.indexOf(a.layer) - layers.indexOf(b.layer) || (a.name < b.name ? -1 : 1),
  );
  for (const model of sorted) visit(model, []);
  return [...ordered];
}
