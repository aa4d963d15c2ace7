// Preloaded into the programs of the soak. Their clock is ahead of the machine's by an offset in a file, which the test raises between two
// ticks. Timers of a second or more follow it. Shorter ones and `performance.now` stay as they are: they bound work, which takes its real
// time. With each new sample number in the file, the process appends the size of its heap after a collection.
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

/** A line of the file with the heap of one process. */
export interface HeapSample {
  readonly sample: number;
  readonly heap_bytes: number;
  readonly external_bytes: number;
}

const LOOK_MS = 20;
const MIN_STEPPED_MS = 1_000;

interface Pending {
  timer: NodeJS.Timeout;
  dueMs: number;
  isRef: boolean;
  readonly fire: () => void;
}

function follow(file: string): void {
  const native = { now: Date.now, setTimeout, clearTimeout, setInterval, wait: promises.setTimeout };
  const pending = new Map<unknown, Pending>();
  let clock: SteppedClock = { offset_ms: 0, sample: 0 };
  const now = () => native.now() + clock.offset_ms;
  const arm = (entry: Pending, ms: number) => {
    native.clearTimeout(entry.timer);
    entry.timer = native.setTimeout(entry.fire, Math.max(0, ms));
    if (!entry.isRef) entry.timer.unref();
  };
  const look = () => {
    const next = JSON.parse(readFileSync(file, 'utf8')) as SteppedClock;
    const isStep = next.offset_ms !== clock.offset_ms;
    const isSample = next.sample !== clock.sample;
    clock = next;
    if (isStep) for (const entry of pending.values()) arm(entry, entry.dueMs - now());
    if (isSample && isMainThread) appendSample(`${file}.${process.pid}`, next.sample);
  };
  const later = (work: () => void, ms: number, everyMs: number | null): NodeJS.Timeout => {
    const fire = () => {
      if (everyMs === null) pending.delete(handle);
      else {
        entry.dueMs = now() + everyMs;
        arm(entry, everyMs);
      }
      work();
    };
    const handle = native.setTimeout(fire, ms);
    const entry: Pending = { timer: handle, dueMs: now() + ms, isRef: true, fire };
    pending.set(handle, entry);
    const refer = (isRef: boolean) => () => {
      entry.isRef = isRef;
      if (entry.timer !== handle) entry.timer[isRef ? 'ref' : 'unref']();
      else Object.getPrototypeOf(handle)[isRef ? 'ref' : 'unref'].call(handle);
      return handle;
    };
    return Object.assign(handle, { ref: refer(true), unref: refer(false), hasRef: () => entry.isRef });
  };
  const clear = (handle: unknown) => {
    const entry = pending.get(handle);
    pending.delete(handle);
    native.clearTimeout(entry?.timer ?? (handle as NodeJS.Timeout | undefined));
  };
  type Work = (...args: readonly unknown[]) => void;
  const stepped = {
    setTimeout: (work: Work, ms = 0, ...args: readonly unknown[]) =>
      ms < MIN_STEPPED_MS ? native.setTimeout(work, ms, ...args) : later(() => work(...args), ms, null),
    setInterval: (work: Work, ms = 0, ...args: readonly unknown[]) =>
      ms < MIN_STEPPED_MS ? native.setInterval(work, ms, ...args) : later(() => work(...args), ms, ms),
    clearTimeout: clear,
    clearInterval: clear,
  };
  const wait = (ms = 0, value?: unknown, options: { signal?: AbortSignal; ref?: boolean } = {}) =>
    ms < MIN_STEPPED_MS || options.signal !== undefined
      ? native.wait(ms, value, options)
      : new Promise((resolve) => {
          const timer = later(() => resolve(value), ms, null);
          if (options.ref === false) timer.unref();
        });
  Object.assign(globalThis, stepped);
  Object.assign(timers, stepped);
  Object.assign(promises, { setTimeout: wait });
  syncBuiltinESMExports();
  Date.now = now;
  globalThis.Date = new Proxy(Date, {
    construct: (target, args, newTarget) =>
      Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
  });
  look();
  native.setInterval(look, LOOK_MS).unref();
}

function appendSample(file: string, sample: number): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  const { heapUsed, external } = process.memoryUsage();
  const line: HeapSample = { sample, heap_bytes: heapUsed, external_bytes: external };
  appendFileSync(file, `${JSON.stringify(line)}\n`);
}

const file = process.env['STEPPED_CLOCK'];
if (file !== undefined) follow(file);
