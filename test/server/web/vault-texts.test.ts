// What is wrong with a vault: what is not known, or not current, is never among the vaults without a trouble.
import { expect, test } from 'vitest';
import { troubleRank, troublesOf, type VaultState } from '../../../server/web/browser/vault-texts.ts';

const vault = (more: Partial<VaultState> = {}): VaultState => ({
  ...{ chain: 'ethereum', vault_address: '0xf1', name: null, protocol: null, kind: 'morpho_v1_1' },
  ...{ has_metadata: true, asset_symbol: null, curator: null, curator_name: null, total_assets_usd: 1 },
  ...{ share_price: '1', backed_share_price: '1', coverage: 1, net_apy_7d_pct: 1, withdrawable_usd: 1 },
  ...{ withdrawable_shared_usd: 1, withdrawable_share: 1, force_withdrawable_usd: 0, reallocatable_usd: 0 },
  ...{ unrealised_bad_debt_low_usd: 0, unrealised_bad_debt_high_usd: 0, is_gated: false },
  ...{ is_liquidity_low: false, pending_changes: 0, next_executable_at: null, flags: [], gaps: [] },
  ...{ state_at: 1, state_status: 'fresh' },
  ...more,
});

test.each([
  ['nothing', {}, 4, undefined],
  ['a loss', { coverage: 0.9804 }, 0, /^Only 98\.04 % of what it quotes is backed\.$/],
  ['the least loss', { coverage: 0.999999 }, 0, /^Only 99\.99 % of/],
  [
    'bad debt',
    { unrealised_bad_debt_low_usd: 1_500 },
    0,
    /^At least \$1,500\.00 of what it lent is not covered/,
  ],
  ['bad debt that may be', { unrealised_bad_debt_high_usd: 5 }, 4, undefined],
  ['bad debt that is not known', { gaps: ['bad_debt_unknown'] }, 2, /not covered is not known/],
  ['little liquidity', { is_liquidity_low: true }, 1, /Too little/],
  ['a gate', { is_gated: true }, 1, /A contract decides/],
  ['a source that is overdue', { state_status: 'unverifiable' }, 2, /not current/],
  ['a source that no longer reports it', { state_status: 'stale' }, 2, /not current/],
  [
    'logs that were not read',
    { pending_changes: null },
    3,
    /not known: its logs and its contracts do not tell/,
  ],
  ['sources that differ', { gaps: ['sources_disagree'] }, 3, /different prices/],
  ['a donation', { flags: ['donated'] }, 3, /interest can explain/],
] as const)('%s', (_, more, rank, trouble) => {
  const one = vault(more as Partial<VaultState>);
  expect([troubleRank(one), troublesOf(one).length]).toEqual([rank, trouble === undefined ? 0 : 1]);
  if (trouble !== undefined) expect(troublesOf(one)[0]).toMatch(trouble);
});

test('a vault that was never read is before those without a known trouble', () => {
  expect(troubleRank(vault({ state_at: null, state_status: 'unknown' }))).toBe(2);
});
