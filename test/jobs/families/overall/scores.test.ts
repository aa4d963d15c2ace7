import fc from 'fast-check';
import { afterAll, expect, test, vi } from 'vitest';
import { development } from '../../../../jobs/families/development/domain.ts';
import { renderParameters } from '../../../../jobs/engine/parameters.ts';
import { governance } from '../../../../jobs/families/governance/domain.ts';
import { overall } from '../../../../jobs/families/overall/domain.ts';
import { sources } from '../../../../jobs/families/sources/domain.ts';
import { overallPolicy } from '../../../../jobs/families/overall/policy.ts';
import { DEFAULT_POLICY } from '../../../../jobs/policies.ts';
import { social } from '../../../../jobs/families/social/domain.ts';
import { OVERALL_COMPONENTS } from '../../../../schemas/overall.ts';
import { duckDbTarget, openScratchEngine, prepareCases } from '../../../support/case-duckdb.ts';
import type { CaseRow } from '../../../support/case-file.ts';
import {
  DAY,
  decentralizationOf,
  type Fact,
  liquidityOf,
  type Operator,
  overallOf,
  type Pool,
  securityOf,
  type Token,
  tokenomicsOf,
} from './overall-model.ts';

vi.setConfig({ testTimeout: 120_000 });

const { set, catalogue } = await prepareCases([sources, development, governance, social, overall]);
const engine = await openScratchEngine();
const target = duckDbTarget(engine);
afterAll(() => engine.close());

/** 2024-10-04T00:00:00Z */
const TODAY = 1_728_000_000;
const DAYS = [TODAY - 2 * DAY, TODAY - DAY, TODAY];
const NOW = TODAY + DAY - 1;

type Given = Readonly<Record<string, readonly CaseRow[]>>;

const policyRows = (name: string): readonly CaseRow[] =>
  overallPolicy.tables.find((table) => table.name === name)?.rows(DEFAULT_POLICY) ?? [];
const POLICY = policyRows('overall');

/** Rows of a model over these tables; tables that are not given are empty. */
async function answer(name: string, given: Given): Promise<readonly CaseRow[]> {
  const model = set.models.find((one) => one.name === name);
  if (model === undefined) throw new Error(`there is no model ${name}`);
  for (const table of model.reads) await target.fill(table, catalogue.tables(table), given[table] ?? []);
  const sql = renderParameters(model.sql, { start: DAYS[0] ?? 0, end: NOW + 1, now: NOW });
  return target.rows(sql, catalogue.answer(model));
}

const protocolDays = (protocols: readonly string[]): readonly CaseRow[] =>
  protocols.flatMap((protocol) => DAYS.map((day) => ({ protocol, day, governance_id: protocol })));

/** Expects what the model answers of each protocol on each day, and a gap where it answers null. */
async function expectScores<T extends object>(
  name: string,
  given: Given,
  facts: readonly (readonly T[])[],
  of: (own: readonly T[], day: number) => number | null,
): Promise<void> {
  const names = facts.map((_, index) => `p${index}`);
  const rows = await answer(name, {
    ...given,
    'policy.overall': POLICY,
    'derived.overall_protocol_day': protocolDays(names),
  });
  expect(rows).toHaveLength(names.length * DAYS.length);
  for (const { protocol, day, score, gap, inputs } of rows) {
    const expected = of(facts[names.indexOf(String(protocol))] ?? [], Number(day));
    const about = `${protocol} on ${day}: ${inputs}`;
    if (expected === null) expect([score, gap === null, inputs], about).toEqual([null, false, null]);
    else expect(Math.abs(Number(score) - expected), about).toBeLessThan(1.01e-6);
  }
}

/** Facts of every protocol as rows of one table. */
const rowsOf = (facts: readonly (readonly { readonly observed_at: number }[])[]): readonly CaseRow[] =>
  facts.flatMap((own, index) =>
    own.map((fact) => ({
      ...fact,
      protocol: `p${index}`,
      day: fact.observed_at - (fact.observed_at % DAY),
    })),
  );
const often = <T>(one: fc.Arbitrary<T>) =>
  fc.array(fc.array(one, { maxLength: 8 }), { minLength: 1, maxLength: 12 });
const distinct = <T extends object>(key: (one: T) => string, facts: readonly (readonly T[])[]) =>
  facts.map((own) => [...new Map(own.map((one) => [key(one), one])).values()]);
const within = (days: number) =>
  fc
    .tuple(fc.integer({ min: -days, max: 0 }), fc.constantFrom(0, 1, 40_000, DAY - 1))
    .map(([day, s]) => TODAY + day * DAY + s);
const usd = fc.oneof(fc.constantFrom(0, 99_999, 100_000, 1e8), fc.integer({ min: 0, max: 200_000_000 }));

const RUNS = { numRuns: 15, endOnFailure: true } as const;

test('any components make the record of the definition, whatever the weights and the least that is needed', async () => {
  const part = fc.record({
    weight_bps: fc.integer({ min: 0, max: 3_000 }),
    score: fc.option(
      fc.oneof(fc.constantFrom(0, 1_000_000, 500_050), fc.integer({ min: 0, max: 1_000_000 })),
    ),
  });
  const protocols = fc.array(fc.array(part, { minLength: 6, maxLength: 6 }), { minLength: 1, maxLength: 20 });
  const min = fc.record({
    count: fc.integer({ min: 1, max: 6 }),
    bps: fc.integer({ min: 1, max: 10_000 }),
  });
  await fc.assert(
    fc.asyncProperty(protocols, min, async (drawn, { count, bps }) => {
      const components = drawn.flatMap((parts, at) =>
        parts.map(({ weight_bps, score }, index) => ({
          protocol: `p${at}`,
          component: OVERALL_COMPONENTS[index] ?? '',
          day: TODAY,
          score: score === null ? null : score / 1_000_000,
          gap: score === null ? 'no_data' : null,
          weight_bps,
        })),
      );
      const rows = await answer('derived.overall_day', {
        'policy.overall': POLICY.map((row) => ({ ...row, min_components: count, min_weight_bps: bps })),
        'derived.overall_component': components,
      });
      const found = new Map(rows.map((row) => [row['protocol'], row['gap'] ?? row['score']]));
      for (const [at, parts] of drawn.entries()) {
        const expected = overallOf(parts, { count, bps });
        expect(found.get(`p${at}`)).toBe(typeof expected === 'number' ? expected / 10_000 : expected);
      }
    }),
    RUNS,
  );
});

test('any pools have the liquidity of the definition', async () => {
  const pool: fc.Arbitrary<Pool> = fc.record({
    pool_id: fc.constantFrom('a', 'b', 'c'),
    observed_at: within(4),
    tvl_usd: usd,
    depth_usd: usd,
    utilization: fc.option(
      fc.oneof(fc.constantFrom(0, 0.8, 1, 1.5), fc.double({ min: 0, max: 1, noNaN: true })),
    ),
  });
  await fc.assert(
    fc.asyncProperty(often(pool), async (drawn) => {
      const pools = distinct(({ pool_id, observed_at }) => `${pool_id} ${observed_at}`, drawn);
      await expectScores(
        'derived.overall_liquidity',
        { 'obs.overall_pool': rowsOf(pools) },
        pools,
        liquidityOf,
      );
    }),
    RUNS,
  );
});

test('any registry has the security of the definition', async () => {
  const past = fc.oneof(within(3), within(420), within(1_300));
  const fact: fc.Arbitrary<Fact> = fc
    .record({
      fact: fc.constantFrom('deployment', 'audit', 'incident', 'parameter_flag', 'review'),
      title: fc.constantFrom('a', 'b'),
      observed_at: within(6),
      happened_at: past,
      ended_at: fc.option(within(4), { freq: 3 }),
      severity: fc.constantFrom('low', 'medium', 'high', 'critical'),
    })
    .map((one) => ({ ...one, severity: /incident|flag/.test(one.fact) ? one.severity : null }));
  const start: readonly Fact[] = (['deployment', 'review'] as const).map((kind) => ({
    fact: kind,
    title: 'first',
    observed_at: TODAY - 9 * DAY,
    happened_at: TODAY - 300 * DAY,
    ended_at: null,
    severity: null,
  }));
  const penalties = policyRows('overall_penalty');
  await fc.assert(
    fc.asyncProperty(often(fact), fc.boolean(), async (drawn, isBare) => {
      const key = (one: Fact) => `${one.fact} ${one.title} ${one.observed_at}`;
      const facts = distinct(key, isBare ? drawn : drawn.map((own) => [...start, ...own]));
      const given = { 'obs.overall_security': rowsOf(facts), 'policy.overall_penalty': penalties };
      await expectScores('derived.overall_security', given, facts, securityOf);
    }),
    RUNS,
  );
});

test('any operators and voting power have the decentralization of the definition', async () => {
  const operator: fc.Arbitrary<Operator> = fc.record({
    operator_id: fc.constantFrom('a', 'b', 'c', 'd'),
    observed_at: fc.oneof(within(3), within(33)),
    weight: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 1_000_000 })),
  });
  await fc.assert(
    fc.asyncProperty(often(operator), fc.option(fc.constantFrom(0, 0.25, 1)), async (drawn, autocracy) => {
      const operators = distinct((one) => `${one.operator_id} ${one.observed_at}`, drawn);
      const sets = await operatorSets(operators);
      const governed = protocolDays(operators.map((_, index) => `p${index}`)).map(({ protocol, day }) => ({
        protocol: protocol ?? null,
        day: day ?? null,
        autocracy,
        heard_day: TODAY,
      }));
      const given = {
        'derived.overall_operator_set': sets,
        'derived.governance_day': governed,
        'policy.governance': [{ participation_s: 30 * DAY, silence_s: 90 * DAY }],
      };
      await expectScores('derived.overall_decentralization', given, operators, (own, day) =>
        decentralizationOf(own, autocracy, day),
      );
    }),
    RUNS,
  );
});

/** Sets of every day there is, as a walk over all of them leaves them. */
async function operatorSets(operators: readonly (readonly Operator[])[]): Promise<readonly CaseRow[]> {
  const model = set.models.find(({ name }) => name === 'derived.overall_operator_set');
  if (model === undefined) throw new Error('there is no model of operator sets');
  await target.fill('obs.overall_operator', catalogue.tables('obs.overall_operator'), rowsOf(operators));
  const sql = renderParameters(model.sql, { start: TODAY - 40 * DAY, end: NOW + 1, now: NOW });
  return target.rows(sql, catalogue.answer(model));
}

test('any holders and emissions have the tokenomics of the definition', async () => {
  const amount = fc.option(fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 1_000_000 })));
  const token: fc.Arbitrary<Token> = fc.record({
    observed_at: within(10),
    top10_share: fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
    yield_usd: amount,
    emissions_usd: amount,
  });
  await fc.assert(
    fc.asyncProperty(often(token), async (drawn) => {
      const tokens = distinct(({ observed_at }) => String(observed_at), drawn);
      await expectScores(
        'derived.overall_tokenomics',
        { 'obs.overall_token': rowsOf(tokens) },
        tokens,
        tokenomicsOf,
      );
    }),
    RUNS,
  );
});
