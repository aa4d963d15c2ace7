// The backups: how old the last one is, whether it is still where it was made, and whether its key is there.
import { existsSync } from 'node:fs';
import { commandFor } from '../../platform/command-line/command-for.ts';
import { DAY_MS, HOUR_MS } from '../../platform/base/time.ts';
import type { ObjectStore } from '../../platform/storage/object-store.ts';
import type { Config } from '../../jobs/config.ts';
import { backupKey } from '../backup/backup-form.ts';
import type { LastBackup } from '../backup/last-backup.ts';
import { spanOf } from './check-runs.ts';
import { critical, type Findings, warning } from './finding.ts';

const WARN_MS = 26 * HOUR_MS;
const CRITICAL_MS = 7 * DAY_MS;
const MAX_AHEAD_MS = 60_000;

export interface BackupContext {
  readonly config: Config;
  readonly nowMs: number;
  /** Whether anything has landed. */
  readonly isUsed: boolean;
  /** Opens the place of the last backup. */
  readonly open: (address: string) => ObjectStore;
}

export async function checkBackups(last: LastBackup | null, context: BackupContext): Promise<Findings> {
  const { config, nowMs, isUsed } = context;
  const { settings } = config;
  if (settings.profile === 'demo' || !isUsed) return [];
  const make = `${commandFor(config, '--to PLACE', 'backup')}, from a timer.`;
  if (last === null) return [warning('no backup was ever made.', make)];
  return [
    ...ageFindings(last, nowMs, make),
    ...(await placeFindings(last, context, make)),
    ...keyFindings(settings.backup_key_file),
  ];
}

function ageFindings({ id, to, begun_at }: LastBackup, nowMs: number, make: string): Findings {
  const age = nowMs - Date.parse(begun_at);
  if (age < -MAX_AHEAD_MS)
    return [
      warning(
        `the last backup, ${id} in ${to}, is of ${begun_at}, later than the clock of this machine.`,
        'Correct the clock (chrony, systemd-timesyncd), and make another backup.',
      ),
    ];
  const text = `the last backup, ${id} in ${to}, is ${spanOf(age)} old.`;
  if (age > CRITICAL_MS) return [critical(text, make)];
  return age > WARN_MS ? [warning(text, make)] : [];
}

/** A place that this program does not see may be that of another container. */
async function placeFindings(
  { id, to }: LastBackup,
  { open }: BackupContext,
  make: string,
): Promise<Findings> {
  try {
    const store = open(to);
    if ((await store.facts(backupKey(id))) !== null) return [];
    if ((await store.names('')).length > 0)
      return [
        critical(`the last backup, ${id}, is no longer in ${to}.`, `Look for it, or make another: ${make}`),
      ];
    return [
      warning(`${to}, where the last backup was made, holds nothing.`, `Mount it, or make another: ${make}`),
    ];
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return [
      warning(`it is not known whether ${to} still has the last backup, ${id}: ${reason}`, 'Look there.'),
    ];
  }
}

const keyFindings = (file: string): Findings =>
  existsSync(file)
    ? []
    : [
        warning(
          `the backup key ${file} is missing: the next backup makes another, which opens none that were made before.`,
          'Put the copy back, or name it with --backup-key-file (BACKUP_KEY_FILE).',
        ),
      ];
