import { beforeEach, expect, test, vi } from 'vitest';
import { backtest, nightlyBacktests } from '../../../jobs/commands/backtest.ts';
import { rebuild, runOnce } from '../../../jobs/commands/work.ts';
import { exitForecasts } from '../../../models/exit-backtest.ts';
import type { ExitInputs } from '../../../schemas/analytics.ts';
import {
  type ExitBacktest,
  ExitBacktestSchema,
  type RiskBacktest,
  RiskBacktestSchema,
} from '../../../schemas/backtests.ts';
import { errorsOf } from '../../../schemas/validator.ts';
import { neededFor } from '../../support/needed-models.ts';
import { datasetHashes, inWorld, publishedManifest } from '../../support/pipeline-world.ts';
import { documentsOf } from '../../support/published-files.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const MIDNIGHT = Date.UTC(2026, 2, 10) / 1000;
const MORNING = MIDNIGHT + 34_200;
const HOUR = 3_600;
const DAY = 86_400;

type Backtests = readonly (readonly [id: string, rows: readonly ExitBacktest[]])[];
/** Vaults of the demo of which it is known what can be withdrawn. */
const VAULTS = 8;

let dir: string;
beforeEach(() => {
  dir = temporaryFolder('world');
});
vi.setConfig({ testTimeout: 300_000 });

const world = (now: number) => ({
  flags: ['--demo-days', '32'],
  now,
  domains: neededFor({
    datasets: ['exit-inputs', 'return-inputs', 'exit-backtests', 'risk-backtests'],
    tables: ['derived.vault_point', 'derived.lending_vault'],
  }),
});

const exits = () => documentsOf<readonly ExitBacktest[]>(dir, 'exit-backtests');
const risks = () => documentsOf<readonly RiskBacktest[]>(dir, 'risk-backtests');

test('backtests land once a night, are published by the next tick, and survive a rebuild', async () => {
  const landed = await inWorld(dir, world(MORNING), async (context) => {
    await nightlyBacktests(context);
    expect(context.ingest.receipts('exit_backtest')).toHaveLength(0);
    await runOnce(context, null);
    await nightlyBacktests(context);
    await runOnce(context, MORNING);
    await nightlyBacktests(context);
    return context.ingest.receipts('exit_backtest').length;
  });
  expect(landed).toBe(1);
  checkPublished();

  const hashes = datasetHashes(dir);
  await inWorld(dir, { ...world(MORNING), isRebuild: true }, rebuild);
  expect(datasetHashes(dir)).toEqual(hashes);

  await inWorld(dir, world(MIDNIGHT + DAY + 60), async (context) => {
    await runOnce(context, null);
    expect(exits()['all']?.[0]?.as_of).toBe(MIDNIGHT);
    expect(await backtest(context)).toBe(0);
    expect(exits()['all']?.[0]?.as_of).toBe(MIDNIGHT + DAY);
    await nightlyBacktests(context);
    expect(context.ingest.receipts('exit_backtest')).toHaveLength(2);
  });
});

function checkPublished(): void {
  const subjectsOf = (isVault: boolean): Backtests =>
    Object.entries(exits()).filter(([id]) => id.startsWith('vault:') === isVault && !/(^|:)all$/.test(id));
  const [vaults, markets] = [subjectsOf(true), subjectsOf(false)];
  expect([vaults.length, markets.length]).toEqual([VAULTS, 23]);
  checkTotals(exits()['vault:all'] ?? [], vaults);
  checkTotals(exits()['all'] ?? [], markets);
  for (const row of Object.values(exits()).flat()) expect(errorsOf(ExitBacktestSchema, row)).toEqual([]);
  for (const row of Object.values(risks()).flat()) expect(errorsOf(RiskBacktestSchema, row)).toEqual([]);
  expect(risks()['ETH']).toHaveLength(12);
  expect(
    risks()['ETH']?.some(
      ({ trials, exceedances, exceeded }) => trials > 1 && exceedances === exceeded.length,
    ),
  ).toBe(true);
  const { sources } = publishedManifest(dir).datasets['exit-backtests'] ?? { sources: [] };
  expect(sources.map(({ kind }) => kind)).toEqual(['simulated']);
  checkAgainstInputs();
}

/** The rows of all together have the sums of their subjects. */
function checkTotals(all: readonly ExitBacktest[], subjects: Backtests): void {
  for (const { horizon_hours, size, forecasts, scored, exited, immediate, open } of all) {
    const own = subjects.flatMap(([, rows]) =>
      rows.filter((row) => row.horizon_hours === horizon_hours && row.size === size),
    );
    const sum = (value: (row: ExitBacktest) => number) => own.reduce((total, row) => total + value(row), 0);
    expect([forecasts, scored, exited]).toEqual([
      sum((row) => row.forecasts),
      sum((row) => row.scored),
      sum((row) => row.exited),
    ]);
    expect(immediate + open + scored).toBe(forecasts);
    expect(sum((row) => row.stranded.length)).toBe(scored - exited);
  }
  expect(all.some(({ scored }) => scored > 0)).toBe(true);
  for (const { horizon_hours, size, untested, untested_ids } of all) {
    const tested = subjects.filter(([, rows]) =>
      rows.some((row) => row.horizon_hours === horizon_hours && row.size === size && row.forecasts > 0),
    );
    expect(tested.filter(([id]) => untested_ids.includes(id))).toEqual([]);
    expect([untested, new Set(untested_ids).size]).toEqual([untested_ids.length, untested_ids.length]);
  }
}

/** Recomputes the counts of every market from the published inputs. */
function checkAgainstInputs(): void {
  const options = { window_hours: 2_160, min_hours: 336, paths: 500 };
  for (const [id, { hours }] of Object.entries(documentsOf<ExitInputs>(dir, 'exit-inputs'))) {
    const known = hours.hour.filter((hour) => hour + HOUR <= MIDNIGHT).length;
    const until = <T>(list: readonly T[]) => list.slice(0, known);
    const forecasts = exitForecasts(
      {
        hour: until(hours.hour),
        flow: until(hours.flow),
        supplied_usd: until(hours.supplied_usd),
        withdrawable_usd: until(hours.withdrawable_usd),
      },
      options,
    ).filter(({ horizon_hours }) => horizon_hours === 24);
    const row = exits()[id]?.find(({ horizon_hours, size }) => horizon_hours === 24 && size === null);
    expect([id, row?.forecasts, row?.immediate, row?.exited]).toEqual([
      id,
      forecasts.length,
      forecasts.filter(({ isImmediate }) => isImmediate).length,
      forecasts.filter(({ isImmediate, isExited }) => !isImmediate && isExited).length,
    ]);
  }
}
