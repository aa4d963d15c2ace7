// When the last backup was made and where, noted in the data folder: `doctor` compares its age.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Backup } from './backup-form.ts';

export const LAST_BACKUP = 'last-backup.json';

export interface LastBackup {
  readonly id: string;
  /** ISO 8601 UTC. */
  readonly begun_at: string;
  readonly to: string;
}

export const textOfLastBackup = ({ id, begun_at }: Backup, to: string): string =>
  `${JSON.stringify({ id, begun_at, to })}\n`;

/** Null if none was made, or the note cannot be read. */
export function readLastBackup(dataDir: string): LastBackup | null {
  const file = join(dataDir, LAST_BACKUP);
  if (!existsSync(file)) return null;
  try {
    const value = JSON.parse(readFileSync(file, 'utf8')) as LastBackup;
    return Number.isNaN(Date.parse(value.begun_at)) ? null : value;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
