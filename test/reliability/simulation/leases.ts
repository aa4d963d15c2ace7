// The lease of the leading job host, as a database would keep it. A host whose clock stands still does not notice that its lease is over.
import type { Life, Scheduler } from './scheduler.ts';

export interface Lease {
  readonly term: number;
  /** As far as the host knows. */
  readonly isHeld: () => boolean;
  /** In truth. */
  readonly isHeldNow: () => boolean;
  readonly renew: () => Promise<void>;
}

const LEASE_MS = 6_000;

export class SimulatedLeases {
  #holder: Life | undefined;
  #term = 0;
  #endsMs = 0;
  readonly #scheduler: Scheduler;

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler;
  }

  take = (life: Life): Promise<Lease | null> =>
    this.#scheduler.call(life, 'lease take', () => {
      if (this.#holder !== life && this.#isHeld()) return null;
      this.#holder = life;
      this.#term += 1;
      this.#endsMs = this.#scheduler.nowMs + LEASE_MS;
      return this.#leaseOf(life, this.#term);
    });

  #isHeld(): boolean {
    return this.#holder?.isAlive === true && this.#scheduler.nowMs < this.#endsMs;
  }

  #leaseOf(life: Life, term: number): Lease {
    let isKnownOver = false;
    const isHeldNow = () => this.#term === term;
    return {
      term,
      isHeld: () => !isKnownOver,
      isHeldNow,
      renew: () =>
        this.#scheduler.call(life, 'lease renew', () => {
          if (isHeldNow()) this.#endsMs = this.#scheduler.nowMs + LEASE_MS;
          else isKnownOver = true;
        }),
    };
  }
}
