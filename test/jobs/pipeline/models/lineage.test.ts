import { afterAll, beforeAll, expect, test } from 'vitest';
import type { DuckDb } from '../../../../jobs/engine/duckdb/session.ts';
import { modelsOfEvents, traced } from '../../../../jobs/pipeline/models/lineage.ts';
import { loadModels } from '../../../../jobs/pipeline/models/load-models.ts';
import type { ModelSet } from '../../../../jobs/pipeline/models/model.ts';
import { domains } from '../../../../jobs/registry.ts';
import { openScratchEngine } from '../../../support/case-duckdb.ts';

let engine: DuckDb;
let set: ModelSet;
let models: ModelSet['models'];
beforeAll(async () => {
  engine = await openScratchEngine();
  set = await loadModels(engine, domains);
  ({ models } = set);
});
afterAll(() => engine.close());

const byName = (a: { readonly name: string }, b: { readonly name: string }) => (a.name < b.name ? -1 : 1);

const tracedDataset = (id: string) => {
  const dataset = domains.flatMap(({ datasets }) => datasets).find((one) => one.id === id);
  if (dataset === undefined) throw new Error(`there is no dataset ${id}`);
  return traced({ models, domains }, dataset);
};

test.each([
  ['lending-parameter-changes', ['lending_market', 'market_parameter']],
  ['vault-events', ['lending_vault', 'vault_log']],
  ['event-rules', []],
  ['source-readings', []],
])('%s depends on every raw table that its models read', (id, tables) => {
  expect(tracedDataset(id).rests_on.toSorted()).toEqual(tables);
});

test('the models that events depend on read no other models, and are a minority', () => {
  const { read, others } = modelsOfEvents(set);
  expect([...read, ...others].toSorted(byName)).toEqual(models.toSorted(byName));
  const names = new Set(read.map(({ name }) => name));
  const left = new Set(others.map(({ name }) => name));
  for (const { name, reads } of [...read, ...set.events])
    expect(
      reads.filter((table) => left.has(table)),
      name,
    ).toEqual([]);
  expect(names.has('derived.feed_status')).toBe(true);
  expect(read.length).toBeLessThan(others.length);
});

test('raw tables are in the order of the domains, and other tables of the lineage are left out', () => {
  const { lineage, rests_on } = tracedDataset('mev-sandwiches');
  expect(rests_on).toEqual(['feed_registry', 'feed_round', 'feed_bounds', 'mev_swap']);
  expect(lineage.has('derived.mev_sandwich')).toBe(true);
});

test.each([
  ['mev-sandwiches', ['mev_swap']],
  [
    'coverage',
    [
      'feed_bounds',
      'feed_registry',
      'feed_round',
      'lending_market',
      'lending_protocol',
      'lending_vault',
      'market_oracle',
      'market_state',
      'vault_log',
    ],
  ],
  ['event-rules', []],
])('of these, %s needs those of its own domain, or all of them if it has none', (id, tables) => {
  expect(tracedDataset(id).own_tables.toSorted()).toEqual(tables);
});

test('a dataset that no model builds depends on nothing', () => {
  const [dataset] = domains.flatMap(({ datasets }) => datasets);
  if (dataset === undefined) throw new Error('there is no dataset');
  expect(traced({ models: [], domains }, dataset).rests_on).toEqual([]);
});
