// How long the detectors take to find the events that simulated hours would trigger.
import { readFileSync } from 'node:fs';
import { openWhatIfEngine } from '../../jobs/app/what-if-engine.ts';
import { loadConfig } from '../../jobs/config.ts';
import { jsonReporter } from '../../jobs/pipeline/run/report.ts';
import { factorsOf } from '../../models/simulator/shock-paths.ts';
import { settingFlags } from '../../platform/command-line/command-line.ts';
import type { DetectorState } from '../../schemas/detector-state.ts';
import type { WhatIfQuestion } from '../../schemas/what-if.ts';
import { feedRows } from '../../server/analytics/simulator/feed-rows.ts';
import { FeedShocks } from '../../server/analytics/simulator/feed-shocks.ts';
import { testFolder } from '../support/pipeline-world.ts';

const HOUR = 3_600;
const DAY = 86_400;
const NOW = Date.UTC(2026, 2, 10, 9, 30) / 1_000;
const MARKETS = 20;
const COINS = ['USDC', 'USDT', 'DAI', 'FRAX', 'LUSD', 'PYUSD', 'GHO', 'USDE'];
/** Two known days, and a simulated week. */
const KNOWN_HOURS = 48;
const SIMULATED_HOURS = 168;

const LIQUIDITY_TYPES = ['liquidity.utilization.spike', 'liquidity.depth.collapse'] as const;

/** A peg with one feed in USD. */
function pegOf(symbol: string): DetectorState {
  const feed_address = `0x${symbol.toLowerCase()}`;
  const feed = {
    ...{ feed_address, provider: 'chainlink', base: symbol, quote: 'USD', asset_id: null, decimals: 8 },
    ...{
      source_kind: 'oracle' as const,
      pool_units: null,
      heartbeat_s: DAY,
      deviation_bps: 25,
      market_hours: 'crypto',
    },
    ...{ first_at: NOW - 30 * DAY, last_at: NOW - HOUR, round_id: '9', answer: '100000000', price: 1 },
    status: 'fresh' as const,
  };
  return {
    ...{ subject_id: `peg:ethereum:${symbol}`, chain: 'ethereum', asset_name: symbol, symbol, quote: 'USD' },
    ...{ asset_id: null, observed_at: NOW - HOUR, zone: 'inside', run_length: 9, run_started_at: NOW - DAY },
    ...{ worst_zone: 'inside', worst_run_length: 9, worst_run_started_at: NOW - DAY },
    ...{
      level: 0,
      is_depegged: false,
      is_doubted: false,
      is_open: false,
      since_at: null,
      sources: 1,
      live_feeds: [feed_address],
    },
    ...{ covers_to: NOW + DAY, ended_at: null, is_in_stay: null, stay_started_at: null, recovered_at: null },
    feeds: [feed],
  };
}

/** The price loses a tenth on the second day. */
const DEPEG = [
  [24, 1],
  [25, 0.9],
] as const;

function pegQuestion(): WhatIfQuestion {
  const pegs = COINS.map(pegOf);
  const prices = new Map(COINS.map((coin) => [coin, factorsOf(DEPEG, SIMULATED_HOURS)]));
  const input = {
    shocks: COINS.map((subject) => ({ kind: 'peg' as const, subject, path: DEPEG })),
    horizon_hours: SIMULATED_HOURS,
  };
  const shocks = new FeedShocks({ prices }, input, () => []);
  const feeds = pegs.flatMap(({ feeds: own, chain }) =>
    own.map((feed) => ({ ...feed, chain, asset_id: '' })),
  );
  const first = Math.ceil(NOW / HOUR) * HOUR;
  const begin = { first, start: first - (first % DAY) };
  const rows = feedRows({ feeds, pegs, shocks, hours: SIMULATED_HOURS }, begin);
  return {
    ...{ start: begin.start, from: first - 1, to: first + (SIMULATED_HOURS - 1) * HOUR },
    types: ['peg.depeg.start', 'peg.depeg.end', 'peg.depeg.recovered'],
    rows: {
      'obs.feed_registry': rows.registry,
      'derived.feed_state': rows.states,
      'obs.feed_round': rows.rounds,
      'derived.peg_step': rows.steps,
    },
  };
}

function marketQuestion(): WhatIfQuestion {
  const markets = Array.from({ length: MARKETS }, (_, index) => `m${index}`);
  const states = markets.flatMap((market_id, index) =>
    Array.from({ length: KNOWN_HOURS + SIMULATED_HOURS }, (_, hour) => {
      const observed_at = NOW + (hour - KNOWN_HOURS + 1) * HOUR;
      const utilization = Math.min(0.999, 0.5 + index / 100 + hour / 500);
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

/** Milliseconds of each run, after a warm-up. */
export interface DetectorTimes {
  /** About twenty markets. */
  readonly markets: readonly number[];
  /** About eight pegs. */
  readonly pegs: readonly number[];
}

export async function detectorMs(rounds: number): Promise<DetectorTimes> {
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
    const timed = async (question: WhatIfQuestion, count: number) => {
      const times: number[] = [];
      for (let round = 0; round <= rounds; round++) {
        const from = performance.now();
        const events = await engine.answer(question);
        if (events.length < count)
          throw new Error(`Only ${events.length} events of ${question.types.join(', ')}.`);
        times.push(performance.now() - from);
      }
      return times.slice(1);
    };
    return {
      markets: await timed(marketQuestion(), MARKETS),
      pegs: await timed(pegQuestion(), COINS.length),
    };
  } finally {
    await engine.close();
    folder.remove();
  }
}
