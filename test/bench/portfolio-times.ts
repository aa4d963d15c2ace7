// The analysis of a large portfolio, and runs of the simulator over HTTP with and without the events that detectors would find.
import { analyzePortfolio, exitName, returnsName } from '../../server/analytics/portfolio/analyze.ts';
import { held, marketOf, normals, questionOf, returnsOf } from '../server/analytics/portfolio/world.ts';
import { ETH_FALLS, SimulatorApi, SUPPLY } from '../server/routes/simulator-api.ts';

const POSITIONS = 100;
const SYMBOLS = 30;
const MARKETS = 20;
const HOURS = 2_160;
const SIMULATOR_RUNS = 60;

const range = (count: number) => Array.from({ length: count }, (_, index) => index);

interface PortfolioSize {
  readonly symbols: number;
  readonly paths: number;
}

/** 100 positions in 20 markets over 720 hours. */
export function largePortfolio({ symbols: count, paths }: PortfolioSize) {
  const symbols = range(count).map((index) => `S${String(index).padStart(2, '0')}`);
  const markets = range(MARKETS).map((index) => `ethereum:0xm${index}`);
  const state = { supplied_usd: 10_000_000, withdrawable_usd: 1_000_000, depth_usd: 400_000 };
  const documents = Object.fromEntries([
    ...symbols.map((symbol, index) => [
      returnsName(symbol),
      returnsOf(symbol, normals(index + 1, HOURS, 0.002 + index / 10_000)),
    ]),
    ...markets.map((market, index) => [
      exitName(market),
      marketOf(market, { ...state, hours: HOURS, flow: (index - MARKETS / 2) / 10_000 }),
    ]),
  ]);
  const positions = range(POSITIONS).map((index) => {
    const symbol = symbols[index % count] ?? '';
    const assets = index % 4 === 0 ? [symbol, symbols[(index + 7) % count] ?? ''] : [symbol];
    const market = index < MARKETS ? { market: markets[index] ?? '' } : {};
    return held(index, 10_000 + index, { asset: assets.join('-'), assets, ...market });
  });
  return { question: questionOf(positions, { horizon_days: 30, paths }), documents };
}

/** CPU milliseconds of each analysis, after a warm-up. */
export function portfolioMs(rounds: number): readonly number[] {
  const { question, documents } = largePortfolio({ symbols: SYMBOLS, paths: 5_000 });
  return range(rounds + 1)
    .map(() => {
      const before = process.cpuUsage();
      const { var: found } = analyzePortfolio(question, documents);
      if (found?.inputs.symbols.length !== SYMBOLS) throw new Error('The analysis left symbols out.');
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1_000;
    })
    .slice(1);
}

/** Milliseconds of each run over HTTP, without the events that would fire; every request differs. */
export async function simulatorMs(): Promise<readonly number[]> {
  const api = await SimulatorApi.start();
  try {
    const times: number[] = [];
    for (let i = 0; i < SIMULATOR_RUNS; i++) {
      const from = performance.now();
      const body = { shocks: [ETH_FALLS], positions: [{ ...SUPPLY, amount_usd: 100_000 + i }] };
      const { status, json } = await api.run(body);
      if (status !== 200) throw new Error(`${status}: ${JSON.stringify(json)}`);
      times.push(performance.now() - from);
    }
    return times.slice(SIMULATOR_RUNS / 6);
  } finally {
    await api.stop();
  }
}
