// Keys, limits and usage as one object that starts and stops with the server.
import { HOUR_MS } from '../../platform/base/time.ts';
import { LIMITS } from '../../schemas/plans.ts';
import type { Endpoint } from '../define/endpoint.ts';
import type { ServerDeps } from '../deps.ts';
import { ALL_ENDPOINTS } from '../endpoints.ts';
import { AdmissionControl } from './admit.ts';
import { KeyRing } from './key-ring.ts';
import { type Limits, localLimits } from './limits.ts';
import { jointLimits } from './joint-limits.ts';
import { StoreWatch } from './store-watch.ts';
import { dayOf, UsageCounter } from './usage.ts';

const USAGE_FLUSH_MS = 5_000;
/** Longer than any version is kept, so that a repeatable run is recognized. */
const RUNS_KEPT_MS = 100 * 24 * HOUR_MS;
const STORE_CHECK_MS = 600_000;
const WRITE_CHECK_MS = 15_000;

export class AccessControl {
  readonly ring: KeyRing;
  readonly limits: Limits;
  readonly admissionControl: AdmissionControl;
  readonly usage: UsageCounter;
  readonly watch: StoreWatch;
  readonly #deps: ServerDeps;
  readonly #cancels: (() => void)[] = [];

  constructor(deps: ServerDeps) {
    const { anonymousPlan, trustedProxies = [], endpoints = ALL_ENDPOINTS, steadyMs } = deps;
    this.#deps = deps;
    this.ring = new KeyRing(deps);
    const { jointCounts: counts } = deps;
    this.limits = counts === undefined ? localLimits() : jointLimits({ ...deps, counts });
    this.admissionControl = new AdmissionControl({
      keys: this.ring,
      limits: this.limits,
      anonymousPlan,
      trustedProxies,
      isUncounted: uncountedTargets(endpoints),
      isBrowsed: pathsOf(
        endpoints.filter(({ isBrowsed, isUncounted }) => isBrowsed || isUncounted === 'without_query'),
      ),
      steadyMs,
    });
    this.usage = new UsageCounter(deps.store);
    this.watch = new StoreWatch({ ...deps, ring: this.ring });
  }

  /** @throws StoreUnavailableError */
  async start(): Promise<void> {
    await this.ring.start();
    await this.watch.check();
    await this.watch.checkWritable();
    const { every } = this.#deps;
    this.#cancels.push(every(USAGE_FLUSH_MS, () => void this.#flushUsage()));
    this.#cancels.push(every(STORE_CHECK_MS, () => void this.watch.check()));
    this.#cancels.push(every(WRITE_CHECK_MS, () => void this.watch.checkWritable()));
    this.#cancels.push(every(HOUR_MS, () => void this.#forgetOld()));
  }

  async stop(): Promise<void> {
    for (const cancel of this.#cancels) cancel();
    this.ring.stop();
    await this.limits.stop();
    await this.#flushUsage();
  }

  async #forgetOld(): Promise<void> {
    const { store, nowMs, log } = this.#deps;
    try {
      await store.idempotency.forget(nowMs() - LIMITS.idempotency_hours * HOUR_MS);
      await store.analyticsRuns.forget(nowMs() - RUNS_KEPT_MS);
      await store.usage.forgetDays(dayOf(nowMs() - LIMITS.usage_days.max * 24 * HOUR_MS));
    } catch (error) {
      log.warn(
        { err: error },
        'old idempotent responses, charged runs and days of usage cannot be removed now; retrying in an hour',
      );
    }
  }

  async #flushUsage(): Promise<void> {
    try {
      await this.usage.flush();
    } catch (error) {
      this.#deps.log.warn({ err: error }, 'usage cannot be written now; it is kept in memory until then');
    }
  }
}

function uncountedTargets(endpoints: readonly Endpoint[]): (target: string) => boolean {
  const always = pathsOf(endpoints.filter(({ isUncounted }) => isUncounted === true));
  const bare = pathsOf(endpoints.filter(({ isUncounted }) => isUncounted === 'without_query'));
  return (target) => always(target) || (!target.includes('?') && bare(target));
}

/** Matches by path alone. Runs for every request, so patterns are tried only if the path starts like one. */
function pathsOf(endpoints: readonly Endpoint[]): (target: string) => boolean {
  const paths = endpoints.map(({ path }) => path);
  const exact = new Set(paths.filter((path) => !path.includes(':')));
  const patterns = paths
    .filter((path) => path.includes(':'))
    .map((path) => ({ begin: path.split(':', 1)[0] ?? path, form: formOf(path) }));
  return (target) => {
    const end = target.indexOf('?');
    const path = end === -1 ? target : target.slice(0, end);
    return exact.has(path) || patterns.some(({ begin, form }) => path.startsWith(begin) && form.test(path));
  };
}

const formOf = (path: string): RegExp =>
  new RegExp(`^${path.replace(/[.]/g, '[.]').replace(/:[a-z][a-z0-9_]*/g, '[^/]+')}$`);
