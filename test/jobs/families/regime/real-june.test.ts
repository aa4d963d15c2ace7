import { afterEach, expect, test, vi } from 'vitest';
import { run } from '../../../../jobs/pipeline/run/run.ts';
import type { Json } from '../../../../platform/base/json.ts';
import { neededFor } from '../../../support/needed-models.ts';
import { inWorld, publishedEvents, type TestFolder, testFolder } from '../../../support/pipeline-world.ts';
import { exampleFiles } from '../../../support/published-files.ts';
import { describeRealData } from '../../../support/real-data.ts';

vi.setConfig({ testTimeout: 120_000 });

const END_OF_JUNE = Date.UTC(2022, 6, 1) / 1000;
const FIRST_HOUR = Date.UTC(2022, 5, 1) / 1000;
const NOW = Date.UTC(2026, 0, 1) / 1000;

const folders: TestFolder[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) folder.remove();
});

/** Pegs, the value locked on Optimism and one lending market: four signals. No price of ETH of that month is at hand. */
function sources(): { readonly [id: string]: Json } {
  const { optimism = null } = exampleFiles('anomalies').sources;
  const { 'aave-v2-weth-use': lending = null } = exampleFiles('regime').sources;
  return {
    ...exampleFiles('chainlink-feeds-mainnet').sources,
    ...exampleFiles('chainlink-usdc-usd-rounds-all-phases').sources,
    ...exampleFiles('chainlink-usdt-usd-rounds-all-phases').sources,
    optimism,
    lending,
  };
}

async function june(policy: { readonly [name: string]: Json }) {
  const folder = testFolder();
  folders.push(folder);
  const config = { profile: 'files', sources: sources(), policy: { regime: policy } };
  const domains = neededFor({ datasets: ['market-regime'], events: ['regime.'] });
  const hours = await inWorld(folder.dir, { config, now: NOW, domains }, async (world) => {
    const interval = { from: -1, to: END_OF_JUNE };
    await run(world, { interval, gather: true, detect: 'interval', publish: true });
    return world.warehouse.rows(
      `select hour, regime, confidence, signals from derived.regime_hour where hour >= ${FIRST_HOUR} order by hour`,
    );
  });
  const shifts = publishedEvents(folder.dir)
    .filter(({ value }) => value.ts.startsWith('2022-06'))
    .map(({ value }) => [value.ts.slice(5, 13), value.data['regime_type']]);
  return { hours, shifts };
}

describeRealData('June 2022, by the four signals that are at hand', () => {
  test('the week of the fall is seen, but with volatility missing only surely enough to leave risk-on for half a day', async () => {
    const { hours, shifts } = await june({});
    const stressed = hours.filter(({ regime: seen }) => seen === 'risk_off' || seen === 'crisis');
    const days = new Set(
      stressed.map(({ hour }) => new Date(Number(hour) * 1000).toISOString().slice(5, 10)),
    );
    expect([...days].sort()).toEqual(
      ['10', '11', '12', '13', '14', '15', '16', '18', '19'].map((day) => `06-${day}`),
    );
    expect(Math.max(...stressed.map(({ confidence }) => Number(confidence)))).toBe(0.4);
    for (const { signals } of hours) expect(signals).toContain('volatility_z:missing');
    // From 15 June 03:00 on, one signal votes for crisis next to three calm ones.
    expect(shifts).toEqual([
      ['06-15T05', 'neutral'],
      ['06-16T12', 'risk_on'],
    ]);
  });

  test('content with two signals of five, the market moves as Celsius, Three Arrows and ETH below 1,000 moved it', async () => {
    const { shifts } = await june({ min_confidence: 0.4 });
    expect(shifts).toEqual([
      ['06-10T19', 'risk_off'],
      ['06-14T02', 'crisis'],
      ['06-15T05', 'neutral'],
      ['06-15T11', 'risk_off'],
      ['06-16T12', 'risk_on'],
      ['06-18T10', 'risk_off'],
      ['06-19T23', 'risk_on'],
      ['06-30T04', 'neutral'],
    ]);
  });
});
