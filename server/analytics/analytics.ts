// On-demand calculations: the worker pool that performs them, and the quotas they count against.
import type { Usage } from '../access/usage.ts';
import type { Log } from '../log.ts';
import type { OpsStore } from '../store/store.ts';
import { ChargedRuns } from './charged-runs.ts';
import { WorkerPool } from './pool.ts';
import { type AskWhatIf, whatIfClient } from './simulator/what-if-client.ts';
import type { TASKS } from './tasks.ts';

export interface Analytics {
  readonly pool: WorkerPool<typeof TASKS>;
  readonly runs: ChargedRuns;
  /** Undefined if simulations do not list events. */
  readonly whatIf: AskWhatIf | undefined;
}

export interface AnalyticsOptions {
  readonly workers: number;
  /** Start the workers with the first version instead of the first calculation. */
  readonly isWarm?: boolean;
  /** Socket of the what-if process; without it, simulations list no events. */
  readonly whatIfSocket?: string;
}

export interface AnalyticsDeps {
  readonly analytics?: AnalyticsOptions;
  readonly store: OpsStore;
  readonly nowMs: () => number;
  readonly steadyMs: () => number;
  readonly log: Log;
  readonly webhooks: { readonly after: (ms: number, work: () => void) => () => void };
}

export function createAnalytics(
  { analytics, store, nowMs, steadyMs, log, webhooks }: AnalyticsDeps,
  { usage, upgradeUrl }: { readonly usage: Pick<Usage, 'monthEndMs'>; readonly upgradeUrl: () => string },
): Analytics {
  const script = new URL('./worker.ts', import.meta.url);
  const { workers = 1, whatIfSocket: path } = analytics ?? {};
  const monthEndMs = (atMs: number) => usage.monthEndMs(atMs);
  return {
    pool: new WorkerPool({ script, workers, after: webhooks.after, steadyMs, log }),
    runs: new ChargedRuns({ runs: store.analyticsRuns, nowMs, monthEndMs, upgradeUrl }),
    whatIf: path === undefined ? undefined : whatIfClient({ path, after: webhooks.after, steadyMs }),
  };
}
