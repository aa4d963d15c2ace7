// Sets a warehouse aside, so that the next run computes everything from landing.
import { renameSync } from 'node:fs';
import type { TermMark } from '../../platform/storage/fence.ts';
import type { Config } from '../config.ts';
import { forgetTrinoWarehouse } from '../engine/trino/open.ts';
import { domains } from '../registry.ts';
import { homesOf } from './placement.ts';

/**
 * Keeps the last replaced warehouse for diagnosis. Moves its write-ahead log first: if it stayed, the engine would apply it to the new
 * warehouse.
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

/** Sets aside every warehouse that the settings name. `term` is the leader's term, if hosts take turns. */
export async function setWarehouseAside({ settings, paths }: Config, term: TermMark | null): Promise<void> {
  setAside(paths.warehouse);
  const families = domains.map(({ id }) => id);
  if (homesOf(settings, families).usesTrino) await forgetTrinoWarehouse(settings.warehouse_state, term);
}
