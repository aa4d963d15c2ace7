// Whether the time of a refusal distinguishes a key that does not exist from one whose last character is wrong: Welch's t over interleaved
// measurements of the check that both go through, and of the request gate for an address that is throttled for guessing. Below 4.5
// there is no signal. BENCH_ROUNDS sets how many.
import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { MaybePromise } from '../../platform/base/tasks.ts';
import { type Admission, AdmissionControl } from '../../server/access/admit.ts';
import { authenticate } from '../../server/access/authenticate.ts';
import { KeyRing } from '../../server/access/key-ring.ts';
import { makeKey } from '../../server/access/keys.ts';
import { localLimits } from '../../server/access/limits.ts';
import { addKey, openTestStore } from '../support/ops-store.ts';
import type { BenchReport } from './report.ts';

const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 100_000);
const WARM_UP = 10_000;
const KEYS = 20;
/** The slowest measurements of each side are time of other processes. */
const KEPT = 0.9;

interface Moments {
  readonly mean: number;
  readonly variance: number;
  readonly count: number;
}

export async function bench(): Promise<BenchReport> {
  const { store, remove } = await openTestStore();
  try {
    const texts: string[] = [];
    for (let index = 0; index < KEYS; index++) texts.push((await addKey(store, 'team')).text);
    const ring = await loadedRing(store);
    const check = momentsOfBoth(measured(checking(ring), texts));
    const throttled = momentsOfBoth(measured(throttling(ring), texts));
    return {
      name: 'key-timing',
      figures: {
        rounds: ROUNDS,
        unknown_key_ns: check[0].mean,
        wrong_last_character_ns: check[1].mean,
        throttled_unknown_key_ns: throttled[0].mean,
        throttled_wrong_last_character_ns: throttled[1].mean,
      },
      ratios: [
        {
          label: "Welch's |t|, unknown key against wrong last character",
          value: welch(check),
          goal: '≤ 4.5',
        },
        { label: "Welch's |t|, the same at a throttled address", value: welch(throttled), goal: '≤ 4.5' },
      ],
    };
  } finally {
    await remove();
  }
}

async function loadedRing(store: Awaited<ReturnType<typeof openTestStore>>['store']): Promise<KeyRing> {
  const ring = new KeyRing({
    store,
    nowMs: Date.now,
    steadyMs: () => performance.now(),
    every: () => () => undefined,
    log: { warn: console.error },
  });
  await ring.start();
  return ring;
}

/** Checks a key; returns whether it was refused. */
type Refuse = (token: string) => boolean;

function checking(ring: KeyRing): Refuse {
  return (token) => {
    try {
      authenticate(token, ring, { connection: {}, nowMs: 0 });
      return false;
    } catch {
      return true;
    }
  };
}

function throttling(ring: KeyRing): Refuse {
  const gate = new AdmissionControl({
    limits: localLimits(),
    keys: ring,
    anonymousPlan: null,
    trustedProxies: [],
    isUncounted: () => false,
    isBrowsed: () => false,
    steadyMs: () => 0,
  });
  const at = { nowMs: 0, steadyMs: 0 };
  return (token) => {
    const request = { headers: {}, socket: { remoteAddress: '203.0.113.9' } } as IncomingMessage;
    return admitted(gate.admit(request, token, at)).failure !== undefined;
  };
}

/** A single server counts in memory, so the result is available at once. */
function admitted(admission: MaybePromise<Admission>): Admission {
  if (admission instanceof Promise) throw new Error('A count in memory must be available at once.');
  return admission;
}

function measured(refuse: Refuse, texts: readonly string[]): readonly [number[], number[]] {
  const sides: [number[], number[]] = [[], []];
  // The same number on each side: a processor learns the branches of a text that it sees again, whatever the text is.
  const unknown = texts.map(() => makeKey(randomBytes));
  for (let round = -WARM_UP; round < ROUNDS; round++) {
    const which = Math.abs(round) % texts.length;
    const text = texts[which] ?? '';
    const last = text.endsWith('A') ? 'B' : 'A';
    const candidates = [unknown[which] ?? '', text.slice(0, -1) + last].map(asReceived);
    for (const side of Math.random() < 0.5 ? [0, 1] : [1, 0]) {
      const taken = timeOf(refuse, candidates[side] ?? '');
      if (round >= 0) sides[side === 0 ? 0 : 1].push(taken);
    }
  }
  return sides;
}

/** Held in one piece of memory, as a header is. */
const asReceived = (text: string): string => Buffer.from(text).toString('latin1');

function timeOf(refuse: Refuse, token: string): number {
  const start = process.hrtime.bigint();
  const isRefused = refuse(token);
  const taken = Number(process.hrtime.bigint() - start);
  if (!isRefused) throw new Error('a wrong key was accepted');
  return taken;
}

const momentsOfBoth = ([unknown, wrongLast]: readonly [number[], number[]]) =>
  [momentsOf(unknown), momentsOf(wrongLast)] as const;

function momentsOf(values: readonly number[]): Moments {
  const kept = values.toSorted((a, b) => a - b).slice(0, Math.floor(values.length * KEPT));
  const mean = kept.reduce((sum, value) => sum + value, 0) / kept.length;
  const variance = kept.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (kept.length - 1);
  return { mean, variance, count: kept.length };
}

const welch = ([a, b]: readonly [Moments, Moments]): number =>
  Math.abs(a.mean - b.mean) / Math.sqrt(a.variance / a.count + b.variance / b.count);
