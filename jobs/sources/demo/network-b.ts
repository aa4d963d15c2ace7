// Network B of the demo world: heights count seconds; one block a minute contains all transactions and is delivered; validators are
// reported every six hours, supply and users every hour. Each row is derived from a hash of its instant, so rows do not depend on how
// time is divided.

import { HOUR_S } from '../../../platform/base/time.ts';
import type { ColumnsDelivery, Interval, Source } from '../../define/source.ts';
import { hash, unit } from './scenario/hash.ts';
import { type DemoSettings, firstDay } from './scenario/settings.ts';

const HISTORY_DAYS = 9;
const MINUTE_S = 60;
const EPOCH_S = 12 * HOUR_S;
const ANSWER_STEP_S = 6 * HOUR_S;
const GENESIS = 1_595_350_551;
const VALIDATORS = 120;
const SHARDS = 6;
/** More seats than validators, as on the real chain since it has had 300 seats. */
const SEATS = 300;
const PROTOCOL_VERSION = 80;
const NETWORK = 'near';
/** Mixed into the seed of the demo world, one number per stream. */
const STREAMS = { block: 201, validator: 202, state: 203 } as const;

export function networkBDemoSources(settings: DemoSettings): readonly Source[] {
  const start = firstDay(settings.startedAt, HISTORY_DAYS);
  const seedOf = (stream: keyof typeof STREAMS) => hash(settings.seed, STREAMS[stream]);
  return [
    simulated('network_b_block', 'blocks', (interval) =>
      blockDelivery(seedOf('block'), instantsIn(start, MINUTE_S, interval)),
    ),
    simulated('network_b_validators', 'validators', (interval) =>
      validatorsDelivery(seedOf('validator'), instantsIn(start, ANSWER_STEP_S, interval)),
    ),
    simulated('network_b_state', 'supply and users', (interval) =>
      stateDelivery(seedOf('state'), instantsIn(start, HOUR_S, interval)),
    ),
  ];
}

function simulated(table: string, name: string, deliveryOf: (interval: Interval) => ColumnsDelivery): Source {
  const id = `demo-${table.replaceAll('_', '-')}`;
  return {
    facts: {
      id,
      kind: 'simulated',
      name: `Demo world (simulated): network B, ${name}`,
      url: null,
      chain: NETWORK,
      license: null,
    },
    table,
    async *deliveries(interval) {
      const delivery = deliveryOf(interval);
      if (delivery.count > 0) yield delivery;
    },
  };
}

/** Multiples of the step after `from`, up to `to`, none before the start of the demo world. */
function instantsIn(start: number, step: number, { from, to }: Interval): readonly number[] {
  const first = Math.max(start, (Math.floor(from / step) + 1) * step);
  const count = Math.max(0, Math.floor((to - first) / step) + 1);
  return Array.from({ length: count }, (_, index) => first + index * step);
}

/** Supply grows by a little under five percent a year, in steps of half a day. */
const supplyNative = (instant: number) => 1_000_000_000 + Math.floor((instant - GENESIS) / EPOCH_S) * 65_000;

function blockDelivery(seed: number, instants: readonly number[]): ColumnsDelivery {
  const minutes = instants.map((instant) => instant / MINUTE_S);
  const transactions = Float64Array.from(minutes, (minute) => 100 + (hash(seed, minute) % 1_500));
  return {
    kind: 'columns',
    count: instants.length,
    columns: {
      instant: Float64Array.from(instants),
      nanosecond: Float64Array.from(minutes, (minute) => hash(seed, -minute) % 1_000_000_000),
      transaction_count: transactions,
      /** Teragas: each transaction takes between two and twelve. */
      teragas: transactions.map((count, index) =>
        Math.floor(count * (2 + 10 * unit(seed, minutes[index] ?? 0))),
      ),
      supply: Float64Array.from(instants, supplyNative),
    },
    computed: {
      network: `'${NETWORK}'`,
      height: `cast(instant as bigint) - ${GENESIS}`,
      block_time: `cast(cast(instant as bigint) as varchar) || lpad(cast(cast(nanosecond as bigint) as varchar), 9, '0')`,
      gas_price: `'100000000'`,
      total_supply: `cast(cast(supply as bigint) as varchar) || repeat('0', 24)`,
      gas_used: 'cast(teragas as bigint) * 1000000000000',
      fees: `cast(cast(teragas as bigint) as varchar) || repeat('0', 20)`,
      /** Nine tenths of an epoch's issuance, divided among its blocks. */
      validator_reward: `'81250000000000000000000000'`,
    },
  };
}

/** Stakes from many millions down to about a million, half of the supply in total, rising from epoch to epoch, exact to the last digit. */
function validatorOf(
  seed: number,
  index: number,
  epoch: number,
): { readonly account_id: string; readonly stake: string } {
  const native = Math.floor(48_000_000 / (1 + 0.35 * index)) + 90_000 + (epoch % 1_000) * 7;
  const rest = String(hash(seed, index)).padStart(12, '0').repeat(2);
  return { account_id: `validator-${index}.pool.${NETWORK}`, stake: `${native}${rest}` };
}

function listsOf(seed: number, instant: number): { readonly [list: string]: string } {
  const epoch = Math.floor((instant - GENESIS) / EPOCH_S);
  const draw = hash(seed, epoch);
  const positions = Array.from({ length: VALIDATORS }, (_, index) => index);
  const some = (count: number, from: number) =>
    Array.from({ length: count }, (_, index) => validatorOf(seed, from + index, epoch));
  const current = positions.map((index) => ({
    ...validatorOf(seed, index, epoch),
    is_slashed: index === 77 && draw % 29 === 0,
    shards: [index % SHARDS],
  }));
  const kicked = { account_id: `validator-${draw % VALIDATORS}.pool.${NETWORK}`, reason: 'NotEnoughStake' };
  return {
    current_validators: JSON.stringify(current),
    next_validators: JSON.stringify(positions.map((index) => validatorOf(seed, index, epoch + 1))),
    current_fishermen: JSON.stringify(some(draw % 4, VALIDATORS)),
    current_proposals: JSON.stringify(some(1 + (draw % 6), VALIDATORS - 2)),
    prev_epoch_kickout: JSON.stringify(draw % 5 === 0 ? [kicked] : []),
  };
}

function validatorsDelivery(seed: number, instants: readonly number[]): ColumnsDelivery {
  const answers = instants.map((instant) => listsOf(seed, instant));
  const list = (name: string) => answers.map((answer) => answer[name] ?? null);
  return {
    kind: 'columns',
    count: instants.length,
    columns: {
      network: instants.map(() => NETWORK),
      observed_at: Float64Array.from(instants),
      epoch_height: Float64Array.from(instants, (instant) => Math.floor((instant - GENESIS) / EPOCH_S)),
      current_validators: list('current_validators'),
      next_validators: list('next_validators'),
      current_fishermen: list('current_fishermen'),
      current_proposals: list('current_proposals'),
      prev_epoch_kickout: list('prev_epoch_kickout'),
      num_seats: instants.map(() => SEATS),
      num_shards: instants.map(() => SHARDS),
      protocol_version: instants.map(() => PROTOCOL_VERSION),
    },
  };
}

function stateDelivery(seed: number, instants: readonly number[]): ColumnsDelivery {
  /** Users grow by a thousand an hour, and occasionally fall by more. */
  const users = instants.map((instant) => {
    const hour = Math.floor((instant - GENESIS) / HOUR_S);
    return 1_000 * hour + (hash(seed, hour) % 60_000);
  });
  return {
    kind: 'columns',
    count: instants.length,
    columns: {
      network: instants.map(() => NETWORK),
      observed_at: Float64Array.from(instants),
      circulating_supply: instants.map((instant) => `${supplyNative(instant) - 90_000_000}${'0'.repeat(24)}`),
      treasury_funds: instants.map(
        (instant) => `${4_000_000 + (hash(seed, -instant) % 90_000)}${'0'.repeat(24)}`,
      ),
      total_users: Float64Array.from(users),
      balance_gini: instants.map((instant) => 0.93 + (hash(seed, instant + 1) % 100) / 100_000),
    },
  };
}
