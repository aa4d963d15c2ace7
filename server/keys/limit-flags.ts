// Flags for contractual limits of keys of the plan custom, such as `--requests-per-minute 500`.
import { LIMIT_FLAGS } from '../../platform/command-line/keys-commands.ts';
import { UsageError } from '../../platform/command-line/usage-error.ts';
import { PLANS, type Plan, type PlanName } from '../../schemas/plans.ts';
import type { KeyRecord } from '../store/store.ts';

type Limit = Exclude<keyof Plan, 'rank'>;
type LimitFlag = keyof typeof LIMIT_FLAGS;

const LIMITS_OF_FLAGS = {
  'requests-per-minute': 'requests_per_minute',
  'replay-window-days': 'replay_window_days',
  'stream-connections': 'stream_connections',
  'webhook-subscriptions': 'webhook_subscriptions',
  'monte-carlo-runs-per-month': 'monte_carlo_runs_per_month',
  'simulator-runs-per-month': 'simulator_runs_per_month',
} as const satisfies Record<LimitFlag, Limit>;

const FLAGS = Object.keys(LIMIT_FLAGS) as LimitFlag[];

/** @throws UsageError if the plan has fixed limits, or a limit is out of range. */
export function limitsOf(
  plan: PlanName,
  flags: Readonly<Record<LimitFlag, string | undefined>>,
): KeyRecord['limits'] {
  const given = FLAGS.flatMap((flag) => {
    const text = flags[flag];
    return text === undefined ? [] : [{ flag, text }];
  });
  if (given[0] !== undefined && plan !== 'custom')
    throw new UsageError(`--${given[0].flag}: only keys of the plan custom can have their own limits.`);
  return Object.fromEntries(given.map(({ flag, text }) => [LIMITS_OF_FLAGS[flag], numberOf(flag, text)]));
}

function numberOf(flag: LimitFlag, text: string): number {
  const min = flag === 'requests-per-minute' ? 1 : 0;
  const max = PLANS.custom[LIMITS_OF_FLAGS[flag]];
  const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= min && number <= max) return number;
  throw new UsageError(`--${flag}: "${text}" is not an integer from ${min} to ${max}.`);
}
