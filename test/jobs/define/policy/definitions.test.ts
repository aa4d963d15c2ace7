// Every policy of the service: each value has a default within its limits and says what it is, and its tables fit their columns.
import { describe, expect, test } from 'vitest';
import { policyTablesOf } from '../../../../jobs/define/domain.ts';
import { DEFAULT_POLICY, loadPolicy } from '../../../../jobs/policies.ts';
import { domains } from '../../../../jobs/registry.ts';
import { describedPolicy } from '../../../docs/describe-policy.ts';

const described = describedPolicy();
const isOfEntry = (name: string) => /\[\]|\*/.test(name);

test('each name is described once, and there are as many as there are values', () => {
  const names = described.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(names).toContain('peg.bands.nav.enter_bps');
  expect(names).toContain('yields.asset.assets[].asset_class');
  expect(names).toContain('storm.cooldown_s.*');
  expect(names).toContain('networks.seat_price_native');
  expect(names).not.toContain('methodology_version');
});

describe.each(described.map((row) => [row.name, row] as const))('%s', (name, row) => {
  test('says what it is and what it may be', () => {
    expect(row.description).toMatch(/^[A-Z].{2,}[^.]$/);
    expect(row.limits).not.toMatch(/undefined|^$/);
    if (['number', 'whole number'].includes(row.type)) expect(row.limits).toMatch(/\d/);
  });

  test('has a default, unless it belongs to an entry', () => {
    if (isOfEntry(name)) return expect(row.default).toBeNull();
    const value = name
      .split('.')
      .reduce<unknown>((values, key) => (values as Record<string, unknown>)[key], DEFAULT_POLICY);
    expect(JSON.parse(row.default ?? 'null')).toEqual(value);
  });
});

test('the defaults are a valid section and stay the defaults', () => {
  const { methodology_version: _, regime, ...section } = structuredClone(DEFAULT_POLICY);
  const signals = Object.entries(regime.signals).map(([name, { is_falling: __, ...rule }]) => [name, rule]);
  const written = { ...section, regime: { ...regime, signals: Object.fromEntries(signals) } };
  expect(loadPolicy(written)).toEqual(DEFAULT_POLICY);
});

describe.each(policyTablesOf(domains).map((table) => [table.name, table] as const))(
  'policy.%s',
  (_, table) => {
    test('has the columns of its rows, and values of their types', () => {
      const rows = table.rows(DEFAULT_POLICY);
      const types = new Map(table.columns.map(({ name, type }) => [name, type]));
      for (const [name, value] of rows.flatMap(Object.entries)) {
        const type = types.get(name);
        if (value === null) expect(type).toBeDefined();
        else if (type === 'BIGINT') expect(value).toSatisfy(Number.isSafeInteger);
        else
          expect(typeof value).toBe(
            { VARCHAR: 'string', DOUBLE: 'number', BOOLEAN: 'boolean' }[String(type)],
          );
      }
    });
  },
);

test('no two tables share a name', () => {
  const names = policyTablesOf(domains).map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});

test('a name that a map does not take is refused with what its names are', () => {
  expect(() => loadPolicy({ restaking: { native_pairs: { 'A b': 'ETH-USD' } } })).toThrow(
    /policy\.restaking\.native_pairs\.A b: is not known here; expected a map from \S/,
  );
});
