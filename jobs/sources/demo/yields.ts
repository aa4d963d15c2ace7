// Yield opportunities of the demo world, observed twice a day. One pool's TVL drains, one's APY explodes, one pool vanishes, and one is
// listed by two venues.

import { DAY_S } from '../../../platform/base/time.ts';
import type { ColumnsDelivery, Interval, Source } from '../../define/source.ts';
import { signed } from './scenario/hash.ts';
import { type DemoSettings, firstDay } from './scenario/settings.ts';
import { simulatedFacts } from './scenario/simulated.ts';
import { type DemoPool, demoPools, VENUES } from './yields-catalogue.ts';

const HALF_DAY_S = 43_200;
const YEAR_S = 31_557_600;
const MIN_DAYS = 9;
/** Days between repetitions of the scripted breach, so that a long-running world has a recent one. */
const BREACH_EVERY_DAYS = 20;
const BREACH_DAYS = 3;
const LEFT_AFTER_FLIGHT = 0.002;
const STABLES = new Set('USDC USDT DAI FRAX LUSD GHO PYUSD USDE CRVUSD SUSDE'.split(' '));

/** Indexes of the scripted pools. */
const FLEEING = 0;
const EXPLODING = 5;
const VANISHING = 9;
const LISTED_TWICE = 14;
const ALSO_LISTED_BY = 'old-index';

const COINS = [
  ['USDC', 'fiat-backed'],
  ['USDT', 'fiat-backed'],
  ['PYUSD', 'fiat-backed'],
  ['DAI', 'crypto-backed'],
  ['FRAX', 'crypto-backed'],
  ['LUSD', 'crypto-backed'],
  ['GHO', 'crypto-backed'],
  ['USDE', 'crypto-backed'],
  ['CRVUSD', 'crypto-backed'],
] as const;

interface Sight extends DemoPool {
  readonly observed_at: number;
}

export function yieldsDemoSources(settings: DemoSettings): readonly Source[] {
  const start = firstDay(settings.startedAt, Math.max(settings.days, MIN_DAYS));
  const pools = demoPools(settings);
  const once = (delivery: ColumnsDelivery) =>
    async function* ({ from, to }: Interval) {
      if (start > from && start <= to) yield delivery;
    };
  return [
    {
      facts: simulatedFacts('demo-yield-coins', 'coin registry'),
      table: 'yield_coin',
      deliveries: once(coinDelivery(start)),
    },
    {
      facts: simulatedFacts('demo-yield-venues', 'venues'),
      table: 'yield_venue',
      deliveries: once(venueDelivery(start)),
    },
    {
      facts: simulatedFacts('demo-yield-pools', 'yield pools'),
      table: 'yield_pool',
      async *deliveries(interval) {
        const sights = sightsIn(pools, {
          start,
          startedAt: settings.startedAt,
          interval,
          isCalm: !settings.incidents,
        });
        if (sights.length > 0) yield poolDelivery(sights);
      },
    },
  ];
}

function sightsIn(
  pools: readonly DemoPool[],
  {
    start,
    startedAt,
    interval,
    isCalm,
  }: {
    readonly start: number;
    readonly startedAt: number;
    readonly interval: Interval;
    readonly isCalm: boolean;
  },
): Sight[] {
  const sights: Sight[] = [];
  const after = Math.max(start - 1, interval.from);
  for (let at = after - (after % HALF_DAY_S) + HALF_DAY_S; at <= interval.to; at += HALF_DAY_S) {
    for (const [index, pool] of pools.entries()) {
      const isGone = !isCalm && index === VANISHING && at > startedAt - 2 * DAY_S;
      if (isGone) continue;
      const sight = { ...drifted(pool, at), observed_at: at };
      sights.push(isCalm ? sight : scripted(sight, index, start));
      if (!isCalm && index === LISTED_TWICE) sights.push({ ...sight, project: ALSO_LISTED_BY });
    }
  }
  return sights;
}

function drifted(pool: DemoPool, at: number): DemoPool {
  const day = Math.floor(at / DAY_S);
  return {
    ...pool,
    apy: rounded(pool.apy * (1 + pool.swing * signed(pool.seed, day) + 0.01 * signed(pool.seed + 1, at)), 5),
    tvl_usd: Math.round(pool.tvl_usd * (1 + 0.03 * signed(pool.seed + 2, day))),
  };
}

function scripted(sight: Sight, index: number, start: number): Sight {
  const day = Math.floor((sight.observed_at - start) / DAY_S);
  const isStruck =
    day % BREACH_EVERY_DAYS >= BREACH_EVERY_DAYS - BREACH_DAYS - 1 &&
    day % BREACH_EVERY_DAYS < BREACH_EVERY_DAYS - 1;
  if (index === FLEEING) return { ...sight, tvl_usd: Math.round((isStruck ? LEFT_AFTER_FLIGHT : 1) * 3e8) };
  return index === EXPLODING && isStruck ? { ...sight, apy: 1e6 } : sight;
}

const rounded = (value: number, digits: number) => Number(value.toFixed(digits));

function poolDelivery(sights: readonly Sight[]): ColumnsDelivery {
  const column = <T>(value: (sight: Sight) => T) => sights.map(value);
  const part = (share: (rewards: number) => number) => (sight: Sight) =>
    sight.reward_share === null ? null : rounded(sight.apy * share(sight.reward_share), 5);
  const listed = new Map<string, Sight>();
  for (const sight of sights) listed.set(listingOf(sight), sight);
  const codes = new Map([...listed.keys()].map((listing, code) => [listing, code]));
  return {
    kind: 'columns',
    count: sights.length,
    columns: {
      observed_at: column(({ observed_at }) => observed_at),
      tvl_usd: column(({ tvl_usd }) => tvl_usd),
      available_liquidity_usd: column(({ tvl_usd, available }) =>
        available === null ? null : Math.round(tvl_usd * available),
      ),
      net_apy: column(({ apy }) => apy),
      base_apy: column(part((rewards) => 1 - rewards)),
      reward_apy: column(part((rewards) => rewards)),
    },
    shared: {
      codes: Int32Array.from(sights, (sight) => codes.get(listingOf(sight)) ?? 0),
      values: listingColumns([...listed.values()]),
    },
  };
}

const listingOf = ({ project, pool_id }: Sight) => `${project} ${pool_id}`;

const isStable = ({ asset }: Sight) => asset.split('-').every((symbol) => STABLES.has(symbol));

/** The attributes of a pool that do not change. */
function listingColumns(pools: readonly Sight[]): ColumnsDelivery['columns'] {
  const column = <T>(value: (pool: Sight) => T) => pools.map(value);
  const isSlow = ({ strategy }: Sight) => strategy === 'restaking' || strategy === 'basis';
  return {
    pool_id: column(({ pool_id }) => pool_id),
    project: column(({ project }) => project),
    chain_name: column(({ chain }) => chain),
    asset: column(({ asset }) => asset),
    label: column(() => null),
    strategy: column(({ strategy }) => strategy),
    directionality: column((pool) =>
      isStable(pool) ? 'neutral' : pool.strategy === 'lp' ? 'mixed' : 'long',
    ),
    is_stablecoin: column(isStable),
    tier: column(({ seed }) => 1 + (seed % 3)),
    curator: column(({ project }) => (project === 'gauntlet-vaults' ? 'gauntlet' : null)),
    address: column(({ pool_id }) => pool_id),
    url: column(() => null),
    apy_mean_30d: column(() => null),
    track_record_days: column(({ track_record_days }) => track_record_days),
    has_il_risk: column((pool) => pool.strategy === 'lp' && !isStable(pool)),
    exposure: column(({ asset }) => (asset.includes('-') ? 'multi' : 'single')),
    withdrawal_state: column((pool) => (isSlow(pool) ? 'queue' : 'instant')),
    lockup_seconds: column((pool) => (isSlow(pool) ? 7 * DAY_S : 0)),
    is_outlier: column(() => false),
  };
}

function coinDelivery(start: number): ColumnsDelivery {
  const column = <T>(value: (coin: (typeof COINS)[number]) => T) => COINS.map(value);
  return {
    kind: 'columns',
    count: COINS.length,
    columns: {
      coin_id: column(([symbol]) => symbol.toLowerCase()),
      symbol: column(([symbol]) => symbol),
      name: column(([symbol]) => symbol),
      peg_type: column(() => 'peggedUSD'),
      mechanism: column(([, mechanism]) => mechanism),
      is_yield_bearing: column(() => false),
      observed_at: column(() => start),
    },
  };
}

function venueDelivery(start: number): ColumnsDelivery {
  const known = VENUES.flatMap(({ project, record }) => (record === null ? [] : [{ project, record }]));
  return {
    kind: 'columns',
    count: known.length,
    columns: {
      project: known.map(({ project }) => project),
      launched_at: known.map(({ record }) => start - Math.round(record[0] * YEAR_S)),
      audits: known.map(({ record }) => record[1]),
      incidents: known.map(({ record }) => record[2]),
      observed_at: known.map(() => start),
    },
  };
}
