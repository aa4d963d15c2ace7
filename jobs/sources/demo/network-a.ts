// Network A of the demo world: a block every twelve seconds, transactions summarised every ten minutes, stake and supply every six hours,
// the mempool every hour. Each row is derived from a hash of its instant, so rows do not depend on how time is divided.

import { HOUR_S } from '../../../platform/base/time.ts';
import type { ColumnsDelivery, Interval, Source, SourceFacts } from '../../define/source.ts';
import { hash } from './scenario/hash.ts';
import { type DemoSettings, firstDay } from './scenario/settings.ts';
import { blockDelivery, blocksOf, NETWORK } from './network-a-chain.ts';
import { Balance, STAKE_STEP_S } from './network-a-stake.ts';
import { summariesOf, summaryDelivery } from './network-a-summaries.ts';

const HISTORY_DAYS = 9;

/** Mixed into the seed of the demo world, one number per stream. */
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
  const balance = new Balance(seedOf('stake'), start, blocksIn);
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
    source(
      ['network_a_transaction_summary', 'transactions'],
      (interval) => summariesOf(seedOf('block'), start, interval),
      summaryDelivery,
    ),
    source(
      ['network_a_stake', 'validators and supply'],
      (interval) => lastSecondsIn(start, STAKE_STEP_S, interval),
      (instants) => balance.delivery(instants),
    ),
    source(
      ['network_a_mempool', 'mempool'],
      (interval) => instantsIn(start, HOUR_S, interval),
      (instants) => mempoolDelivery(seedOf('mempool'), instants),
    ),
  ];
}

/** Multiples of the step after `from`, up to `to`, none before the start of the demo world. */
function instantsIn(start: number, step: number, { from, to }: Interval): readonly number[] {
  const first = Math.max(start, (Math.floor(from / step) + 1) * step);
  const count = Math.max(0, Math.floor((to - first) / step) + 1);
  return Array.from({ length: count }, (_, index) => first + index * step);
}

/** The last second of every step, so that the last figures of a day describe its end. */
const lastSecondsIn = (start: number, step: number, { from, to }: Interval) =>
  instantsIn(start, step, { from: from + 1, to: to + 1 }).map((instant) => instant - 1);

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
