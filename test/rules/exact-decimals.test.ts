// Engines convert doubles to decimals, and long decimals to doubles, with different last digits: models use exact_decimal and exact_double.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadWarehouse } from '../../jobs/app/open-context.ts';
import type { DuckDb } from '../../jobs/engine/duckdb/session.ts';
import { NO_TIME, renderParameters } from '../../jobs/engine/parameters.ts';
import { literal } from '../../jobs/engine/sql-text.ts';
import type { ModelSet } from '../../jobs/pipeline/models/model.ts';
import { DEFAULT_POLICY } from '../../jobs/policies.ts';
import { domains } from '../../jobs/registry.ts';
import { openScratchEngine } from '../support/case-duckdb.ts';

let db: DuckDb;
let models: ModelSet;
beforeAll(async () => {
  db = await openScratchEngine();
  ({ models } = await loadWarehouse(db, { policy: DEFAULT_POLICY, domains }));
});
afterAll(() => db.close());

/** Number of digits that a double always holds. */
const SHORT = 15;

interface Type {
  readonly id: string;
  readonly type_info: { readonly width: number; readonly scale: number } | null;
}

type Node = { readonly [name: string]: unknown };

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null;

function typeOf({ return_type: type, value }: Node): Type | undefined {
  if (isNode(type)) return type as unknown as Type;
  return isNode(value) && isNode(value['type']) ? (value['type'] as unknown as Type) : undefined;
}

/** Types of an expression; if it has none of its own, such as a case, those of its branches. */
function typesIn(node: unknown): readonly Type[] {
  if (!isNode(node)) return [];
  const own = Array.isArray(node) ? undefined : typeOf(node);
  return own === undefined ? Object.values(node).flatMap(typesIn) : [own];
}

const isInexact = (from: Type, to: Type): boolean =>
  from.id === 'DOUBLE'
    ? to.id === 'DECIMAL'
    : from.id === 'DECIMAL' && to.id === 'DOUBLE' && (from.type_info?.width ?? 0) > SHORT;

function inexactCasts(plan: unknown): string[] {
  if (!isNode(plan)) return [];
  const below = Object.values(plan).flatMap(inexactCasts);
  const to = typeOf(plan);
  if (plan['expression_class'] !== 'BOUND_CAST' || to === undefined) return below;
  const child = plan['child'];
  // A constant is the same on every engine.
  if (isNode(child) && isConstant(child)) return below;
  const from = typesIn(child).find((type) => isInexact(type, to));
  return from === undefined ? below : [...below, `${from.id} to ${to.id}`];
}

function isConstant({ expression_class: kind, child, children }: Node): boolean {
  if (kind === 'BOUND_CAST') return isNode(child) && isConstant(child);
  if (kind === 'BOUND_FUNCTION') return (children as readonly Node[]).every(isConstant);
  return kind === 'BOUND_CONSTANT';
}

async function problemsOf(sql: string): Promise<string[]> {
  const text = renderParameters(sql, NO_TIME);
  const [row] = await db.rows(`select json_serialize_plan(${literal(text)}, optimize := false) as plan`);
  const plan = row?.['plan'];
  if (!isNode(plan) || plan['error'] !== false) throw new Error(`no plan: ${JSON.stringify(plan)}`);
  return inexactCasts(plan['plans']);
}

test('no model, event or audit casts between doubles and decimals in a way in which engines differ', async () => {
  // `append` models are computed by DuckDB in every warehouse.
  const computed = models.models.filter(({ kind }) => kind !== 'append');
  const problems: string[] = [];
  for (const { file, sql } of [...computed, ...models.events, ...models.audits])
    problems.push(...(await problemsOf(sql)).map((problem) => `${file}: ${problem}`));
  expect(problems).toEqual([]);
  expect(computed.length).toBeGreaterThan(100);
});

test.each([
  'select cast(x as decimal(38, 6)) from (select random() as x) t',
  'select sum(cast(x * 2 as decimal(38, 6))) from (select random() as x) t',
  'select cast(case when x > 0 then x end as decimal(38, 6)) from (select random() as x) t',
  'select cast(d as double) from (select cast(1 as decimal(38, 18)) as d) t',
  'select sum(d) / 2 from (select cast(1 as decimal(38, 18)) as d) t',
])('%s is caught', async (sql) => {
  expect((await problemsOf(sql)).length).toBeGreaterThan(0);
});

test.each([
  'select cast(cast(n as decimal(38, 0)) as varchar) from (select cast(1 as bigint) as n) t',
  'select x * 0.5 from (select random() as x) t',
  'select cast(cast(d as varchar) as double) from (select cast(1 as decimal(38, 18)) as d) t',
])('%s passes', async (sql) => {
  expect(await problemsOf(sql)).toEqual([]);
});
