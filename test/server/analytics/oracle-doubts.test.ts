// Which rows of a version doubts about oracles are found from.
import { expect, test } from 'vitest';
import { oracleDoubtsOf } from '../../../models/oracle-doubts.ts';
import { oracleRowsOf } from '../../../server/analytics/oracle-doubts.ts';

const ROWS: Readonly<Record<string, object>> = {
  'lending-markets one|0xm': { supplied_usd: 100, borrowed_usd: 0, state_status: 'fresh' },
  'oracle-paths one:0xm': { verdict: 'verified', assumptions: [], is_broken: false, gaps: [] },
};
type Verdict = 'pass' | 'warn' | 'fail';

const rowsWhere = (verdicts: Readonly<Record<string, Verdict>>) =>
  oracleRowsOf({
    entry: (dataset) => {
      const verdict = verdicts[dataset];
      return (
        verdict && { quality_gate: { verdict, checks: [], evaluated_at: null, policy_version: '1.0.0' } }
      );
    },
    document: (dataset, key) => {
      const row = ROWS[`${dataset} ${key}`];
      return row && { hash: key, bytes: Buffer.from(JSON.stringify(row)) };
    },
  });
const doubts = (verdicts: Readonly<Record<string, Verdict>>) =>
  oracleDoubtsOf({
    ...rowsWhere(verdicts),
    claims: [{ market: 'one:0xm', amount_usd: 10 }],
    hiddenShare: 0,
  });

test.each(['pass', 'warn'] as const)('rows count where the gate of their dataset says %s', (verdict) => {
  const { marketOf, hasPaths } = rowsWhere({ 'oracle-paths': verdict, 'lending-markets': verdict });
  expect(hasPaths).toBe(true);
  expect(marketOf('one:0xm')).toEqual({
    state: ROWS['lending-markets one|0xm'],
    path: ROWS['oracle-paths one:0xm'],
  });
  expect(marketOf('one:0xn')).toEqual({ state: undefined, path: undefined });
});

test('rows that stay from before a failed gate say nothing: neither that the oracle is right nor that nothing is lent', () => {
  expect(doubts({ 'oracle-paths': 'pass', 'lending-markets': 'pass' }).markets).toEqual([]);
  expect(doubts({ 'oracle-paths': 'fail', 'lending-markets': 'fail' })).toMatchObject({
    loss_high_usd: null,
    gaps: ['oracle_paths_missing'],
    markets: [{ market: 'one:0xm', reasons: ['path_unknown', 'bad_debt_unknown'] }],
  });
  const { marketOf } = rowsWhere({ 'oracle-paths': 'pass', 'lending-markets': 'fail' });
  expect(marketOf('one:0xm').state).toBeUndefined();
});
