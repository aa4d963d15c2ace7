// Whose attempt is next: organisations take turns, and within one its subscriptions do, each up to what it may have under way. So one
// that has much to send, or whose receivers hang, costs the others at most one turn.
import type { Lane } from './lane.ts';

interface Org {
  readonly ready: Set<Lane>;
  inFlight: number;
}

export class FairTurns {
  readonly #mostPerOrg: number;
  readonly #orgs = new Map<string, Org>();
  /** Organisations that may have a turn, in the order of their turns. */
  readonly #waiting = new Set<Org>();

  constructor(mostPerOrg: number) {
    this.#mostPerOrg = mostPerOrg;
  }

  /** The lane may have something to send. */
  offer(lane: Lane): void {
    const org = this.#orgs.get(lane.org) ?? { ready: new Set(), inFlight: 0 };
    this.#orgs.set(lane.org, org);
    org.ready.add(lane);
    if (org.inFlight < this.#mostPerOrg) this.#waiting.add(org);
  }

  /** The lane whose turn it is, counted as having one more under way; undefined when none can go on. */
  next(nowMs: number): Lane | undefined {
    for (const org of this.#waiting) {
      this.#waiting.delete(org);
      const lane = nextOf(org, nowMs);
      if (lane === undefined) continue;
      org.inFlight++;
      lane.inFlight++;
      if (org.inFlight < this.#mostPerOrg && org.ready.size > 0) this.#waiting.add(org);
      return lane;
    }
    return undefined;
  }

  /** One under way has ended. */
  release(lane: Lane): void {
    lane.inFlight--;
    const org = this.#orgs.get(lane.org);
    if (org === undefined) return;
    org.inFlight--;
    org.ready.add(lane);
    this.#waiting.add(org);
  }

  /** Forgets organisations with nothing to do. */
  sweep(): void {
    for (const [name, org] of this.#orgs) {
      if (org.inFlight > 0 || org.ready.size > 0) continue;
      this.#orgs.delete(name);
      this.#waiting.delete(org);
    }
  }
}

/** A lane that cannot go on now leaves; it is offered again when that changes. */
function nextOf(org: Org, nowMs: number): Lane | undefined {
  for (const lane of org.ready) {
    org.ready.delete(lane);
    if (!lane.isReady(nowMs)) continue;
    org.ready.add(lane);
    return lane;
  }
  return undefined;
}
