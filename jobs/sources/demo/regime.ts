// The lending markets of the demo world that feed the market regime: half utilised and with hardly a liquidation, except during the hours
// of a crash.

import { HOUR_S } from '../../../platform/base/time.ts';
import type { Source } from '../../define/source.ts';
import { hash, signed, unit } from './scenario/hash.ts';
import type { DemoSettings } from './scenario/settings.ts';
import { type Row, simulated } from './scenario/simulated.ts';
import { CRASH_S, instants, type Programme, programme } from './scenario/stress.ts';

const SEED = 9_800;
const STRESS_S = 14 * HOUR_S;
const MARKETS = [
  ['aave', 'usdc', 2.4e9],
  ['aave', 'weth', 5.1e9],
  ['morpho', 'usdc-weth', 0.4e9],
] as const;

export function regimeDemoSources(settings: DemoSettings): readonly Source[] {
  const world = { ...settings, ...programme(settings) };
  return [
    simulated({
      table: 'market_signal',
      what: 'use of lending markets',
      chain: 'ethereum',
      rowsIn: (interval) =>
        [...instants(world.start, interval, HOUR_S)].flatMap((at) => reportsAt(world, at)),
    }),
  ];
}

function reportsAt(world: DemoSettings & Programme, at: number): readonly Row[] {
  const since = (world.offset(at) ?? 0) - CRASH_S;
  const isStressed = since > 0 && since <= STRESS_S;
  return MARKETS.map(([protocol, market_id, usual], index) => {
    const seed = hash(world.seed, SEED + index);
    const supplied_usd = usual * (1 + 0.01 * signed(seed, at / HOUR_S));
    const borrowed_usd = supplied_usd * (isStressed ? 0.972 : 0.5 + 0.02 * signed(seed, at));
    const liquidated_usd = borrowed_usd * (isStressed ? 0.01 : 1e-6 * unit(seed, at + 1));
    return {
      chain: 'ethereum',
      protocol,
      market_id,
      observed_at: at,
      supplied_usd,
      borrowed_usd,
      liquidated_usd,
    };
  });
}
