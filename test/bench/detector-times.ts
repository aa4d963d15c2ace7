// How long the detectors need to say which events simulated hours would set off.
import { readFileSync } from 'node:fs';
import { loadConfig } from '../../jobs/config.ts';
import { openWhatIfEngine } from '../../jobs/context/what-if-engine.ts';
import { jsonReporter } from '../../jobs/pipeline/run/report.ts';
import { settingFlags } from '../../launch/cli/split-arguments.ts';
import type { WhatIfQuestion } from '../../schemas/what-if.ts';
import { testFolder } from '../support/pipeline-world.ts';

const HOUR = 3_600;
const DAY = 86_400;
const NOW = Date.UTC(2026, 2, 10, 9, 30) / 1_000;
const MARKETS = 20;
/** Two days that are known, and a week that is simulated. */
const KNOWN_HOURS = 48;
const SIMULATED_HOURS = 168;

const LIQUIDITY_TYPES = ['liquidity.utilization.spike', 'liquidity.depth.collapse'] as const;

function question(): WhatIfQuestion {
  const markets = Array.from({ length: MARKETS }, (_, place) => `m${place}`);
  const states = markets.flatMap((market_id, place) =>
    Array.from({ length: KNOWN_HOURS + SIMULATED_HOURS }, (_, hour) => {
      const observed_at = NOW + (hour - KNOWN_HOURS + 1) * HOUR;
      const utilization = Math.min(0.999, 0.5 + place / 100 + hour / 500);
      const free = 1e8 * (1 - utilization);
      return {
        ...{ chain: 'e', market_id, observed_at, day: observed_at - (observed_at % DAY), utilization },
        ...{ supplied_usd: 1e8, withdrawable_usd: free, depth_usd: free },
      };
    }),
  );
  const rows = {
    'obs.lending_market': markets.map((market_id) => ({
      ...{ chain: 'e', market_id, protocol: 'aave', observed_at: 0 },
    })),
    'obs.market_state': states,
  };
  const start = NOW - KNOWN_HOURS * HOUR;
  const types = [...LIQUIDITY_TYPES];
  return { start: start - (start % DAY), from: NOW, to: NOW + SIMULATED_HOURS * HOUR, types, rows };
}

/** Milliseconds of each of so many answers about twenty markets, after one that warms up. */
export async function detectorMs(rounds: number): Promise<readonly number[]> {
  const folder = testFolder();
  const nowMs = () => NOW * 1_000;
  const config = loadConfig({
    flags: settingFlags('--data-dir', folder.dir),
    env: {},
    readFile: (path) => readFileSync(path, 'utf8'),
  });
  const reporter = jsonReporter({ write: () => undefined, nowMs, level: 'error' });
  const engine = await openWhatIfEngine(config, { nowMs, reporter, processId: 'bench' });
  try {
    const times: number[] = [];
    for (let round = 0; round <= rounds; round++) {
      const from = performance.now();
      const events = await engine.answer(question());
      if (events.length < MARKETS) throw new Error(`Only ${events.length} events in ${MARKETS} markets.`);
      times.push(performance.now() - from);
    }
    return times.slice(1);
  } finally {
    await engine.close();
    folder.remove();
  }
}
