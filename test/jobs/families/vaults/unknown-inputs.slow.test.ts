// Of the figures of vaults, of the yields on them and of caps: what is taken away from the inputs of their cases leaves each figure as it is, or
// makes it unknown. Nothing becomes smaller, and no verdict better.
import { afterAll, describe, expect, test } from 'vitest';
import { renderParameters } from '../../../../jobs/engine/parameters.ts';
import { domains } from '../../../../jobs/registry.ts';
import { duckDbTarget, openScratchEngine, prepareCases } from '../../../support/case-duckdb.ts';
import { type Case, type CaseRow, readCases } from '../../../support/case-file.ts';

const { set, catalogue } = await prepareCases(domains);
const engine = await openScratchEngine();
const target = duckDbTarget(engine);
afterAll(() => engine.close());

interface ModelInputs {
  readonly model: string;
  readonly key: readonly string[];
  readonly figures: readonly string[];
  /** What is measured, by table. */
  readonly inputs: Readonly<Record<string, readonly string[]>>;
  /** Figures that say what is not known: a missing input may only set them. */
  readonly alarms?: readonly string[];
}

const VAULT = ['chain', 'vault_address', 'observed_at'];
const MODELS: readonly ModelInputs[] = [
  {
    model: 'derived.vault_loss',
    key: VAULT,
    figures: ['low_usd', 'high_usd'],
    inputs: {
      'obs.vault_position': ['assets', 'market_supply'],
      'derived.oracle_point': ['bad_debt_low_usd', 'bad_debt_high_usd'],
      'obs.market_state': ['supplied', 'borrowed'],
      'derived.vault_point': ['is_complete'],
    },
  },
  {
    model: 'derived.vault_collateral',
    key: VAULT,
    figures: ['at_risk_low_usd', 'at_risk_high_usd'],
    inputs: { 'derived.lending_market': ['lltv'], 'obs.market_state': ['borrowed'] },
  },
  {
    model: 'derived.vault_collateral_point',
    key: VAULT,
    figures: ['zone'],
    inputs: {
      'derived.vault_point': ['withdrawable', 'asset_price_usd', 'idle_assets'],
      'derived.vault_collateral': ['at_risk_low_usd', 'at_risk_high_usd'],
      'obs.vault_position': ['market_cash'],
    },
  },
  {
    model: 'derived.vault_bad_debt',
    key: ['chain', 'vault_address'],
    figures: ['low_usd', 'high_usd'],
    inputs: {
      'derived.vault_holding': ['assets', 'supply_share'],
      'derived.vault_latest': ['is_complete', 'total_assets'],
      'derived.oracle_path': ['bad_debt_low_usd', 'bad_debt_high_usd'],
      'derived.market_day': ['borrowed'],
    },
  },
  {
    model: 'derived.vault_concentration',
    key: ['chain', 'vault_address'],
    figures: ['collateral_hhi'],
    inputs: { 'derived.vault_holding': ['share'], 'derived.lending_market': ['collateral_symbol'] },
  },
  {
    model: 'derived.assumption_instant',
    key: ['chain', 'assumption_id', 'observed_at'],
    figures: ['capped'],
    inputs: { 'obs.oracle_leg': ['parameters', 'cap'] },
  },
  {
    model: 'derived.yield_backing',
    key: ['opportunity_id'],
    figures: ['uncovered_low_usd', 'uncovered_high_usd'],
    inputs: {
      'derived.oracle_path': ['bad_debt_low_usd', 'bad_debt_high_usd'],
      'derived.vault_bad_debt': ['low_usd', 'high_usd'],
      'derived.market_day': ['borrowed'],
      'derived.vault_holding': ['assets'],
    },
    alarms: ['is_cover_unknown', 'is_assumption_broken'],
  },
];

async function answer(model: string, { given, params }: Pick<Case, 'given' | 'params'>) {
  const query = set.models.find(({ name }) => name === model);
  if (query === undefined) throw new Error(`there is no model ${model}`);
  const tables = query.readsSelf ? [...query.reads, query.name] : query.reads;
  for (const table of tables)
    await target.fill(table, catalogue.tables(table), given[table] ?? catalogue.defaults(table));
  return target.rows(renderParameters(query.sql, params), catalogue.answer(query));
}

/** The case without one value. */
const without = (
  one: Case,
  { table, index, field }: { table: string; index: number; field: string },
): Case => ({
  ...one,
  given: {
    ...one.given,
    [table]: (one.given[table] ?? []).map((row, at) => (at === index ? { ...row, [field]: null } : row)),
  },
});

function removalsFrom(one: Case, inputs: ModelInputs['inputs']) {
  return Object.entries(inputs).flatMap(([table, fields]) =>
    (one.given[table] ?? []).flatMap((row, index) =>
      fields.flatMap((field) => ((row[field] ?? null) === null ? [] : [{ table, index, field }])),
    ),
  );
}

describe.each(MODELS)('$model', ({ model, key, figures, inputs, alarms = [] }) => {
  const query = set.models.find(({ name }) => name === model);
  const cases = (query && readCases(query)) ?? [];
  test.each(cases)('$about', async (one) => {
    const nameOf = (row: CaseRow) => key.map((name) => row[name]).join('|');
    const whole = new Map((await answer(model, one)).map((row) => [nameOf(row), row]));
    for (const removal of removalsFrom(one, inputs))
      for (const row of await answer(model, without(one, removal))) {
        const before = whole.get(nameOf(row));
        const place = `${nameOf(row)} without ${removal.field} of row ${removal.index} of ${removal.table}`;
        for (const figure of figures) expect([null, before?.[figure]], place).toContainEqual(row[figure]);
        for (const alarm of alarms) if (before?.[alarm] === true) expect(row[alarm], place).toBe(true);
      }
  });
});
