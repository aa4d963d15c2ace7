// What was read of a table's past, while only rows of other times are added to it.
import { ALL_ON, type SwitchedOff } from '../../platform/base/switches.ts';
import { quoted } from '../engine/sql-text.ts';
import type { Warehouse } from '../engine/warehouse.ts';

/** Unix seconds. */
export interface Past {
  readonly from: number;
  /** Excluded. */
  readonly to: number;
}

export interface PastOf extends Past {
  /** Identifies what is read. */
  readonly id: string;
  /** An `append` model. */
  readonly model: string;
  readonly time: string;
}

interface PastResult<T> extends Past {
  readonly version: string;
  readonly result: T;
}

export class PastRows {
  readonly #off: SwitchedOff;
  readonly #found = new Map<string, PastResult<unknown>>();

  constructor(off: SwitchedOff = ALL_ON) {
    this.#off = off;
  }

  async of<T>(
    warehouse: Pick<Warehouse, 'rows' | 'versions'>,
    past: PastOf,
    read: () => Promise<T>,
  ): Promise<T> {
    const { id, from, to } = past;
    const found = this.#off.has('past-rows') ? undefined : this.#found.get(id);
    const version = await warehouse.versions.of(past.model);
    const isCurrent =
      found?.from === from &&
      found.to === to &&
      (await isSame(warehouse, past, { was: found.version, version }));
    const result = isCurrent ? (found.result as T) : await read();
    this.#found.set(id, { from, to, version, result });
    return result;
  }
}

async function isSame(
  warehouse: Pick<Warehouse, 'rows' | 'versions'>,
  { model, time, from, to }: PastOf,
  { was, version }: { readonly was: string; readonly version: string },
): Promise<boolean> {
  if (was === version) return true;
  const isAdded = await warehouse.versions.addedSince?.(model, was);
  if (isAdded === undefined) return false;
  const column = quoted(time);
  const [row] = await warehouse.rows(
    `select 1 as one from ${model} where ${isAdded} and ${column} >= ${from} and ${column} < ${to} limit 1`,
  );
  return row === undefined;
}
