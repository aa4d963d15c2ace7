import { afterAll, expect, test } from 'vitest';
import { borrowing } from '../../../../jobs/families/borrowing/domain.ts';
import { lending } from '../../../../jobs/families/lending/domain.ts';
import { oracles } from '../../../../jobs/families/oracles/domain.ts';
import { runAudits } from '../../../../jobs/pipeline/gate/audit.ts';
import { pools } from '../../../../jobs/families/pools/domain.ts';
import { sources } from '../../../../jobs/families/sources/domain.ts';
import { duckDbTarget, openScratchEngine, prepareCases } from '../../../support/case-duckdb.ts';
import type { CaseRow } from '../../../support/case-file.ts';
import { withEvents } from '../../../support/with-events.ts';

const NOW = 1_772_323_200;
const { set, catalogue } = await prepareCases(withEvents([sources, oracles, pools, lending, borrowing]));
const engine = await openScratchEngine();
afterAll(() => engine.close());

async function found(table: string, rows: readonly CaseRow[], tolerance = 0.05) {
  const target = duckDbTarget(engine);
  await target.fill(table, catalogue.tables(table), rows);
  const policy = [{ adaptive_max_age_s: 1, tranche_max_age_s: 1, debt_tolerance: tolerance }];
  await target.fill('policy.borrowing', catalogue.tables('policy.borrowing'), policy);
  const audits = set.audits.filter((audit) => audit.table === table);
  expect(audits).toHaveLength(1);
  const findings = await runAudits(engine, audits, { start: NOW, end: NOW + 1, now: NOW });
  return findings.flatMap((finding) => finding.rows);
}

const tranche = (fall_from: number, reached: number | null, market_id = '0xm') => ({
  chain: 'ethereum',
  market_id,
  observed_at: NOW,
  fall_from,
  fall_to: fall_from + 0.1,
  debt_usd: 1,
  collateral_usd: 1,
  reached,
});

test('tranches that touch are apart, those that overlap are named with their market', async () => {
  const table = 'derived.borrower_tranche';
  expect(await found(table, [tranche(0, null), tranche(0.1, 0.1)])).toEqual([]);
  expect(await found(table, [tranche(0, null), tranche(0.1, 0.1000001)])).toMatchObject([
    { chain: 'ethereum', market_id: '0xm', fall_from: 0.1 },
  ]);
});

const market = (market_id: string, tranches_usd: number, market_usd: number | null) => ({
  chain: 'ethereum',
  market_id,
  observed_at: NOW,
  tranches: 8,
  tranches_expected: null as number | null,
  tranches_usd,
  market_usd,
});

test('tranches that miss more of the debt than the tolerance are named, and weigh what they miss', async () => {
  const table = 'derived.borrower_coverage';
  const exact = [market('0xa', 95, 100), market('0xb', 0, 0)];
  expect(await found(table, exact)).toEqual([]);
  expect(await found(table, [...exact, market('0xc', 94, 100), market('0xd', 200, 100)])).toEqual([
    {
      reason: 'ethereum 0xc: the tranches hold 94 USD of debt, the market 100',
      weight: expect.closeTo(0.06 / 4, 12),
    },
    {
      reason: 'ethereum 0xd: the tranches hold 200 USD of debt, the market 100',
      weight: expect.closeTo(0.5 / 4, 12),
    },
  ]);
});

test('markets without a debt to compare with are counted', async () => {
  expect(await found('derived.borrower_coverage', [market('0xa', 5, null), market('0xb', 5, 5)])).toEqual([
    { reason: '1 of 2 markets report no debt to compare the tranches with', weight: 0 },
  ]);
});

test('a report of which a tranche is missing is named', async () => {
  const whole = { ...market('0xa', 5, 5), tranches_expected: 8 };
  expect(await found('derived.borrower_coverage', [whole])).toEqual([]);
  expect(
    await found('derived.borrower_coverage', [whole, { ...whole, market_id: '0xb', tranches: 7 }]),
  ).toEqual([{ reason: 'ethereum 0xb: the report has 8 tranches, 7 landed', weight: 1 / 16 }]);
});
