// Validators, their queues and the supply of network A in the demo world, at the end of every six hours. The supply grows by the rewards of
// validators minus what the blocks burn.

import { DAY_S } from '../../../platform/base/time.ts';
import type { ColumnsDelivery } from '../../define/source.ts';
import { hash } from './scenario/hash.ts';
import { type Block, burntIn, NETWORK, sumOf } from './network-a-chain.ts';

export const STAKE_STEP_S = DAY_S / 4;
const FIRST_DAY = 1_704_067_200;
/** Stake that may enter, and leave, on one day: 256 native units per epoch. */
const CHURN_A_DAY = 256 * 225;
/** Native units per day, for the days before the start of the demo world. */
const EARLIER = { rewards: 2_600, growth: 2_200 } as const;

/** Validators and their rewards on one day. */
function validatorsOn(seed: number, day: number) {
  const draw = hash(seed, day / DAY_S);
  const validators = 1_055_000 + Math.floor((8 * (day - FIRST_DAY)) / DAY_S) + (draw % 300);
  const stake = Math.round(validators * 32.03);
  const apr = 2.75 + (draw % 15) / 100;
  const queues = { entry: 32 * (20_000 + (draw % 9_000)), exit: 32 * (draw % 4_000) };
  return { validators, stake, apr, queues, rewardsPerStep: (stake * apr) / 36_500 / 4 };
}

type BlocksIn = (interval: { readonly from: number; readonly to: number }) => readonly Block[];

/** Total rewards and burning since the start of the demo world, computed once for every six hours. */
export class Balance {
  readonly #seed: number;
  readonly #start: number;
  readonly #blocksIn: BlocksIn;
  readonly #sums = [{ rewards: 0, burnt: 0 }];

  constructor(seed: number, start: number, blocksIn: BlocksIn) {
    this.#seed = seed;
    this.#start = start;
    this.#blocksIn = blocksIn;
  }

  /** Totals at the end of a step, that is, its last second. */
  at(instant: number): { readonly rewards: number; readonly burnt: number } {
    const steps = Math.floor((instant + 1 - this.#start) / STAKE_STEP_S);
    for (let step = this.#sums.length; step <= steps; step++) {
      const from = this.#start + (step - 1) * STAKE_STEP_S - 1;
      const before = this.#sums[step - 1] as { rewards: number; burnt: number };
      this.#sums.push({
        rewards: before.rewards + validatorsOn(this.#seed, dayOf(from + 1)).rewardsPerStep,
        burnt: before.burnt + sumOf(this.#blocksIn({ from, to: from + STAKE_STEP_S }), burntIn),
      });
    }
    return this.#sums[steps] as { rewards: number; burnt: number };
  }

  delivery(instants: readonly number[]): ColumnsDelivery {
    const days = instants.map((instant) => validatorsOn(this.#seed, dayOf(instant)));
    const earlierDays = (this.#start - FIRST_DAY) / DAY_S;
    const balances = instants.map((instant) => this.at(instant));
    return {
      kind: 'columns',
      count: instants.length,
      columns: {
        network: instants.map(() => NETWORK),
        observed_at: Float64Array.from(instants),
        num_validators: Float64Array.from(days, ({ validators }) => validators),
        total_stake_native: Float64Array.from(days, ({ stake }) => stake),
        total_supply_native: Float64Array.from(
          balances,
          ({ rewards, burnt }) => 118_900_000 + EARLIER.growth * earlierDays + rewards - burnt,
        ),
        total_rewards_native: Float64Array.from(
          balances,
          ({ rewards }) => 3_000_000 + EARLIER.rewards * earlierDays + rewards,
        ),
        apr_pct: Float64Array.from(days, ({ apr }) => apr),
        entry_queue_native: Float64Array.from(days, ({ queues }) => queues.entry),
        exit_queue_native: Float64Array.from(days, ({ queues }) => queues.exit),
        entry_wait_days: Float64Array.from(days, ({ queues }) => queues.entry / CHURN_A_DAY),
        exit_wait_days: Float64Array.from(days, ({ queues }) => queues.exit / CHURN_A_DAY),
      },
    };
  }
}

const dayOf = (instant: number) => instant - (instant % DAY_S);
