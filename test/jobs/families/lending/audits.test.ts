import { afterAll, expect, test } from 'vitest';
import { lending } from '../../../../jobs/families/lending/domain.ts';
import { oracles } from '../../../../jobs/families/oracles/domain.ts';
import { pools } from '../../../../jobs/families/pools/domain.ts';
import { sources } from '../../../../jobs/families/sources/domain.ts';
import { openAuditBench } from '../../../support/audit-findings.ts';
import type { CaseRow } from '../../../support/case-file.ts';

const DAY = 1_772_323_200;
const NOW = DAY + 86_399;

const { found, close } = await openAuditBench([sources, oracles, pools, lending], {
  start: DAY,
  end: NOW + 1,
  now: NOW,
});
afterAll(close);

const problemsOf = async (table: string, rows: readonly CaseRow[]) =>
  (await found(table, rows)).map(({ problem }) => problem);

const day = (change: CaseRow = {}) => ({
  chain: 'e',
  market_id: 'm',
  day: DAY,
  last_at: NOW,
  supplied: 100,
  borrowed: 50,
  utilization: 0.5,
  flags: '',
  ...change,
});

test('a day of a market within its bounds passes, and so does one that says what is odd about it', async () => {
  expect(await problemsOf('derived.market_day', [day({ utilization: 0 })])).toEqual([]);
  expect(await problemsOf('derived.market_day', [day({ utilization: 1 })])).toEqual([]);
  expect(
    await problemsOf('derived.market_day', [day({ utilization: 1.04, flags: 'utilization_above_one' })]),
  ).toEqual([]);
  expect(
    await problemsOf('derived.market_day', [day({ supplied: 0, flags: 'debt_without_supply' })]),
  ).toEqual([]);
});

test.each([
  ['an amount below 0', [day({ supplied: -0.01 })], 'amount'],
  ['a utilisation below 0', [day({ utilization: -0.000_1 })], 'utilization'],
  ['a utilisation above 1 without a flag', [day({ utilization: 1.000_1 })], 'utilization'],
  ['the same where flags are not known', [day({ utilization: 1.000_1, flags: null })], 'utilization'],
  ['a debt of nothing', [day({ supplied: 0 })], 'debt without supply'],
  ['a state of the future', [day({ last_at: NOW + 1 })], 'future'],
  ['a market twice', [day(), day()], 'twice'],
])('%s stops the publication', async (_, rows, problem) => {
  expect(await problemsOf('derived.market_day', rows)).toEqual([problem]);
});

const event = (change: CaseRow = {}) => ({
  chain: 'e',
  tx_hash: 't',
  log_index: 1,
  block_hash: 'b',
  block_timestamp: DAY,
  final_at: DAY,
  on_chain_event: 'set_cap',
  ...change,
});

test.each([
  ['an event that is final with its block', [event()], []],
  ['one log on two blocks', [event(), event({ block_hash: 'c' })], []],
  ['an event that is final before its block', [event({ block_timestamp: DAY + 1 })], ['final too early']],
  ['an unknown action', [event({ on_chain_event: 'unrecognised' })], ['unrecognised']],
  ['one log twice', [event(), event()], ['twice']],
])('of vaults: %s', async (_, rows, problems) => {
  expect(await problemsOf('derived.vault_event', rows)).toEqual(problems);
});

const market = (market_id: string, change: CaseRow = {}) => ({
  chain: 'e',
  market_id,
  has_metadata: true,
  state_status: 'fresh',
  ...change,
});

test('markets that are stale, silent, unknown or in dispute are named with their share, and so are their oracles', async () => {
  const doubtful = [
    market('a', { state_status: 'stale', is_oracle_disputed: true }),
    market('b', { state_status: 'unknown', is_oracle_disputed: false }),
    market('c', { has_metadata: false }),
    market('d', { oracle_status: 'stale' }),
    market('e', { oracle_status: 'unverifiable' }),
    market('f', { oracle_status: 'unknown' }),
  ];
  expect(await found('out.lending_market', doubtful)).toEqual(
    [
      'are in no registry',
      'have a feed behind them that cannot be verified',
      'have a stale feed behind them',
      'have a stale state',
      'have feeds that disagree about a price',
      'have no state',
    ].map((words) => ({ reason: `1 of 6 markets ${words}`, weight: 1 / 6 })),
  );
  expect(await found('out.lending_market', [market('a', { is_oracle_disputed: false })])).toEqual([]);
  expect(await found('out.lending_market', [])).toEqual([]);
});
