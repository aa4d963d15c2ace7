import { expect, test } from 'vitest';
import { lendingPolicy } from '../../../../jobs/families/lending/policy.ts';
import { loadPolicy } from '../../../../jobs/policies.ts';
import { SettingsError } from '../../../../platform/settings/settings-error.ts';

function positions(lending: unknown): string[] {
  try {
    loadPolicy({ lending });
  } catch (error) {
    if (error instanceof SettingsError) return error.problems.map(({ where }) => where);
    throw error;
  }
  throw new Error('this policy was accepted');
}

const MARKET = { chain: 'ethereum', market_id: '0xm' };

test('the defaults are a valid section of their own', () => {
  expect(loadPolicy({ lending: lendingPolicy.defaults }).lending).toEqual(lendingPolicy.defaults);
});

test('a market has a band of its own; a chain is found by its name', () => {
  const { markets, finality } = loadPolicy({
    lending: {
      markets: [{ ...MARKET, spike_at: 0.99, rearm_below: 0.97 }],
      finality: [{ chain: 'ethereum', depth_blocks: 96, block_s: 12 }],
    },
  }).lending;
  expect(markets).toEqual([{ ...MARKET, spike_at: 0.99, rearm_below: 0.97 }]);
  expect(finality).toHaveLength(lendingPolicy.defaults.finality.length);
  expect(finality).toContainEqual({ chain: 'ethereum', depth_blocks: 96, block_s: 12 });
});

test.each([
  [{ utilization: { spike_at: 1.1 } }, 'policy.lending.utilization.spike_at'],
  [{ utilization: { rearm_below: 0.95 } }, 'policy.lending.utilization'],
  [{ markets: [{ ...MARKET, spike_at: 0.9 }] }, 'policy.lending.markets 0xm'],
  [{ markets: [MARKET, MARKET] }, 'policy.lending.markets'],
  [{ depth: { collapse_at: 0.8 } }, 'policy.lending.depth'],
  [{ depth: { withdrawable_below: 0.03 } }, 'policy.lending.depth'],
  [{ finality: [{ chain: 'Ethereum', depth_blocks: 1, block_s: 1 }] }, 'policy.lending.finality.0.chain'],
  [{ confirm_observations: 0 }, 'policy.lending.confirm_observations'],
])('%j is refused, and where is said', (section, where) => {
  expect(positions(section)).toContain(where);
});
