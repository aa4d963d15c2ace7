// Limits that several servers share: across all servers, exactly as many requests pass as the plan allows.
import { type MaybePromise, serialQueue } from '../../platform/base/tasks.ts';
import { RATE_WINDOW_MS } from '../../schemas/plans.ts';
import { JointCounter, type JointCounterDeps, type ReportStreams } from './joint-counter.ts';
import {
  type Limiter,
  type Limits,
  LocalStreams,
  MAX_SUBJECTS,
  type Rate,
  RateLimiter,
  type StreamSlots,
} from './limits.ts';

export function jointLimits(deps: JointCounterDeps): Limits {
  const counter = new JointCounter(deps);
  const streams = new JointStreams(counter, deps);
  counter.reportStreams(streams.report);
  return {
    keyed: new JointLimiter(counter, 'org'),
    keyless: new JointLimiter(counter, 'address'),
    browsing: new JointLimiter(counter, 'browsing'),
    guesses: new JointLimiter(counter, 'guesses'),
    streams,
    get isAlone() {
      return counter.isAlone;
    },
    stop: () => counter.stop(),
  };
}

interface WindowUse {
  readonly used: number;
  /** Monotonic milliseconds. */
  readonly endsMs: number;
}

class JointLimiter implements Limiter {
  readonly #counter: JointCounter;
  readonly #name: string;
  /** The database's last report, by subject. */
  readonly #uses = new Map<string, WindowUse>();
  /** Counts while the database is unavailable. */
  readonly #alone = new RateLimiter();
  #refused = 0;

  constructor(counter: JointCounter, name: string) {
    this.#counter = counter;
    this.#name = name;
  }

  take(subject: string, limit: number, nowMs: number): MaybePromise<Rate> {
    const known = this.look(subject, limit, nowMs);
    // Counts never decrease within a window, so a used-up limit needs no query.
    if (known.isExceeded && !this.#counter.isAlone) return this.#noted(known);
    if (this.#counter.isAlone) return this.#takeAlone(subject, limit, nowMs);
    return this.#counter.take(`${this.#name} ${subject}`, limit).then((counted) => {
      if (counted === undefined) return this.#takeAlone(subject, limit, nowMs);
      const { passed, used, resetMs } = counted;
      this.#remember(subject, { used, endsMs: nowMs + resetMs });
      return this.#noted({ limit, remaining: Math.max(0, limit - used), resetMs, isExceeded: !passed });
    });
  }

  look(subject: string, limit: number, nowMs: number): Rate {
    const use = this.#uses.get(subject);
    if (use === undefined || nowMs >= use.endsMs)
      return { limit, remaining: limit, resetMs: RATE_WINDOW_MS, isExceeded: limit <= 0 };
    const { used, endsMs } = use;
    return {
      limit,
      remaining: Math.max(0, limit - used),
      resetMs: endsMs - nowMs,
      isExceeded: used >= limit,
    };
  }

  sweep(nowMs: number): void {
    for (const [subject, { endsMs }] of this.#uses) if (nowMs >= endsMs) this.#uses.delete(subject);
    this.#alone.sweep(nowMs);
  }

  get subjects(): number {
    return this.#uses.size;
  }

  get refused(): number {
    return this.#refused;
  }

  #remember(subject: string, use: WindowUse): void {
    // Deleted first, so that the map stays ordered by the last report.
    this.#uses.delete(subject);
    this.#uses.set(subject, use);
    if (this.#uses.size > MAX_SUBJECTS) this.#uses.delete(this.#uses.keys().next().value ?? '');
  }

  #takeAlone(subject: string, limit: number, nowMs: number): Rate {
    return this.#noted({ ...this.#alone.take(subject, this.#counter.shareOf(limit), nowMs), limit });
  }

  #noted(rate: Rate): Rate {
    if (rate.isExceeded) this.#refused += 1;
    return rate;
  }
}

class JointStreams implements StreamSlots {
  readonly #counter: JointCounter;
  readonly #deps: Pick<JointCounterDeps, 'counts'>;
  readonly #own = new LocalStreams();
  /** Changes are reported one after another, because each states the number of open streams. */
  readonly #inTurn = serialQueue();

  constructor(counter: JointCounter, deps: Pick<JointCounterDeps, 'counts'>) {
    this.#counter = counter;
    this.#deps = deps;
  }

  readonly report: ReportStreams = (send) => this.#inTurn(() => send(this.#own.all));

  take(owner: string, limit: number): Promise<boolean> {
    return this.#inTurn(async () => {
      const asked = { owner, open: this.#own.of(owner) };
      const isAdded = await this.#counter.inTime(() => this.#deps.counts.addStream(asked, limit));
      if (isAdded === false) return false;
      return this.#own.take(owner, isAdded === true ? limit : this.#counter.shareOf(limit));
    });
  }

  release(owner: string): void {
    this.#own.release(owner);
    void this.#inTurn(() => {
      const now = { owner, open: this.#own.of(owner) };
      return this.#counter.inTime(() => this.#deps.counts.setStream(now));
    });
  }
}
