// Restaking protocols of the demo world, observed every six hours. Only the base protocol reports the figures of base protocols.

import type { ColumnsDelivery, Interval, Source } from '../../define/source.ts';
import { hash, signed } from './scenario/hash.ts';
import { type DemoSettings, firstDay } from './scenario/settings.ts';

const SIX_HOURS_S = 21_600;
const MIN_DAYS = 9;
const NATIVE_PRICE_USD = 3_100;
const SPREAD = 0.04;

interface Protocol {
  readonly protocol: string;
  readonly category: string;
  readonly native: number;
  readonly operators: number;
  /** Shares of a reward that go to stakers, protocol and operators. */
  readonly shares: readonly [stakers: number, protocol: number, operators: number];
  readonly base?: { readonly staked: number; readonly strategies: number; readonly pods: number };
}

const LIQUID = 'Liquid Restaking';
const PROTOCOLS: readonly Protocol[] = [
  {
    protocol: 'EigenLayer',
    category: 'Restaking',
    native: 4_100_000,
    operators: 1_540,
    shares: [0.9, 0, 0.1],
    base: { staked: 4_450_000, strategies: 27, pods: 38_000 },
  },
  {
    protocol: 'ether.fi',
    category: LIQUID,
    native: 2_400_000,
    operators: 190,
    shares: [0.9, 0.05, 0.05],
  },
  { protocol: 'Kelp', category: LIQUID, native: 360_000, operators: 24, shares: [0.9, 0.05, 0.05] },
  { protocol: 'Renzo', category: LIQUID, native: 260_000, operators: 19, shares: [0.9, 0.1, 0] },
  {
    protocol: 'Symbiotic',
    category: 'Restaking',
    native: 190_000,
    operators: 88,
    shares: [0.92, 0.03, 0.05],
  },
  { protocol: 'Karak', category: 'Restaking', native: 52_000, operators: 31, shares: [0.9, 0.05, 0.05] },
  { protocol: 'Puffer Stake', category: LIQUID, native: 36_000, operators: 12, shares: [0.85, 0.1, 0.05] },
  { protocol: 'Bedrock uniETH', category: LIQUID, native: 11_000, operators: 7, shares: [0.9, 0.1, 0] },
];

interface Sight extends Protocol {
  readonly observed_at: number;
  /** Factor by which the amounts deviate from their usual values. */
  readonly level: number;
}

export function restakingDemoSources(settings: DemoSettings): readonly Source[] {
  const start = firstDay(settings.startedAt, Math.max(settings.days, MIN_DAYS));
  return [
    {
      facts: {
        id: 'demo-restaking',
        kind: 'simulated',
        name: 'Demo world (simulated): restaking protocols',
        url: null,
        chain: null,
        license: null,
      },
      table: 'restaking_state',
      async *deliveries(interval) {
        const sights = sightsIn(settings.seed, start, interval);
        if (sights.length > 0) yield deliveryOf(sights);
      },
    },
  ];
}

function sightsIn(seed: number, start: number, { from, to }: Interval): Sight[] {
  const sights: Sight[] = [];
  const after = Math.max(start - 1, from);
  for (let at = after - (after % SIX_HOURS_S) + SIX_HOURS_S; at <= to; at += SIX_HOURS_S) {
    for (const [index, protocol] of PROTOCOLS.entries()) {
      const level = 1 + SPREAD * signed(hash(seed, 2_000 + index), at / SIX_HOURS_S);
      sights.push({ ...protocol, observed_at: at, level });
    }
  }
  return sights;
}

function deliveryOf(sights: readonly Sight[]): ColumnsDelivery {
  const column = <T>(value: (sight: Sight) => T) => sights.map(value);
  return {
    kind: 'columns',
    count: sights.length,
    columns: {
      protocol: column(({ protocol }) => protocol),
      category: column(({ category }) => category),
      observed_at: column(({ observed_at }) => observed_at),
      total_restaked_native: column(({ native, level }) => native * level),
      total_restaked_usd: column(({ native, level }) => native * level * NATIVE_PRICE_USD),
      registered_node_operators: column(({ operators }) => operators),
      staker_rewards: column(({ shares }) => shares[0]),
      protocol_fees: column(({ shares }) => shares[1]),
      node_operator_fees: column(({ shares }) => shares[2]),
      total_staked_native: column(({ base, level }) => (base === undefined ? null : base.staked * level)),
      total_staked_usd: column(({ base, level }) =>
        base === undefined ? null : base.staked * level * NATIVE_PRICE_USD,
      ),
      strategy_count: column(({ base }) => base?.strategies ?? null),
      deployed_pods: column(({ base }) => base?.pods ?? null),
    },
  };
}
