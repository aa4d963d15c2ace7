import { beforeAll, expect, test, vi } from 'vitest';
import { backtest } from '../../../../jobs/commands/backtest.ts';
import { runOnce } from '../../../../jobs/commands/work.ts';
import { riskBacktests } from '../../../../models/risk-backtest.ts';
import type { VarModel } from '../../../../models/var-models.ts';
import type { ReturnInputs } from '../../../../schemas/analytics.ts';
import type { RiskBacktest } from '../../../../schemas/backtests.ts';
import { neededFor } from '../../../support/needed-models.ts';
import { inWorld } from '../../../support/pipeline-world.ts';
import { documentsOf, exampleFiles } from '../../../support/published-files.ts';
import { describeRealData } from '../../../support/real-data.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

vi.setConfig({ testTimeout: 300_000 });

const HOUR = 3_600;
const LAST_HOUR = Date.UTC(2024, 0, 29, 19) / 1000;
/** A day after the last full one, so that its midnight closes the backtest. */
const END = Date.UTC(2024, 0, 30, 1) / 1000;
const WINDOW_S = 2_160 * HOUR;

let dir: string;
beforeAll(() => {
  dir = temporaryFolder('world');
});

/** Returns of every published window by hour, and the backtest of the last midnight. */
async function publishedReturns(): Promise<ReadonlyMap<number, number>> {
  const config = {
    profile: 'files',
    sources: {
      ...exampleFiles('chainlink-feeds-mainnet').sources,
      ...exampleFiles('chainlink-eth-usd-rounds').sources,
    },
  };
  const world = {
    config,
    now: END,
    domains: neededFor({
      datasets: ['return-inputs', 'exit-inputs', 'risk-backtests'],
      tables: ['derived.vault_point', 'derived.lending_vault'],
    }),
  };
  const returns = new Map<number, number>();
  await inWorld(dir, world, async (context) => {
    for (const at of [3, 2, 1, 0].map((windows) => LAST_HOUR - windows * WINDOW_S)) {
      await runOnce(context, at);
      const { hours } = documentsOf<ReturnInputs>(dir, 'return-inputs')['ETH'] ?? { hours: null };
      if (hours === null) throw new Error('nothing is published');
      expect(hours.hour.length).toBeLessThanOrEqual(2_160);
      for (const [index, hour] of hours.hour.entries()) returns.set(hour, hours.return[index] ?? 0);
    }
    await runOnce(context, END);
    expect(await backtest(context)).toBe(0);
  });
  return returns;
}

describeRealData('ten months of ETH-USD by Chainlink', () => {
  // Exceedances and the p-values of Kupiec and of Christoffersen's independence, computed independently
  const RECORDED: readonly (readonly [VarModel, number, number, number, string, string])[] = [
    ['hs', 24, 0.95, 12, '0.62', '0.22'],
    ['hs', 24, 0.99, 4, '0.24', '0.69'],
    ['ewma', 24, 0.95, 8, '0.43', '0.42'],
    ['ewma', 24, 0.99, 3, '0.55', '0.77'],
    ['fhs', 24, 0.95, 10, '0.90', '0.31'],
    ['fhs', 24, 0.99, 2, '0.96', '0.84'],
    ['hs', 1, 0.95, 344, '0.23', '0.03'],
    ['hs', 1, 0.99, 71, '0.42', '0.05'],
    ['ewma', 1, 0.95, 271, '0.00', '0.10'],
    ['ewma', 1, 0.99, 130, '0.00', '0.07'],
    ['fhs', 1, 0.95, 329, '0.72', '0.08'],
    ['fhs', 1, 0.99, 71, '0.42', '0.24'],
  ];

  test('published windows join to every hour, and their backtests are those computed from the rounds alone', async () => {
    const returns = await publishedReturns();
    expect(returns.size).toBe(7_172);
    const rows = documentsOf<readonly RiskBacktest[]>(dir, 'risk-backtests')['ETH'] ?? [];
    expect(rows).toHaveLength(12);
    const joined = [...returns].sort(([a], [b]) => a - b);
    const own = riskBacktests({
      hour: joined.map(([hour]) => hour),
      return: joined.map(([, value]) => value),
    });
    for (const [model, step, level, exceedances, frequency, independence] of RECORDED) {
      const isIt = (one: { readonly model: string; readonly step_hours: number; readonly level: number }) =>
        one.model === model && one.step_hours === step && one.level === level;
      const found = own.find(isIt);
      expect(found?.trials).toBe(step === 1 ? 6_452 : 208);
      const tests = [found?.frequency, found?.independence].map((one) => one?.p_value.toFixed(2));
      expect([model, step, level, found?.exceedances.length, ...tests]).toEqual([
        model,
        step,
        level,
        exceedances,
        frequency,
        independence,
      ]);
      const row = rows.find(isIt);
      expect(row?.exceeded.map(({ at }) => at)).toEqual(found?.exceedances.map(({ at }) => at));
      // The last answer still counts at an hour after the last round.
      expect(row?.trials).toBe(step === 1 ? 6_453 : 208);
    }
  });
});
