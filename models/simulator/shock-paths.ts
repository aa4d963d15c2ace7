// Shocks by hour: the factor of every kind and subject at each hour of the horizon.

import type { ShockKind } from '../../schemas/shocks.ts';
import { EVERYTHING } from '../../schemas/values.ts';
import type { Shock, ShockPath } from './inputs.ts';

/** Factors of hours 0 to `horizon` of a path. */
export function factorsOf(path: ShockPath, horizon: number): Float64Array {
  const factors = new Float64Array(horizon + 1).fill(1);
  for (const [index, [hour, factor]] of path.entries()) {
    const next = path[index + 1];
    const until = next === undefined ? horizon + 1 : next[0];
    for (let at = hour; at < until && at <= horizon; at++)
      factors[at] =
        next === undefined ? factor : factor + ((next[1] - factor) * (at - hour)) / (next[0] - hour);
  }
  return factors;
}

/** 1 in the hours in which an oracle is frozen: its path has steps, not slopes. */
function frozenHours(path: ShockPath, horizon: number): Float64Array {
  const frozen = new Float64Array(horizon + 1);
  for (const [index, [hour, factor]] of path.entries()) {
    const until = path[index + 1]?.[0] ?? horizon + 1;
    if (factor === 0) frozen.fill(1, Math.min(hour, horizon + 1), Math.min(until, horizon + 1));
  }
  return frozen;
}

/** Whether any hour differs from the start. */
export const isChange = (factors: Float64Array): boolean => factors.some((factor) => factor !== 1);

export class ShockTable {
  readonly horizon: number;
  readonly #series = new Map<string, Float64Array>();
  readonly #unchanged: Float64Array;
  readonly #neverFrozen: Float64Array;

  constructor(shocks: readonly Shock[], horizon: number) {
    this.horizon = horizon;
    for (const { kind, subject, path } of shocks) {
      const series = kind === 'oracle_freeze' ? frozenHours(path, horizon) : factorsOf(path, horizon);
      this.#series.set(`${kind}|${subject}`, series);
    }
    this.#unchanged = new Float64Array(horizon + 1).fill(1);
    this.#neverFrozen = new Float64Array(horizon + 1);
  }

  /** Whether a shock of these kinds, to any subject, differs from the start in any hour. */
  moves(kinds: readonly ShockKind[]): boolean {
    return [...this.#series].some(
      ([key, factors]) => kinds.some((kind) => key.startsWith(`${kind}|`)) && isChange(factors),
    );
  }

  /** The shock of a subject, else the shock of everything; undefined without one. */
  find(kind: ShockKind, subject: string): Float64Array | undefined {
    return this.#series.get(`${kind}|${subject}`) ?? this.#series.get(`${kind}|${EVERYTHING}`);
  }

  factors(kind: Exclude<ShockKind, 'oracle_freeze'>, subject: string): Float64Array {
    return this.find(kind, subject) ?? this.#unchanged;
  }

  /** 1 in the hours in which the oracle of an asset or a market is frozen. */
  frozen(subject: string): Float64Array {
    return this.find('oracle_freeze', subject) ?? this.#neverFrozen;
  }
}
