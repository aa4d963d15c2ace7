// The lock of a data folder: one process at a time lands, computes and publishes in it. It is a file separate from the warehouse, so it
// stays held while a damaged warehouse is replaced.
import { mkdirSync } from 'node:fs';
import { type ProcessLock, takeProcessLock } from '../../platform/storage/process-lock.ts';
import type { Config } from '../config.ts';

/** Another process is working on this folder. */
export class InstanceRunningError extends Error {
  override readonly name = 'InstanceRunningError';
}

/** @throws InstanceRunningError when another process holds the lock. */
export function lockFolder({ paths, settings }: Pick<Config, 'paths' | 'settings'>): ProcessLock {
  mkdirSync(paths.temporary, { recursive: true });
  const lock = takeProcessLock(paths.lock);
  if (lock !== null) return lock;
  throw new InstanceRunningError(
    `Another instance is working on ${settings.data_dir}. Wait for it, stop it, or give this one its own --data-dir.`,
  );
}
