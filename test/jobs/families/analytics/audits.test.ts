import { afterAll, expect, test } from 'vitest';
import { domains } from '../../../../jobs/registry.ts';
import { openAuditBench } from '../../../support/audit-findings.ts';
import type { CaseRow } from '../../../support/case-file.ts';

const DAY = 1_772_323_200;
const NOW = DAY + 86_399;

const { found, close } = await openAuditBench(domains, {
  start: DAY,
  end: NOW + 1,
  now: NOW,
});
afterAll(close);

const problemsOf = async (table: string, rows: readonly CaseRow[]) =>
  (await found(table, rows)).map(({ problem }) => problem);

const HOUR = DAY + 3_600;

const hour = (change: CaseRow = {}) => ({
  chain: 'e',
  market_id: 'm',
  hour: HOUR,
  state_at: HOUR,
  flow: 0.1,
  previous_supplied_usd: 1,
  ...change,
});

test.each([
  ['that is whole', [hour()], []],
  ['without a flow', [hour({ flow: null, previous_supplied_usd: null })], []],
  ['that is none', [hour({ hour: HOUR + 1 })], ['not a full hour']],
  ['that is there twice', [hour(), hour()], ['twice']],
  ['with a state of the next second', [hour({ state_at: HOUR + 1 })], ['future']],
  ['with a flow of nothing', [hour({ previous_supplied_usd: 0 })], ['flow']],
  ['with a flow of the unknown', [hour({ previous_supplied_usd: null })], ['flow']],
])('an hour of a market %s', async (_, rows, problems) => {
  expect(await problemsOf('derived.market_hour', rows)).toEqual(problems);
});

const returned = (change: CaseRow = {}) => ({
  symbol: 'ETH',
  hour: HOUR,
  price_usd: 1,
  answered_at: HOUR,
  hour_return: -0.999,
  ...change,
});

test.each([
  ['that is whole', [returned()], []],
  ['without a return', [returned({ hour_return: null })], []],
  ['that is none', [returned({ hour: HOUR + 1, answered_at: HOUR })], ['not a full hour']],
  ['that is there twice', [returned(), returned()], ['twice']],
  ['without a price', [returned({ price_usd: null })], ['price']],
  ['with a price of 0', [returned({ price_usd: 0 })], ['price']],
  ['with an answer of the next second', [returned({ answered_at: HOUR + 1 })], ['future']],
  ['that lost everything', [returned({ hour_return: -1 })], ['return']],
])('an hour of an asset %s', async (_, rows, problems) => {
  expect(await problemsOf('derived.return_hour', rows)).toEqual(problems);
});

test('a short history and an old state lower the confidence by the share of the markets that have them', async () => {
  const market = (market_id: string, is_short: boolean, is_stale: boolean) => ({
    chain: 'e',
    market_id,
    is_short,
    is_stale,
  });
  const rows = [market('a', false, false), market('b', true, false), market('c', false, true)];
  expect(await found('out.exit_input', rows)).toEqual([
    { reason: '1 of 3 markets have a short history', weight: 1 / 3 },
    { reason: '1 of 3 markets have a stale state', weight: 1 / 3 },
  ]);
  expect(await found('out.exit_input', rows.slice(0, 1))).toEqual([]);
  expect(await found('out.exit_input', [])).toEqual([]);
});

test('a short history and a missing price lower the confidence by the share of the assets that have them', async () => {
  const asset = (symbol: string, is_short: boolean, price_usd: number | null) => ({
    symbol,
    is_short,
    price_usd,
  });
  const rows = [asset('A', false, 1), asset('B', true, 1), asset('C', false, null)];
  expect(await found('out.return_input', rows)).toEqual([
    { reason: '1 of 3 assets have a short history', weight: 1 / 3 },
    { reason: '1 of 3 assets have no price now', weight: 1 / 3 },
  ]);
  expect(await found('out.return_input', [])).toEqual([]);
});

test.each([
  ['out.risk_backtest', 'symbol', 'trials', 2, 'assets'],
  ['out.exit_backtest', 'id', 'forecasts', 1, 'markets'],
])(
  '%s names what was not tested, and that no midnight came since',
  async (table, id, count, enough, words) => {
    const row = (name: string, tested: number, as_of: number) => ({ [id]: name, [count]: tested, as_of });
    const LAST = NOW - 93_600;
    const of = (rows: readonly CaseRow[]) => found(table, rows, { 'derived.backtest_count': [] });
    expect(await of([row('a', enough, LAST), row('a', 0, LAST)])).toEqual([]);
    expect(await of([row('a', enough, NOW), row('b', enough - 1, NOW)])).toEqual([
      { reason: `1 of 2 ${words} have a history that is too short`, weight: 0.5 },
    ]);
    expect(await of([row('a', enough, LAST - 1)])).toEqual([
      { reason: `no ${table.slice('out.'.length)} of the last midnight`, weight: 1 },
    ]);
    expect(await of([])).toEqual([]);
  },
);

test('vaults whose exits were not tested are counted apart from markets, and those of all together not at all', async () => {
  const row = (id: string, forecasts: number) => ({ id, forecasts, as_of: NOW });
  const rows = [row('e:m', 1), row('all', 0), row('vault:all', 0), row('vault:e:a', 0), row('vault:e:b', 1)];
  expect(await found('out.exit_backtest', rows, { 'derived.backtest_count': [] })).toEqual([
    { reason: '1 of 2 vaults have a history that is too short', weight: 0.5 },
  ]);
});

test.each(['risk_backtest', 'exit_backtest'])(
  'rows of %s that the one before had are named',
  async (backtest) => {
    const count = (subject: string, rows_now: number, rows_before: number) => ({
      backtest,
      subject,
      rows_now,
      rows_before,
    });
    const other = { ...count('z', 0, 1), backtest: 'another' };
    const named = async (...rows: readonly CaseRow[]) =>
      await found(`out.${backtest}`, [], { 'derived.backtest_count': [other, ...rows] });
    expect(await named(count('a', 2, 2), count('d', 1, 0))).toEqual([]);
    expect(await named(count('a', 1, 2), count('b', 1, 1), count('c', 0, 1))).toEqual([
      { reason: 'a: 1 of 2 rows of the backtest before', weight: 0.5 },
      { reason: 'c: 0 of 1 rows of the backtest before', weight: 0.5 },
    ]);
  },
);
