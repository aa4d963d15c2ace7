import { expect, test } from 'vitest';
import { layer2Policy } from '../../../../jobs/families/layer2/policy.ts';
import { loadPolicy } from '../../../../jobs/policies.ts';
import { LAYER2_FACTS } from '../../../../schemas/layer2.ts';
import { SettingsError } from '../../../../platform/settings/settings-error.ts';

const FACT = {
  network: 'base',
  fact: 'soft_finality',
  value: 2,
  note: 'one block',
  source: 'https://example.org/a',
  checked_on: '2026-03-01',
};

function positions(section: unknown): string[] {
  try {
    loadPolicy(section);
  } catch (error) {
    if (error instanceof SettingsError) return error.problems.map(({ where }) => where);
    throw error;
  }
  throw new Error('this policy was accepted');
}

test('every network has every fact once, each with a source, a date and a value of its kind', () => {
  for (const network of layer2Policy.defaults.networks) {
    const facts = layer2Policy.defaults.facts.filter((fact) => fact.network === network);
    expect(facts.map(({ fact }) => fact).sort()).toEqual([...LAYER2_FACTS].sort());
    for (const { fact, value, source, checked_on } of facts) {
      expect(typeof value).toBe(fact === 'validation_mechanism' ? 'string' : 'number');
      expect(source).toMatch(/^https:\/\//);
      expect(new Date(checked_on).toISOString()).toContain(checked_on);
    }
  }
});

test('the defaults are a valid section of their own', () => {
  expect(loadPolicy({ layer2: layer2Policy.defaults }).layer2).toEqual(layer2Policy.defaults);
});

test('a fact is added, or replaced with its source; the others stay', () => {
  const changed = { ...FACT, network: 'arbitrum' };
  const { facts } = loadPolicy({ layer2: { facts: [FACT, changed] } }).layer2;
  expect(facts).toHaveLength(layer2Policy.defaults.facts.length + 1);
  expect(facts).toContainEqual(FACT);
  expect(facts.filter(({ network, fact }) => network === 'arbitrum' && fact === 'soft_finality')).toEqual([
    changed,
  ]);
});

test.each([
  [{ layer2: { facts: [{ ...FACT, fact: 'speed' }] } }, 'policy.layer2.facts.0.fact'],
  [{ layer2: { facts: [{ ...FACT, value: -1 }] } }, 'policy.layer2.facts.0.value'],
  [{ layer2: { facts: [{ ...FACT, source: 'unknown' }] } }, 'policy.layer2.facts.0.source'],
  [{ layer2: { facts: [{ ...FACT, checked_on: 'today' }] } }, 'policy.layer2.facts.0.checked_on'],
  [{ layer2: { networks: ['Arbitrum'] } }, 'policy.layer2.networks.0'],
  [{ layer2: { networks: [] } }, 'policy.layer2.networks'],
  [{ layer2: { facts: [FACT, FACT] } }, 'policy.layer2.facts'],
  [{ restaking: { base_protocols: ['Eigen Layer'] } }, 'policy.restaking.base_protocols.0'],
])('%j is refused, and where is said', (section, where) => {
  expect(positions(section)).toContain(where);
});

test('one rule measures every rollup: batches are final with the settlement layer, blocks hold whole transfers', () => {
  const factOf = (network: string, name: string) =>
    layer2Policy.defaults.facts.find((fact) => fact.network === network && fact.fact === name)?.value;
  const capacity = (gas: number, blocks: number) => Math.floor(Math.floor(gas / 21_000) * blocks);
  for (const network of layer2Policy.defaults.networks)
    expect(factOf(network, 'hard_finality')).toBe(factOf(network, 'settlement_layer_finality'));
  expect(factOf('arbitrum', 'tx_per_sec_capacity')).toBe(capacity(32_000_000, 4));
  expect(factOf('optimism', 'tx_per_sec_capacity')).toBe(capacity(40_000_000, 1 / 2));
});
