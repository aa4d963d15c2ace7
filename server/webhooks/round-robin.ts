// Decides whose attempt is next: organisations take turns, and so do the subscriptions of each, up to their limits of attempts in progress.
// An organisation with much to send, or with hanging receivers, costs the others at most one turn.
import type { DeliveryQueue } from './queue.ts';

interface Org {
  readonly ready: Set<DeliveryQueue>;
  inFlight: number;
}

export class RoundRobin {
  readonly #maxPerOrg: number;
  readonly #orgs = new Map<string, Org>();
  /** Organisations that may have a turn, in the order of their turns. */
  readonly #waiting = new Set<Org>();

  constructor(maxPerOrg: number) {
    this.#maxPerOrg = maxPerOrg;
  }

  /** Notes that the queue may have something to send. */
  offer(queue: DeliveryQueue): void {
    const org = this.#orgs.get(queue.org) ?? { ready: new Set(), inFlight: 0 };
    this.#orgs.set(queue.org, org);
    org.ready.add(queue);
    if (org.inFlight < this.#maxPerOrg) this.#waiting.add(org);
  }

  /** The queue whose turn it is, counted with one more attempt in progress; undefined if none can send. */
  next(nowMs: number): DeliveryQueue | undefined {
    for (const org of this.#waiting) {
      this.#waiting.delete(org);
      const queue = nextOf(org, nowMs);
      if (queue === undefined) continue;
      org.inFlight++;
      queue.inFlight++;
      if (org.inFlight < this.#maxPerOrg && org.ready.size > 0) this.#waiting.add(org);
      return queue;
    }
    return undefined;
  }

  /** Called when an attempt in progress has ended. */
  release(queue: DeliveryQueue): void {
    queue.inFlight--;
    const org = this.#orgs.get(queue.org);
    if (org === undefined) return;
    org.inFlight--;
    org.ready.add(queue);
    this.#waiting.add(org);
  }

  /** Drops idle organisations. */
  sweep(): void {
    for (const [name, org] of this.#orgs) {
      if (org.inFlight > 0 || org.ready.size > 0) continue;
      this.#orgs.delete(name);
      this.#waiting.delete(org);
    }
  }
}

/** Removes queues that cannot send now; they are offered again when that changes. */
function nextOf(org: Org, nowMs: number): DeliveryQueue | undefined {
  for (const queue of org.ready) {
    org.ready.delete(queue);
    if (!queue.isReady(nowMs)) continue;
    org.ready.add(queue);
    return queue;
  }
  return undefined;
}
