// Network A of the demo world: a block every twelve seconds with a few transactions of every type, stake and supply every six hours, the
// mempool every hour. Each is a hash of its own instant, so any cut of time gives the same rows.
import type { ColumnsDelivery, Interval, Source, SourceFacts } from '../../define.ts';
import { hash } from '../hash.ts';
import { firstDay } from '../schedule.ts';
import type { DemoSettings } from '../world.ts';
import { blockDelivery, blocksOf, NETWORK, transactionDelivery, transactionsOf } from './network-a-chain.ts';

const HISTORY_DAYS = 9;
const HOUR_S = 3_600;
const STAKE_STEP_S = 6 * HOUR_S;

/** What the world's seed is mixed with, a number a stream. */
const STREAMS = { block: 101, transaction: 102, stake: 103, mempool: 104 } as const;

const factsOf = (id: string, name: string): SourceFacts => ({
  id: `demo-${id}`,
  kind: 'simulated',
  name: `Demo world (simulated): ${name}`,
  url: null,
  chain: NETWORK,
  license: null,
});

export function networkADemoSources(settings: DemoSettings): readonly Source[] {
  const start = firstDay(settings.startedAt, HISTORY_DAYS);
  const seedOf = (stream: keyof typeof STREAMS) => hash(settings.seed, STREAMS[stream]);
  const blocksIn = (interval: Interval) => blocksOf(seedOf('block'), start, interval);
  const transactionsIn = (interval: Interval) =>
    blocksIn(interval).flatMap((block) => transactionsOf(seedOf('transaction'), block));
  const source = <T>(
    [table, name]: readonly [string, string],
    rowsIn: (interval: Interval) => readonly T[],
    deliveryOf: (rows: readonly T[]) => ColumnsDelivery,
  ): Source => ({
    facts: factsOf(table.replaceAll('_', '-'), name),
    table,
    async *deliveries(interval) {
      const rows = rowsIn(interval);
      if (rows.length > 0) yield deliveryOf(rows);
    },
  });
  return [
    source(['network_a_block', 'blocks'], blocksIn, (rows) => blockDelivery(seedOf('transaction'), rows)),
    source(['network_a_transaction', 'transactions'], transactionsIn, (rows) =>
      transactionDelivery(settings.seed, rows),
    ),
    source(
      ['network_a_stake', 'validators and supply'],
      (interval) => instantsIn(start, STAKE_STEP_S, interval),
      (instants) => stakeDelivery(seedOf('stake'), instants),
    ),
    source(
      ['network_a_mempool', 'mempool'],
      (interval) => instantsIn(start, HOUR_S, interval),
      (instants) => mempoolDelivery(seedOf('mempool'), instants),
    ),
  ];
}

/** Multiples of the step after `from`, up to `to`, none before the world begins. */
function instantsIn(start: number, step: number, { from, to }: Interval): readonly number[] {
  const first = Math.max(start, (Math.floor(from / step) + 1) * step);
  const count = Math.max(0, Math.floor((to - first) / step) + 1);
  return Array.from({ length: count }, (_, place) => first + place * step);
}

function stakeDelivery(seed: number, instants: readonly number[]): ColumnsDelivery {
  /** Steps since 2024: validators and supply grow by a steady amount and waver around it. */
  const steps = instants.map((instant) => (instant - 1_704_067_200) / STAKE_STEP_S);
  const validators = steps.map((step) => 1_000_000 + 4 * step + (hash(seed, step) % 200));
  return {
    kind: 'columns',
    count: instants.length,
    columns: {
      network: instants.map(() => NETWORK),
      observed_at: Float64Array.from(instants),
      num_validators: Float64Array.from(validators),
      total_stake_native: Float64Array.from(validators, (count) => 32 * count),
      total_supply_native: Float64Array.from(
        steps,
        (step) => 120_000_000 + 160 * step + (hash(seed, -step) % 90),
      ),
      total_rewards_native: Float64Array.from(steps, (step) => 2_400_000 + 700 * step),
      apr_pct: Float64Array.from(steps, (step) => 2.8 + (hash(seed, step) % 20) / 100),
    },
  };
}

function mempoolDelivery(seed: number, instants: readonly number[]): ColumnsDelivery {
  return {
    kind: 'columns',
    count: instants.length,
    columns: {
      network: instants.map(() => NETWORK),
      observed_at: Float64Array.from(instants),
      pending: Float64Array.from(instants, (instant) => 60_000 + (hash(seed, instant / HOUR_S) % 90_000)),
      queued: Float64Array.from(instants, (instant) => 9_000 + (hash(seed, -instant / HOUR_S) % 7_000)),
    },
  };
}
