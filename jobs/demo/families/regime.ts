// Lending markets of the demo world as far as the mood of the market goes: half used and hardly a liquidation, but for the hours of a crash.
import type { Source } from '../../define.ts';
import { hash, signed, unit } from '../hash.ts';
import type { DemoSettings } from '../world.ts';
import { CRASH_S, HOUR_S, instants, programme } from './stress.ts';

const SEED = 9_800;
const STRESS_S = 14 * HOUR_S;
const MARKETS = [
  ['aave', 'usdc', 2.4e9],
  ['aave', 'weth', 5.1e9],
  ['morpho', 'usdc-weth', 0.4e9],
] as const;

export function regimeDemoSources(settings: DemoSettings): readonly Source[] {
  const { start, offset } = programme(settings);
  const rowsAt = (at: number) => {
    const since = (offset(at) ?? 0) - CRASH_S;
    const isStressed = since > 0 && since <= STRESS_S;
    return MARKETS.map(([protocol, market_id, usual], place) => {
      const seed = hash(settings.seed, SEED + place);
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
  };
  return [
    {
      facts: {
        id: 'demo-market-signal',
        kind: 'simulated',
        name: 'Demo world (simulated): use of lending markets',
        url: null,
        chain: 'ethereum',
        license: null,
      },
      table: 'market_signal',
      async *deliveries(interval) {
        const rows = [...instants(start, interval, HOUR_S)].flatMap(rowsAt);
        const column = <T>(value: (row: (typeof rows)[number]) => T) => rows.map(value);
        if (rows.length === 0) return;
        yield {
          kind: 'columns',
          count: rows.length,
          columns: {
            chain: column(({ chain }) => chain),
            protocol: column(({ protocol }) => protocol),
            market_id: column(({ market_id }) => market_id),
            observed_at: column(({ observed_at }) => observed_at),
            supplied_usd: column(({ supplied_usd }) => supplied_usd),
            borrowed_usd: column(({ borrowed_usd }) => borrowed_usd),
            liquidated_usd: column(({ liquidated_usd }) => liquidated_usd),
          },
        };
      },
    },
  ];
}
