// A scheduler for simulated input and output: every call waits in one list, a seeded generator picks which of them happens next, and time
// passes only when a timer is picked. While one call happens, no other does, so a seed determines everything.
import { createHash } from 'node:crypto';
import { seededRandom } from '../../support/seeded-random.ts';

/** One simulated process. What a dead one waits for never happens. */
export interface Life {
  readonly name: string;
  isAlive: boolean;
  isPaused: boolean;
}

interface Call {
  readonly life: Life;
  readonly name: string;
  readonly happen: () => void;
}

interface Timer {
  readonly life: Life;
  readonly atMs: number;
  readonly work: () => void;
}

/** Share of turns in which a timer is picked although calls wait. */
const TIMER_SHARE = 0.04;
const SHOWN_CALLS = 60;

const trueImmediate = globalThis.setImmediate;
const trueClear = globalThis.clearImmediate;
/** Resolves once everything that can run without another call has run. */
const settled = () => new Promise<void>((resolve) => trueImmediate(resolve));

export class Scheduler {
  readonly random: () => number;
  /** Called before each turn. */
  onTurn: () => void = () => undefined;
  /** Milliseconds since the start; never goes back. */
  nowMs = 0;
  turns = 0;
  readonly #calls: Call[] = [];
  readonly #timers: Timer[] = [];
  readonly #trace = createHash('sha256');
  readonly #last: string[] = [];
  /** Runs what the programs leave for the next turn of the event loop. */
  readonly #loop: Life = { name: 'loop', isAlive: true, isPaused: false };

  constructor(seed: number) {
    this.random = seededRandom(seed);
  }

  chance = (share: number): boolean => this.random() < share;

  pick<T>(list: readonly T[]): T | undefined {
    return list[Math.floor(this.random() * list.length)];
  }

  /** Resolves with the result of `act` when it is the turn of this call. */
  call<T>(life: Life, name: string, act: () => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const happen = () => {
        try {
          resolve(act());
        } catch (error) {
          reject(error);
        }
      };
      this.#calls.push({ life, name, happen });
    });
  }

  after(life: Life, ms: number, work: () => void): () => void {
    const timer = { life, atMs: this.nowMs + ms, work };
    this.#timers.push(timer);
    return () => {
      const at = this.#timers.indexOf(timer);
      if (at >= 0) this.#timers.splice(at, 1);
    };
  }

  every(life: Life, ms: number, work: () => void): () => void {
    let cancel = () => {};
    const again = () => {
      cancel = this.after(life, ms, () => {
        again();
        work();
      });
    };
    again();
    return () => cancel();
  }

  wait = (life: Life, ms: number): Promise<void> => new Promise((resolve) => this.after(life, ms, resolve));

  /** @throws if this takes more turns than `max` */
  async runUntil(isDone: () => boolean, max: number): Promise<void> {
    const end = this.turns + max;
    await settled();
    while (!isDone()) {
      if (this.turns++ >= end) throw new Error(`not done after ${max} turns; the last:\n${this.lastCalls()}`);
      this.onTurn();
      this.#turn();
      await settled();
    }
  }

  /** A hash of everything that has happened so far. */
  trace(): string {
    return this.#trace.copy().digest('hex');
  }

  lastCalls(): string {
    return this.#last.join('\n');
  }

  note(text: string): void {
    this.#trace.update(text);
    this.#last.push(`${this.nowMs} ${text}`);
    if (this.#last.length > SHOWN_CALLS) this.#last.shift();
  }

  /** Replaces what would let the real event loop decide an order, until the returned function is called. */
  takeOver(): () => void {
    const later = (work: (...given: unknown[]) => void, ...given: unknown[]) => {
      const call = { life: this.#loop, name: 'turn', happen: () => work(...given) };
      this.#calls.push(call);
      return call;
    };
    const forget = (call: unknown) => {
      const at = this.#calls.indexOf(call as Call);
      if (at >= 0) this.#calls.splice(at, 1);
    };
    const digest = async (_: string, bytes: Uint8Array) => createHash('sha256').update(bytes).digest().buffer;
    Object.assign(globalThis, { setImmediate: later, clearImmediate: forget });
    Object.defineProperty(crypto.subtle, 'digest', { value: digest, configurable: true });
    return () => {
      Object.assign(globalThis, { setImmediate: trueImmediate, clearImmediate: trueClear });
      Reflect.deleteProperty(crypto.subtle, 'digest');
    };
  }

  #turn(): void {
    for (const list of [this.#calls, this.#timers])
      for (let at = list.length - 1; at >= 0; at--) if (list[at]?.life.isAlive === false) list.splice(at, 1);
    const ready = this.#calls.filter(({ life }) => !life.isPaused);
    const call = ready.length === 0 || this.chance(TIMER_SHARE) ? undefined : this.pick(ready);
    if (call === undefined) {
      this.#passTime();
      return;
    }
    this.#calls.splice(this.#calls.indexOf(call), 1);
    this.note(`${call.life.name} ${call.name}`);
    call.happen();
  }

  #passTime(): void {
    const ready = this.#timers.filter(({ life }) => !life.isPaused);
    const next = ready.reduce<Timer | undefined>(
      (first, timer) => (first === undefined || timer.atMs < first.atMs ? timer : first),
      undefined,
    );
    if (next === undefined) return;
    this.#timers.splice(this.#timers.indexOf(next), 1);
    this.nowMs = Math.max(this.nowMs, next.atMs);
    this.note(`${next.life.name} timer`);
    next.work();
  }
}
