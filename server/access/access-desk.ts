// Keys, limits and what was used, as one thing that starts and stops with the server.
import type { ServerDeps } from '../deps.ts';
import { Gatekeeper } from './admit.ts';
import { KeyRing } from './key-ring.ts';
import { UsageCounter } from './usage.ts';

const USAGE_FLUSH_MS = 5_000;

export class AccessDesk {
  readonly ring: KeyRing;
  readonly gate: Gatekeeper;
  readonly usage: UsageCounter;
  readonly #deps: ServerDeps;
  #cancelFlush: () => void = () => undefined;

  constructor(deps: ServerDeps, steadyMs: () => number) {
    const { nowMs, anonymousPlan, trustedProxies = [] } = deps;
    this.#deps = deps;
    this.ring = new KeyRing({ ...deps, steadyMs });
    this.gate = new Gatekeeper({ keys: this.ring, anonymousPlan, trustedProxies, nowMs, steadyMs });
    this.usage = new UsageCounter(deps.store);
  }

  /** @throws StoreUnavailableError */
  async start(): Promise<void> {
    await this.ring.start();
    this.#cancelFlush = this.#deps.every(USAGE_FLUSH_MS, () => void this.#flushUsage());
  }

  async stop(): Promise<void> {
    this.#cancelFlush();
    this.ring.stop();
    await this.#flushUsage();
  }

  async #flushUsage(): Promise<void> {
    try {
      await this.usage.flush();
    } catch (error) {
      this.#deps.log.warn({ err: error }, 'usage cannot be written now; it stays counted');
    }
  }
}
