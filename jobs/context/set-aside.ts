// Sets a warehouse aside: the next run computes everything from landing.
import { renameSync } from 'node:fs';
import type { TermMark } from '../../snapshots/fence.ts';
import type { Config } from '../config.ts';
import { forgetTrinoWarehouse } from '../engine/trino/open.ts';
import { domains } from '../registry.ts';
import { homesOf } from './placement.ts';

/**
 * The last warehouse that was replaced is kept for diagnosis. Its write-ahead log is moved first: next to a new warehouse the engine would
 * apply it to that one.
 */
export function setAside(warehouse: string): void {
  for (const ending of ['.wal', '']) {
    try {
      renameSync(`${warehouse}${ending}`, `${warehouse}.replaced${ending}`);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
}

/** Whichever warehouse the settings name, or both. `term`: of the leader, where hosts take turns. */
export async function setWarehouseAside({ settings, paths }: Config, term: TermMark | null): Promise<void> {
  setAside(paths.warehouse);
  const families = domains.map(({ id }) => id);
  if (homesOf(settings, families).usesTrino) await forgetTrinoWarehouse(settings.warehouse_state, term);
}
