import { beforeAll, expect, test, vi } from 'vitest';
import { nightlyBacktests } from '../../../../jobs/commands/backtest.ts';
import { runOnce } from '../../../../jobs/commands/work.ts';
import type { ExitInputs } from '../../../../schemas/analytics.ts';
import type { ExitBacktest } from '../../../../schemas/backtests.ts';
import type { Json } from '../../../../platform/base/json.ts';
import { neededFor } from '../../../support/needed-models.ts';
import { inWorld } from '../../../support/pipeline-world.ts';
import { documentsOf, exampleFiles } from '../../../support/published-files.ts';
import { describeRealData } from '../../../support/real-data.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

vi.setConfig({ testTimeout: 300_000 });

const at = (instant: string) => Date.parse(`${instant}:00Z`) / 1000;
const V2_USDC = 'ethereum:0xbcca60bb61934080951369a648fb03df4f96263c';
const V3_USDC = 'ethereum:0x98c23e9d8f34fefb1b7bd6a91b7ff122f4e16f5c';
const V3_USDT = 'ethereum:0x23878914efe38d27c4d67ab83ed1b93a74d4086a';
const V2_WETH = 'ethereum:0x030ba81f1c18d280636f32af80b9aad02cf0854e';

let dir: string;
beforeAll(() => {
  dir = temporaryFolder('world');
});

/** Published inputs and backtests as of an instant. */
async function publishedAt(instant: string) {
  const sources = Object.entries(exampleFiles('lending').sources).filter(([id]) => id.endsWith('-hourly'));
  const config = {
    profile: 'files',
    sources: Object.fromEntries(sources) as { readonly [id: string]: Json },
  };
  const world = {
    config,
    now: at('2026-01-01T00:00'),
    domains: neededFor({
      datasets: ['exit-inputs', 'return-inputs', 'exit-backtests'],
      tables: ['derived.vault_point', 'derived.lending_vault'],
    }),
  };
  await inWorld(dir, world, async (context) => {
    expect(await runOnce(context, at(instant))).toBe(0);
    await nightlyBacktests(context);
    expect(await runOnce(context, at(instant))).toBe(0);
  });
  return {
    inputs: documentsOf<ExitInputs>(dir, 'exit-inputs'),
    backtests: documentsOf<readonly ExitBacktest[]>(dir, 'exit-backtests'),
  };
}

function lowest({ hours }: ExitInputs) {
  const amount = Math.min(...hours.withdrawable_usd);
  const index = hours.withdrawable_usd.indexOf(amount);
  return { amount: Math.round(amount), hour: hours.hour[index], utilization: hours.utilization[index] };
}

const inputOf = (inputs: Readonly<Record<string, ExitInputs>>, id: string): ExitInputs => {
  const found = inputs[id];
  if (found === undefined) throw new Error(`no inputs of ${id}`);
  return found;
};

describeRealData('markets of Aave in distress, as published', () => {
  test('June 2022: four weeks of ether, of which any tested share could always leave at once', async () => {
    const { inputs, backtests } = await publishedAt('2022-07-01T00:30');
    expect(inputOf(inputs, V2_WETH).hours.hour.length).toBeGreaterThan(600);
    const [all] = backtests['all'] ?? [];
    expect(all).toMatchObject({ scored: 0, brier: null, verdict: 'insufficient' });
    expect(all?.forecasts).toBe(all?.immediate);
    expect(all?.forecasts).toBeGreaterThan(30);
  });

  test('March 2023: the lowest hours of both USDC markets, and histories too short for a forecast', async () => {
    const { inputs, backtests } = await publishedAt('2023-03-18T01:00');
    expect(lowest(inputOf(inputs, V2_USDC))).toMatchObject({
      amount: 195_757_077,
      hour: at('2023-03-11T06:00'),
    });
    expect(lowest(inputOf(inputs, V3_USDC))).toMatchObject({
      amount: 6_565_954,
      hour: at('2023-03-11T04:00'),
    });
    for (const row of backtests[V2_USDC] ?? [])
      expect(row).toMatchObject({ forecasts: 0, verdict: 'insufficient', gaps: [{ gap: 'history_short' }] });
    expect(backtests[V2_USDC]).toHaveLength(8);
  });

  test('August 2025: the lowest hour of USDT, and 70 hours above 95 %', async () => {
    const { inputs } = await publishedAt('2025-08-22T01:00');
    const usdt = inputOf(inputs, V3_USDT);
    expect(lowest(usdt)).toEqual({
      amount: 171_070_271,
      hour: at('2025-08-15T02:00'),
      utilization: expect.closeTo(0.97472, 5),
    });
    expect(usdt.hours.utilization.filter((one) => one > 0.95)).toHaveLength(70);
  });
});
