// Preloaded into the programs of the soak. Their clock is ahead of the machine's by an offset in a file, which the test raises between two
// ticks. Timers of half a minute or more follow it. Shorter ones and `performance.now` stay as they are: they bound work, which takes its
// real time. With each new sample number in the file, the process collects what is no longer used and appends its sizes.
import { appendFileSync, readFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers';
import promises from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isMainThread } from 'node:worker_threads';

/** What the test writes to the file. */
export interface SteppedClock {
  readonly offset_ms: number;
  readonly sample: number;
}

/** A line of the file with the sizes of one process after a collection. */
export interface MemorySample {
  readonly sample: number;
  readonly heap_bytes: number;
  readonly external_bytes: number;
  /** Resident. Without the collection it also has what the runtime has not collected yet, which swings by a hundred megabytes. */
  readonly rss_bytes: number;
}

const LOOK_MS = 20;
const MIN_STEPPED_MS = 30_000;
const native = { now: Date.now, setTimeout, clearTimeout, setInterval, wait: promises.setTimeout };

type Work = (...args: readonly unknown[]) => void;

/** A timer by the stepped clock; `timer` is the machine's timer that is armed for it now. */
interface SteppedTimer {
  timer: NodeJS.Timeout;
  dueMs: number;
  isRef: boolean;
  readonly fire: () => void;
}

class SteppedTimers {
  readonly #file: string;
  readonly #timers = new Map<unknown, SteppedTimer>();
  #clock: SteppedClock = { offset_ms: 0, sample: 0 };

  constructor(file: string) {
    this.#file = file;
  }

  readonly now = (): number => native.now() + this.#clock.offset_ms;

  /** Reads the clock, and arms all timers again if it was put ahead. */
  look(): void {
    const before = this.#clock;
    this.#clock = JSON.parse(readFileSync(this.#file, 'utf8')) as SteppedClock;
    if (this.#clock.offset_ms !== before.offset_ms)
      for (const one of this.#timers.values()) this.#arm(one, one.dueMs - this.now());
    if (this.#clock.sample !== before.sample && isMainThread)
      appendSample(`${this.#file}.${process.pid}`, this.#clock.sample);
  }

  #arm(one: SteppedTimer, ms: number): void {
    native.clearTimeout(one.timer);
    one.timer = native.setTimeout(one.fire, Math.max(0, ms));
    if (!one.isRef) one.timer.unref();
  }

  /** `everyMs`: null for a timer that fires once. The handle is the machine's first timer, whose methods act on the current one. */
  #add(work: () => void, ms: number, everyMs: number | null): NodeJS.Timeout {
    const fire = () => {
      if (everyMs === null) this.#timers.delete(handle);
      else {
        one.dueMs = this.now() + everyMs;
        this.#arm(one, everyMs);
      }
      work();
    };
    const handle = native.setTimeout(fire, ms);
    const { ref, unref } = handle;
    const one: SteppedTimer = { timer: handle, dueMs: this.now() + ms, isRef: true, fire };
    this.#timers.set(handle, one);
    const refer = (isRef: boolean) => () => {
      one.isRef = isRef;
      (isRef ? ref : unref).call(one.timer);
      return handle;
    };
    return Object.assign(handle, { ref: refer(true), unref: refer(false), hasRef: () => one.isRef });
  }

  readonly setTimeout = (work: Work, ms = 0, ...args: readonly unknown[]) =>
    ms < MIN_STEPPED_MS ? native.setTimeout(work, ms, ...args) : this.#add(() => work(...args), ms, null);

  readonly setInterval = (work: Work, ms = 0, ...args: readonly unknown[]) =>
    ms < MIN_STEPPED_MS ? native.setInterval(work, ms, ...args) : this.#add(() => work(...args), ms, ms);

  readonly clear = (handle: unknown): void => {
    const one = this.#timers.get(handle);
    this.#timers.delete(handle);
    native.clearTimeout(one?.timer ?? (handle as NodeJS.Timeout | undefined));
  };

  readonly wait = (ms = 0, value?: unknown, options: { signal?: AbortSignal; ref?: boolean } = {}) =>
    ms < MIN_STEPPED_MS || options.signal !== undefined
      ? native.wait(ms, value, options)
      : new Promise((resolve) => {
          const timer = this.#add(() => resolve(value), ms, null);
          if (options.ref === false) timer.unref();
        });
}

/** Replaces clock and timers of this thread. */
function follow(file: string): void {
  const stepped = new SteppedTimers(file);
  const { setTimeout, setInterval, clear } = stepped;
  const global = { setTimeout, setInterval, clearTimeout: clear, clearInterval: clear };
  Object.assign(globalThis, global);
  Object.assign(timers, global);
  Object.assign(promises, { setTimeout: stepped.wait });
  syncBuiltinESMExports();
  Date.now = stepped.now;
  globalThis.Date = new Proxy(Date, {
    construct: (target, args, newTarget) =>
      Reflect.construct(target, args.length === 0 ? [stepped.now()] : args, newTarget),
  });
  stepped.look();
  native.setInterval(() => stepped.look(), LOOK_MS).unref();
}

type Collect = (options: { type: 'major'; execution: 'sync'; flavor: 'last-resort' }) => void;

function appendSample(file: string, sample: number): void {
  setFlagsFromString('--expose-gc');
  // No other kind of collection returns pages to the system.
  (runInNewContext('gc') as Collect)({ type: 'major', execution: 'sync', flavor: 'last-resort' });
  const { heapUsed, external, rss } = process.memoryUsage();
  const line: MemorySample = { sample, heap_bytes: heapUsed, external_bytes: external, rss_bytes: rss };
  appendFileSync(file, `${JSON.stringify(line)}\n`);
}

const file = process.env['STEPPED_CLOCK'];
if (file !== undefined) follow(file);
