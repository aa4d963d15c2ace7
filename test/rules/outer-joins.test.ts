// An outer join whose condition is more than comparisons of one side with the other is computed by comparing every row with every row: a
// test of one side, or two comparisons joined by `or`, turns a join of thousands of rows into millions of comparisons. Such a test belongs
// into what is compared: `on m.market_id = case when p.held_kind = 'market' then p.held end`.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { policyTablesOf } from '../../jobs/define/domain.ts';
import type { DuckDb } from '../../jobs/engine/duckdb/session.ts';
import { DuckDbWarehouse } from '../../jobs/engine/duckdb/warehouse.ts';
import { NO_TIME, renderParameters } from '../../jobs/engine/parameters.ts';
import { loadModels } from '../../jobs/pipeline/models/load-models.ts';
import type { ModelSet } from '../../jobs/pipeline/models/model.ts';
import { DEFAULT_POLICY } from '../../jobs/policies.ts';
import { domains } from '../../jobs/registry.ts';
import { openScratchEngine } from '../support/case-duckdb.ts';

interface Step {
  readonly name: string;
  readonly children?: readonly Step[];
  readonly extra_info?: { readonly 'Join Type'?: string; readonly Condition?: string };
}

let engine: DuckDb;
let set: ModelSet;
beforeAll(async () => {
  engine = await openScratchEngine();
  set = await loadModels(engine, domains);
  const warehouse = new DuckDbWarehouse(engine);
  for (const table of policyTablesOf(domains)) await warehouse.bindPolicy(table, table.rows(DEFAULT_POLICY));
  await warehouse.prepare({ models: set.models, raw: domains.flatMap(({ raw }) => raw) });
});
afterAll(() => engine.close());

async function planOf(sql: string): Promise<readonly Step[]> {
  const [row] = await engine.rows(`explain (format json) ${renderParameters(sql, NO_TIME)}`);
  return JSON.parse(String(Object.values(row ?? {}).at(-1)));
}

/** Conditions of the outer joins that compare every row with every row. `true` joins a single row. */
function slowJoins(steps: readonly Step[]): readonly string[] {
  return steps.flatMap(({ name, children = [], extra_info: details = {} }) => {
    const { 'Join Type': kind, Condition: condition = '' } = details;
    const isSlow = name.includes('BLOCKWISE') && kind !== 'INNER' && condition !== 'true';
    return [...(isSlow ? [condition] : []), ...slowJoins(children)];
  });
}

it('recognises an outer join that compares every row with every row', async () => {
  const rows =
    'select a.day from derived.market_day a left join derived.market_day b on b.market_id = a.market_id';
  expect(slowJoins(await planOf(rows))).toEqual([]);
  expect(slowJoins(await planOf(`${rows} and a.chain = 'ethereum'`))).toHaveLength(1);
});

it('no model, event, audit joins outer rows by comparing every row with every row', async () => {
  const { models, events, audits } = set;
  const found: string[] = [];
  for (const { file, sql } of [...models, ...events, ...audits])
    for (const condition of slowJoins(await planOf(sql))) found.push(`${file}: ${condition}`);
  expect(found).toEqual([]);
});
