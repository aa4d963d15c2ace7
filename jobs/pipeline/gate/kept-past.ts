// Keeps what was read of a table's past while only rows of other times are added to it.
import { quoted } from '../../engine/sql-text.ts';
import type { Warehouse } from '../../engine/warehouse.ts';

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

interface CachedPast<T> extends Past {
  readonly version: string;
  readonly result: T;
}

export class PastCache<T> {
  readonly #cached = new Map<string, CachedPast<T>>();

  async of(
    warehouse: Pick<Warehouse, 'rows' | 'versions'>,
    past: PastOf,
    read: () => Promise<T>,
  ): Promise<T> {
    const { id, from, to } = past;
    const cached = this.#cached.get(id);
    const version = await warehouse.versions.of(past.model);
    const isKept =
      cached?.from === from && cached.to === to && (await isSame(warehouse, past, { kept: cached, version }));
    const result = isKept ? cached.result : await read();
    this.#cached.set(id, { from, to, version, result });
    return result;
  }
}

async function isSame(
  warehouse: Pick<Warehouse, 'rows' | 'versions'>,
  { model, time, from, to }: PastOf,
  { kept, version }: { readonly kept: { readonly version: string }; readonly version: string },
): Promise<boolean> {
  if (kept.version === version) return true;
  const isAdded = await warehouse.versions.addedSince?.(model, kept.version);
  if (isAdded === undefined) return false;
  const column = quoted(time);
  const [row] = await warehouse.rows(
    `select 1 as one from ${model} where ${isAdded} and ${column} >= ${from} and ${column} < ${to} limit 1`,
  );
  return row === undefined;
}
