import { expect, test } from 'vitest';
import { overallPolicy } from '../../../../jobs/families/overall/policy.ts';
import { DEFAULT_POLICY, loadPolicy, type Policy } from '../../../../jobs/policies.ts';

const rowsOf = (name: string, policy: Policy) =>
  overallPolicy.tables.find((table) => table.name === name)?.rows(policy) ?? [];

test('the defaults are the documented weights and limits, and nothing is wrong with them', () => {
  expect(overallPolicy.defaults).toMatchObject({
    weights: {
      liquidity: 0.25,
      security: 0.25,
      decentralization: 0.15,
      tokenomics: 0.15,
      development: 0.12,
      social: 0.08,
    },
    min_components: 4,
    min_weight: 0.7,
  });
  expect(overallPolicy.contradictions(DEFAULT_POLICY)).toEqual([]);
});

test('a part of the policy is changed and shows in the version', () => {
  const policy = loadPolicy({ overall: { weights: { liquidity: 0.2, social: 0.13 }, min_components: 3 } });
  expect(policy.overall).toEqual({
    ...overallPolicy.defaults,
    weights: { ...overallPolicy.defaults.weights, liquidity: 0.2, social: 0.13 },
    min_components: 3,
  });
  expect(policy.policy_version).toMatch(/^1\.0\.0\+[0-9a-f]{16}$/);
});

test.each([
  [{ weights: { social: 0.09 } }, 'weights that add up to 1'],
  [{ weights: { social: 0.07995, security: 0.25005 } }, 'at most four decimals'],
  [{ min_weight: 0.70001 }, 'at most four decimals'],
  [{ liquidity: { depth_floor_usd: 1e8 } }, 'the floor below the full depth'],
  [{ liquidity: { depth_weight: 0 } }, 'a part that may be the only known one'],
  [{ tokenomics: { holders_weight: 0 } }, 'a part that may be the only known one'],
  [{ decentralization: { voting_weight: 0 } }, 'a part that may be the only known one'],
  [
    { security: { age_weight: 0, audits_weight: 0, incidents_weight: 0, flags_weight: 0 } },
    'a part that may',
  ],
  [{ min_components: 7 }, '1 to 6'],
  [{ liquidity: { carry_days: 8 } }, '0 to 7'],
  [{ tokenomics: { token_days: 31 } }, '1 to 30'],
  [{ decentralization: { operator_days: 91 } }, '1 to 90'],
  [{ weight: {} }, 'weights'],
])('%j is refused with what is expected', (overall, expected) => {
  expect(() => loadPolicy({ overall })).toThrow(expected);
});

test('the formulas that are published are written from the constants in force', () => {
  const policy = loadPolicy({
    overall: { social: { damping_messages: 77 }, liquidity: { depth_floor_usd: 5_000 }, min_weight: 0.55 },
  });
  const formulas = Object.fromEntries(
    rowsOf('overall_component', policy).map(({ component, formula }) => [component, formula]),
  );
  expect(Object.keys(formulas)).toHaveLength(6);
  expect(formulas['social']).toContain('(messages + 77)');
  expect(formulas['liquidity']).toContain('ln(depth_usd / 5000)');
  expect(rowsOf('overall', policy)).toMatchObject([{ formula: expect.stringContaining('weight of 0.55') }]);
});

test('the table of constants has a value for each column', () => {
  const [row = {}] = rowsOf('overall', DEFAULT_POLICY);
  const columns = overallPolicy.tables.find(({ name }) => name === 'overall')?.columns ?? [];
  expect(Object.keys(row).sort()).toEqual(columns.map(({ name }) => name).sort());
  expect(row).toMatchObject({
    depth_floor_usd: 100_000,
    utilization_weight: 0.4,
    full_audits: 4,
    incident_half_life_days: 365,
    flags_weight: 0.15,
    operators_weight: 0.4,
    emissions_weight: 0.5,
    damping_messages: 50,
    carry_s: 86_400,
    audit_s: 1_095 * 86_400,
    review_s: 365 * 86_400,
    operator_s: 30 * 86_400,
    token_s: 7 * 86_400,
    min_components: 4,
    min_weight_bps: 7_000,
    policy_version: '1.0.0',
  });
});
