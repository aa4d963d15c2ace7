// Monthly quotas of calculations (decisions 55, 67, 68): a run is charged once, on success, in the transaction that stores its response.
// Runs in progress reserve quota, so that exactly the limit passes however many run at once.
import { NamedQueues } from '../../platform/base/tasks.ts';
import type { PlanName } from '../../schemas/plans.ts';
import { keyOf } from '../access/authorize.ts';
import { monthOf } from '../access/usage.ts';
import type { Caller } from '../define/caller.ts';
import { Failure } from '../define/failure.ts';
import type { AnalyticsRunStore, RunKind } from '../store/store.ts';

/** The reply of a run, to which the quota adds its headers. */
interface WithHeaders {
  readonly headers?: readonly string[];
}

/** The `commit` from the endpoint's input. */
type Commit<R> = (
  work: (tables: { readonly analyticsRuns: AnalyticsRunStore }) => Promise<R>,
  sync: 'aside',
) => Promise<R>;

export interface ChargedRun<R> {
  readonly kind: RunKind;
  readonly run_key: string;
  readonly caller: Caller;
  readonly commit: Commit<R>;
}

export interface RunResult<R> {
  readonly reply: R;
  /** False for a result without the requested figures, which is free. */
  readonly isCharged: boolean;
}

export interface QuotaState {
  readonly limit: number;
  readonly used: number;
  readonly resetsMs: number;
}

export interface ChargedRunsDeps {
  readonly runs: AnalyticsRunStore;
  readonly nowMs: () => number;
  /** When the month of a time ends. */
  readonly monthEndMs: (nowMs: number) => number;
  readonly upgradeUrl: () => string;
}

const LIMITS_OF = {
  monte_carlo: 'monte_carlo_runs_per_month',
  simulator: 'simulator_runs_per_month',
} as const satisfies Record<RunKind, string>;

const EXCEEDED = {
  monte_carlo: 'MC_MONTHLY_QUOTA_EXCEEDED',
  simulator: 'SIMULATOR_MONTHLY_QUOTA_EXCEEDED',
} as const;

/** The error for a plan without such runs, for the access rule of an endpoint. */
export const TIER_REQUIRED = {
  monte_carlo: 'MC_TIER_REQUIRED',
  simulator: 'SIMULATOR_TIER_REQUIRED',
} as const;

/** The lowest plan that includes runs. */
export const RUN_PLAN: PlanName = 'team';

interface Account {
  readonly org: string;
  readonly kind: RunKind;
  readonly run_key: string;
  readonly month: string;
  readonly limit: number;
  readonly resetsMs: number;
}

export class ChargedRuns {
  readonly #deps: ChargedRunsDeps;
  readonly #turns = new NamedQueues();
  /** Runs in progress that will be charged: by organisation, kind and month, the number of requests per run. */
  readonly #reserved = new Map<string, Map<string, number>>();

  constructor(deps: ChargedRunsDeps) {
    this.#deps = deps;
  }

  /**
   * Performs `work` if the quota allows it. A repeated run is always allowed and free. Adds the quota headers to the reply.
   * @throws Failure `…_MONTHLY_QUOTA_EXCEEDED`, before the work or, if another server used up the quota first, after it
   */
  async perform<R extends WithHeaders>(run: ChargedRun<R>, work: () => Promise<RunResult<R>>): Promise<R> {
    const account = this.#accountOf(run);
    const isHeld = await this.#reserve(account);
    try {
      const { reply, isCharged } = await work();
      if (isHeld && isCharged) return await this.#charge(account, run.commit, reply);
      return withQuota(reply, await this.stateOf(run.caller, run.kind));
    } finally {
      if (isHeld) this.#release(account);
    }
  }

  async stateOf(caller: Caller, kind: RunKind): Promise<QuotaState> {
    const { org, month, limit, resetsMs } = this.#accountOf({ caller, kind, run_key: '' });
    return { limit, resetsMs, used: await this.#deps.runs.countOf(org, kind, month) };
  }

  /** The headers for a response that is not a run. */
  async headersFor(caller: Caller, kind: RunKind): Promise<readonly string[]> {
    return quotaHeaders(await this.stateOf(caller, kind));
  }

  #accountOf({ caller, kind, run_key }: Pick<ChargedRun<never>, 'kind' | 'run_key' | 'caller'>): Account {
    const nowMs = this.#deps.nowMs();
    return {
      org: keyOf(caller).org,
      kind,
      run_key,
      month: monthOf(nowMs),
      limit: caller.limits[LIMITS_OF[kind]],
      resetsMs: this.#deps.monthEndMs(nowMs),
    };
  }

  /** Resolves to false for a run that was already charged. */
  #reserve(account: Account): Promise<boolean> {
    const { org, kind, run_key, month, limit } = account;
    return this.#turns.run(groupOf(account), async () => {
      if (await this.#deps.runs.isCharged(org, kind, run_key)) return false;
      const used = await this.#deps.runs.countOf(org, kind, month);
      const held = this.#reserved.get(groupOf(account)) ?? new Map<string, number>();
      const requests = held.get(run_key) ?? 0;
      if (requests === 0 && used + held.size >= limit) throw this.#exceeded(account, used + held.size);
      held.set(run_key, requests + 1);
      this.#reserved.set(groupOf(account), held);
      return true;
    });
  }

  #release(account: Account): void {
    const held = this.#reserved.get(groupOf(account));
    const requests = (held?.get(account.run_key) ?? 0) - 1;
    if (requests > 0) held?.set(account.run_key, requests);
    else held?.delete(account.run_key);
    if (held?.size === 0) this.#reserved.delete(groupOf(account));
  }

  #charge<R extends WithHeaders>(account: Account, commit: Commit<R>, reply: R): Promise<R> {
    const { org, kind, run_key, month, limit, resetsMs } = account;
    const charged_ms = this.#deps.nowMs();
    return this.#turns.run(groupOf(account), () =>
      commit(async ({ analyticsRuns }) => {
        const { state, used } = await analyticsRuns.charge({ org, kind, run_key, month, charged_ms, limit });
        if (state === 'exceeded') throw this.#exceeded(account, used);
        return withQuota(reply, { limit, used, resetsMs });
      }, 'aside'),
    );
  }

  #exceeded({ kind, limit, resetsMs }: Account, used: number): Failure {
    const resets_at = new Date(resetsMs).toISOString();
    const seconds = Math.max(1, Math.ceil((resetsMs - this.#deps.nowMs()) / 1_000));
    return new Failure(EXCEEDED[kind], undefined, {
      details: { limit, used, resets_at, upgrade_url: this.#deps.upgradeUrl() },
      headers: ['Retry-After', String(seconds), ...quotaHeaders({ limit, used, resetsMs })],
    });
  }
}

const groupOf = ({ org, kind, month }: Account): string => JSON.stringify([org, kind, month]);

const withQuota = <R extends WithHeaders>(reply: R, state: QuotaState): R => ({
  ...reply,
  headers: [...(reply.headers ?? []), ...quotaHeaders(state)],
});

const quotaHeaders = ({ limit, used, resetsMs }: QuotaState): readonly string[] => [
  'X-Quota-Limit',
  String(limit),
  'X-Quota-Remaining',
  String(Math.max(0, limit - used)),
  'X-Quota-Reset',
  String(Math.floor(resetsMs / 1_000)),
];
